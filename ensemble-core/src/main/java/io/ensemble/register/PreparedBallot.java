package io.ensemble.register;

import java.util.Set;

/**
 * A ballot that sites promised to a writer together with its last acceptance, for one proposal of
 * its next write. The promise is that of an ordinary classic ballot, made ahead. So it excludes
 * every lower ballot and yields to every higher one.
 *
 * @param ballot never used for a proposal before, and only once from now on
 * @param sites the sites that had accepted when the write was done, before the next one begins; no
 *     other site counts, and each of these only while it shows the promise
 */
public record PreparedBallot(Ballot ballot, Set<Integer> sites) {

  public PreparedBallot {
    sites = Set.copyOf(sites);
  }
}

package io.ensemble.register;

import java.util.Set;

/**
 * A ballot that sites promised to a writer together with its last acceptance, for one proposal of
 * its next write. It is the promise of an ordinary classic ballot, made ahead, so it protects from
 * everything below it and yields to everything above it.
 *
 * @param ballot never proposed at before, and only once from now on
 * @param sites the sites that had accepted when the write was done, before the next one begins; no
 *     other site counts, and each of these only while it shows the promise
 */
public record PreparedBallot(Ballot ballot, Set<Integer> sites) {

  public PreparedBallot {
    sites = Set.copyOf(sites);
  }
}

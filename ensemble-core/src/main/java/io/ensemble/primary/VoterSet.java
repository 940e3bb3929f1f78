package io.ensemble.primary;

import io.ensemble.stamp.WriterId;
import java.util.HashSet;
import java.util.List;

/**
 * The sites of a cache that count as voters, numbered. Each voter set has a record of terms of its
 * own, kept by a majority of its sites. A site without which the voter set has no majority ends the
 * voter set by ending that record: no lease on its terms is renewed from then on. The next voter
 * set consists of that site and of others with new stores. Its first term waits, as any new term
 * does, until no process holds a lease on an earlier term. The number of that term is higher than
 * any of the former voter set.
 *
 * <p>So with two sites, where a majority is both, the site that ended a voter set holds all data
 * that counts at that time, if the site {@linkplain #isComplete is complete}.
 *
 * @param number from 1 on; a greater number is a later voter set
 * @param sites the voters; the first has all data that counted when the voter set began, and is its
 *     first primary
 * @param epoch the number of its first term
 * @param floor the floor of its first term
 * @param since the number of the first of the voter sets up to this one that had the same sites
 */
public record VoterSet(long number, List<String> sites, long epoch, long floor, long since) {

  public VoterSet {
    sites = List.copyOf(sites);
    if (since < 1 || since > number || floor < 1 || floor > epoch || sites.isEmpty()) {
      throw new IllegalArgumentException(
          "expected 1 <= since <= number, sites, 1 <= floor <= epoch; since=%d number=%d sites=%s"
                  .formatted(since, number, sites)
              + " floor=%d epoch=%d".formatted(floor, epoch));
    }
    if (new HashSet<>(sites).size() != sites.size()) {
      throw new IllegalArgumentException("sites of a voter set must be unique; sites=" + sites);
    }
  }

  /** The voter set with which a cache begins: all of its sites. */
  public static VoterSet first(List<String> sites) {
    return new VoterSet(1, sites, 1, 1, 1);
  }

  /** Whether {@code site} is a voter. */
  public boolean counts(String site) {
    return sites.contains(site);
  }

  /** The first content of the record of this voter set. */
  public Term firstTerm() {
    String primary = sites.get(0);
    return number == 1
        ? Term.first(primary, WriterId.NONE)
        : Term.first(primary, WriterId.NONE).renumbered(epoch, floor);
  }

  /**
   * Whether every key has been recovered into {@code term}, or an earlier one of this voter set.
   */
  public boolean isFilled(Term term) {
    return term.floor() >= epoch;
  }

  /**
   * Whether {@code site} has all data that counts, when {@code lastTerm} is the last term that the
   * site has recorded. The site had the data from the beginning, or received it since.
   */
  public boolean isComplete(String site, Term lastTerm) {
    return counts(site) && (sites.get(0).equals(site) || isFilled(lastTerm));
  }

  /**
   * The voter set after this one.
   *
   * @param lastTerm the latest term that the site that ended this voter set's record had accepted
   * @param nextSites its sites, that one first
   */
  public VoterSet succeeded(Term lastTerm, List<String> nextSites) {
    boolean hasSameSites = nextSites.size() == sites.size() && sites.containsAll(nextSites);
    return new VoterSet(
        number + 1,
        nextSites,
        lastTerm.epoch() + 1,
        lastTerm.floor(),
        hasSameSites ? since : number + 1);
  }
}

package io.ensemble.primary;

import io.ensemble.stamp.WriterId;
import java.util.HashSet;
import java.util.List;

/**
 * Which of a cache's sites count, numbered. Each roll has a record of terms of its own, kept by a
 * majority of its sites. A roll ends for good when a site without which it has no majority ends
 * that record: no trust in its terms is renewed from then on. The next roll is of that site, and of
 * others whose stores are new; its first term waits, as any new term does, until nobody trusts what
 * was before it, and its number is higher than any of the former roll's.
 *
 * <p>So with two sites, where a majority is both: whatever counts when a roll ends is held by the
 * site that ended it, if that site {@linkplain #isComplete is complete}.
 *
 * @param number from 1 on; a greater one is a later roll
 * @param sites who counts; the first has all that counted when the roll began, and is its first
 *     primary
 * @param epoch the number of its first term
 * @param floor the floor of its first term
 * @param since the number of the first of the rolls up to this one that had the same sites
 */
public record VoterSet(long number, List<String> sites, long epoch, long floor, long since) {

  public VoterSet {
    sites = List.copyOf(sites);
    if (since < 1 || since > number || floor < 1 || floor > epoch || sites.isEmpty()) {
      throw new IllegalArgumentException(
          "wanted 1 <= since <= number, sites, 1 <= floor <= epoch; since=%d number=%d sites=%s"
                  .formatted(since, number, sites)
              + " floor=%d epoch=%d".formatted(floor, epoch));
    }
    if (new HashSet<>(sites).size() != sites.size()) {
      throw new IllegalArgumentException("a roll names each site once; sites=" + sites);
    }
  }

  /** The roll that a cache begins with: all of its sites. */
  public static VoterSet first(List<String> sites) {
    return new VoterSet(1, sites, 1, 1, 1);
  }

  /** Whether {@code site} counts. */
  public boolean counts(String site) {
    return sites.contains(site);
  }

  /** What the record of this roll holds at first. */
  public Term firstTerm() {
    String primary = sites.get(0);
    return number == 1
        ? Term.first(primary, WriterId.NONE)
        : Term.first(primary, WriterId.NONE).renumbered(epoch, floor);
  }

  /** Whether every key has been recovered into {@code term}, or an earlier one of this roll. */
  public boolean isFilled(Term term) {
    return term.floor() >= epoch;
  }

  /**
   * Whether {@code site} has all that counts, when {@code last} is what it knows of the terms: it
   * had it from the beginning, or was given it since.
   */
  public boolean isComplete(String site, Term last) {
    return counts(site) && (sites.get(0).equals(site) || isFilled(last));
  }

  /**
   * The roll after this one.
   *
   * @param last the latest term that the site that ended this roll's record had accepted
   * @param next its sites, that one first
   */
  public VoterSet succeeded(Term last, List<String> next) {
    boolean same = next.size() == sites.size() && sites.containsAll(next);
    return new VoterSet(
        number + 1, next, last.epoch() + 1, last.floor(), same ? since : number + 1);
  }
}

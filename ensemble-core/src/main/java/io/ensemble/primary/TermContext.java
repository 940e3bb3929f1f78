package io.ensemble.primary;

/**
 * The context of an operation: the values taken from the term under which it begins.
 *
 * @param sites how many sites hold the key
 * @param primary the index of the primary
 * @param epoch the term's number
 * @param floor copies of earlier epochs are void: all keys were recovered into this one
 * @param copiesFirst whether a majority must hold a write before the primary shows it
 */
public record TermContext(int sites, int primary, long epoch, long floor, boolean copiesFirst) {

  public TermContext {
    if (primary < 0 || primary >= sites || floor > epoch || epoch < 1) {
      throw new IllegalArgumentException(
          "expected 0 <= primary < sites and floor <= epoch; sites=%d primary=%d epoch=%d floor=%d"
              .formatted(sites, primary, epoch, floor));
    }
  }

  /** Whether every key was recovered into this epoch. */
  boolean isRecovered() {
    return floor == epoch;
  }

  /** The primary's copy once it may be used for a decision: absent when it is not of this epoch. */
  <V> Copy<V> current(Copy<V> atPrimary) {
    return atPrimary.mark().epoch() == epoch ? atPrimary : Copy.absent();
  }

  int majority() {
    return sites / 2 + 1;
  }
}

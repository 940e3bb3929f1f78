package io.ensemble.cache.weak;

import io.ensemble.envelope.Envelope;

/**
 * What becomes of two entries of one key: the higher one, or what both hold together. Whichever it
 * is, it is commutative, associative and idempotent, as far as nothing is dropped, so that sites
 * that exchange entries become equal.
 */
sealed interface Union permits Highest, Joined {

  /**
   * What holds both: {@code kept} itself when it holds {@code other} already. It belongs where
   * {@code kept} does.
   */
  Held of(Held kept, Held other);

  /** {@code entry} as it is at a store that had nothing. */
  Held fresh(Held entry);

  /** Whether both are the same. */
  boolean same(Held one, Held other);

  /** A summary of an entry under the key of that fingerprint: another one for another entry. */
  long fingerprint(long key, Envelope envelope);

  /** How many values, which nobody has overwritten, are in neither {@code of} nor overwritten. */
  int dropped(Held kept, Held other);

  /**
   * Whether a site may be written without looking, and what was there be put back: who dies in
   * between must not have taken away what only that site had.
   */
  boolean swaps();
}

package io.ensemble.cache.weak.entry;

import io.ensemble.envelope.Envelope;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of two entries of one key: the higher one, or what both hold together. Whichever it
 * is, it is commutative, associative and idempotent, so that sites that exchange entries become
 * equal.
 */
public sealed interface EntryMerge permits LastWriterWins, SiblingMerge {

  /** What holds both: {@code kept} itself when it holds {@code other} already. */
  StampedEntry of(StampedEntry kept, StampedEntry other);

  /**
   * What a store is to have that has {@code there}, null for nothing, once it has {@code entry}
   * too: {@code there} itself when it needs nothing.
   */
  StampedEntry stored(@Nullable StampedEntry there, StampedEntry entry);

  /** How many values are dropped by that because they are too many. */
  int dropped(@Nullable StampedEntry there, StampedEntry entry);

  /** Whether both are the same. */
  boolean same(StampedEntry one, StampedEntry other);

  /** A summary of an entry under the key of that fingerprint: another one for another entry. */
  long fingerprint(long key, Envelope envelope);

  /**
   * Whether a site may be written without looking, and what was there be put back: who dies in
   * between must not have taken away what only that site had.
   */
  boolean swaps();
}

package io.ensemble.cache.weak.entry;

import io.ensemble.envelope.Envelope;
import org.jspecify.annotations.Nullable;

/**
 * Merges two entries of one key: the result is the higher entry, or the values of both. Every
 * implementation is commutative, associative and idempotent, so that sites that exchange entries
 * become equal.
 */
public sealed interface EntryMerge permits LastWriterWins, SiblingMerge {

  /** The entry that contains both; {@code kept} itself when it contains {@code other} already. */
  StampedEntry of(StampedEntry kept, StampedEntry other);

  /**
   * The entry to store at a store that has {@code existing}, null for nothing, and receives {@code
   * entry}. The result is {@code existing} itself when the store needs no change.
   */
  StampedEntry mergeInto(@Nullable StampedEntry existing, StampedEntry entry);

  /** How many values the merge drops because they exceed the bound. */
  int countDropped(@Nullable StampedEntry existing, StampedEntry entry);

  /** Whether both entries are the same. */
  boolean isSame(StampedEntry first, StampedEntry second);

  /**
   * The fingerprint of an entry, given that of its key; different entries have different
   * fingerprints.
   */
  long fingerprint(long key, Envelope envelope);

  /**
   * Whether a site may be written without a read, and the displaced entry be put back. Otherwise a
   * process that dies in between could remove a value that only that site had.
   */
  boolean usesSwap();
}

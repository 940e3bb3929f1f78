package io.ensemble.versioning.index;

/** Where the value of a version is. */
public sealed interface ValueLocation {

  /** Beside the version. */
  record Inline(byte[] value) implements ValueLocation {}

  /** In a pack, as its so manieth value, from 0. */
  record Packed(long pack, int index) implements ValueLocation {}

  /** Nowhere: with this version the key was removed. */
  record Removed() implements ValueLocation {}
}

package io.ensemble.versioning.index;

/** The location of the value of a version. */
public sealed interface ValueLocation {

  /** Beside the version. */
  record Inline(byte[] value) implements ValueLocation {}

  /** In a pack, at this index, from 0. */
  record Packed(long pack, int index) implements ValueLocation {

    /** The next place in the same pack. */
    Packed next() {
      return new Packed(pack, index + 1);
    }
  }

  /** No value: the version is a removal. */
  record Removed() implements ValueLocation {}
}

package io.ensemble.versioning.index;

/**
 * A version of a key.
 *
 * @param sequence the position of the version in the order of additions to the key, from 1
 */
public record IndexEntry<T>(T version, long sequence, ValueLocation place) {

  public IndexEntry<T> in(ValueLocation other) {
    return new IndexEntry<>(version, sequence, other);
  }

  public boolean isInline() {
    return place instanceof ValueLocation.Inline;
  }

  public int inlineBytes() {
    return place instanceof ValueLocation.Inline inline ? inline.value().length : 0;
  }
}

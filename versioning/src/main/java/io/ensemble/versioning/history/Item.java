package io.ensemble.versioning.history;

/**
 * A version of a key.
 *
 * @param sequence the how manieth version of the key that was added, from 1
 */
public record Item<T>(T version, long sequence, Place place) {

  Item<T> in(Place other) {
    return new Item<>(version, sequence, other);
  }

  boolean isInline() {
    return place instanceof Place.Inline;
  }

  int inlineBytes() {
    return place instanceof Place.Inline inline ? inline.value().length : 0;
  }
}

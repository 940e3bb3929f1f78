package io.ensemble.versioning.history;

import org.jspecify.annotations.Nullable;

/**
 * A version, and its value or where that is.
 *
 * @param removed whether the key was removed with it
 * @param value null where it is in a pack
 * @param index in that pack
 */
public record Seen(
    byte[] version, long sequence, boolean removed, byte @Nullable [] value, long pack, int index) {

  /**
   * As an item is.
   *
   * @param version its version, written
   */
  static Seen of(byte[] version, Item<?> item) {
    if (item.place() instanceof Place.Inline inline) {
      return new Seen(version, item.sequence(), false, inline.value(), 0, 0);
    }
    return item.place() instanceof Place.Packed packed
        ? new Seen(version, item.sequence(), false, null, packed.pack(), packed.index())
        : new Seen(version, item.sequence(), true, null, 0, 0);
  }
}

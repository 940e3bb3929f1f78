package io.ensemble.versioning.index;

import org.jspecify.annotations.Nullable;

/**
 * A version, and its value or the location of the value.
 *
 * @param removed whether the version is a removal
 * @param value null where it is in a pack
 * @param index in that pack
 */
public record StoredVersion(
    byte[] version, long sequence, boolean removed, byte @Nullable [] value, long pack, int index) {

  /**
   * Converts an item.
   *
   * @param version the encoded version of the item
   */
  public static StoredVersion of(byte[] version, IndexEntry<?> indexEntry) {
    if (indexEntry.place() instanceof ValueLocation.Inline inline) {
      return new StoredVersion(version, indexEntry.sequence(), false, inline.value(), 0, 0);
    }
    return indexEntry.place() instanceof ValueLocation.Packed packed
        ? new StoredVersion(
            version, indexEntry.sequence(), false, null, packed.pack(), packed.index())
        : new StoredVersion(version, indexEntry.sequence(), true, null, 0, 0);
  }
}

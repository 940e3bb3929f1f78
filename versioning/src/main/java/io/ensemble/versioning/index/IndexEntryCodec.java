package io.ensemble.versioning.index;

import io.ensemble.versioning.order.VersionSpace;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes items of an index in their order, each as its difference from the previous one. An item
 * that was added next after the one before, and whose value follows in the same pack, takes one
 * byte and the bytes in which its version differs.
 */
public final class IndexEntryCodec {

  private static final int FORMAT = 2;

  /** The first byte of an item: one of these kinds, and flags. */
  private static final int REMOVED = 0;

  private static final int INLINE = 1;
  private static final int PACKED = 2;
  private static final int KIND = 3;
  private static final int NEXT_SEQUENCE = 4;
  private static final int NEXT_IN_PACK = 8;
  private static final int NEAR_VERSION = 16;
  private static final int FLAGS = NEXT_SEQUENCE | NEXT_IN_PACK | NEAR_VERSION;

  /** Before the first item: pack 0 has no value, so no value follows. */
  private static final ValueLocation.Packed NO_PACK = new ValueLocation.Packed(0, -1);

  private IndexEntryCodec() {}

  /** Encodes the entry of a shard. */
  public static <T> byte[] write(VersionSpace<T> space, List<IndexEntry<T>> items) {
    return CompactEncoding.written(
        out -> {
          out.writeByte(FORMAT);
          items(out, space, items);
        });
  }

  /**
   * Decodes the bytes of {@link #write}.
   *
   * @throws IllegalArgumentException if the bytes have another form
   */
  public static <T> List<IndexEntry<T>> read(VersionSpace<T> space, byte[] bytes) {
    return CompactEncoding.read(
        bytes,
        in -> {
          int format = in.readByte();
          if (format != FORMAT) {
            throw new IllegalArgumentException("expected format " + FORMAT + "; got " + format);
          }
          return items(in, space);
        });
  }

  public static <T> void items(
      DataOutputStream out, VersionSpace<T> space, List<IndexEntry<T>> items) throws IOException {
    byte[] before = new byte[0];
    long sequence = 0;
    ValueLocation.Packed packed = NO_PACK;
    CompactEncoding.number(out, items.size());
    for (IndexEntry<T> indexEntry : items) {
      byte[] version = space.write(indexEntry.version());
      byte[] near = CompactEncoding.near(before, version);
      boolean nextSequence = indexEntry.sequence() == sequence + 1;
      boolean nextInPack = indexEntry.place().equals(packed.next());
      out.writeByte(
          kind(indexEntry.place())
              | (nextSequence ? NEXT_SEQUENCE : 0)
              | (nextInPack ? NEXT_IN_PACK : 0)
              | (near.length > 0 ? NEAR_VERSION : 0));
      if (near.length > 0) {
        out.write(near);
      } else {
        CompactEncoding.like(out, before, version);
      }
      if (!nextSequence) {
        CompactEncoding.difference(out, indexEntry.sequence() - sequence);
      }
      if (indexEntry.place() instanceof ValueLocation.Inline inline) {
        CompactEncoding.bytes(out, inline.value());
      } else if (indexEntry.place() instanceof ValueLocation.Packed now) {
        if (!nextInPack) {
          CompactEncoding.difference(out, now.pack() - packed.pack());
          CompactEncoding.number(out, now.index());
        }
        packed = now;
      }
      before = version;
      sequence = indexEntry.sequence();
    }
  }

  private static int kind(ValueLocation place) {
    if (place instanceof ValueLocation.Inline) {
      return INLINE;
    }
    return place instanceof ValueLocation.Packed ? PACKED : REMOVED;
  }

  public static <T> List<IndexEntry<T>> items(DataInputStream in, VersionSpace<T> space)
      throws IOException {
    int count = CompactEncoding.count(in);
    List<IndexEntry<T>> items = new ArrayList<>(count);
    byte[] version = new byte[0];
    long sequence = 0;
    ValueLocation.Packed packed = NO_PACK;
    for (int i = 0; i < count; i++) {
      int first = in.readUnsignedByte();
      if ((first & ~(KIND | FLAGS)) != 0) {
        throw new IllegalArgumentException("unknown flags of an item: " + first);
      }
      version =
          (first & NEAR_VERSION) != 0
              ? CompactEncoding.near(in, version)
              : CompactEncoding.like(in, version);
      sequence += (first & NEXT_SEQUENCE) != 0 ? 1 : CompactEncoding.difference(in);
      ValueLocation place;
      switch (first & KIND) {
        case INLINE -> place = new ValueLocation.Inline(CompactEncoding.bytes(in));
        case PACKED -> {
          packed = (first & NEXT_IN_PACK) != 0 ? packed.next() : packed(in, packed);
          place = packed;
        }
        case REMOVED -> place = new ValueLocation.Removed();
        default -> throw new IllegalArgumentException("unknown location: " + (first & KIND));
      }
      items.add(new IndexEntry<>(space.read(version), sequence, place));
    }
    return items;
  }

  private static ValueLocation.Packed packed(DataInputStream in, ValueLocation.Packed before)
      throws IOException {
    return new ValueLocation.Packed(
        before.pack() + CompactEncoding.difference(in), CompactEncoding.small(in));
  }
}

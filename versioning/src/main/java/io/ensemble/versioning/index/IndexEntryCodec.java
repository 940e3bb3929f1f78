package io.ensemble.versioning.index;

import io.ensemble.versioning.order.VersionSpace;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Encodes items of an index in their order, each as its difference from the previous one. */
public final class IndexEntryCodec {

  private static final int FORMAT = 1;
  private static final int REMOVED = 0;
  private static final int INLINE = 1;
  private static final int PACKED = 2;

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
    long pack = 0;
    CompactEncoding.number(out, items.size());
    for (IndexEntry<T> indexEntry : items) {
      byte[] version = space.write(indexEntry.version());
      CompactEncoding.like(out, before, version);
      CompactEncoding.difference(out, indexEntry.sequence() - sequence);
      before = version;
      sequence = indexEntry.sequence();
      if (indexEntry.place() instanceof ValueLocation.Inline inline) {
        out.writeByte(INLINE);
        CompactEncoding.bytes(out, inline.value());
      } else if (indexEntry.place() instanceof ValueLocation.Packed packed) {
        out.writeByte(PACKED);
        CompactEncoding.difference(out, packed.pack() - pack);
        CompactEncoding.number(out, packed.index());
        pack = packed.pack();
      } else {
        out.writeByte(REMOVED);
      }
    }
  }

  public static <T> List<IndexEntry<T>> items(DataInputStream in, VersionSpace<T> space)
      throws IOException {
    int count = CompactEncoding.count(in);
    List<IndexEntry<T>> items = new ArrayList<>(count);
    byte[] version = new byte[0];
    long sequence = 0;
    long pack = 0;
    for (int i = 0; i < count; i++) {
      version = CompactEncoding.like(in, version);
      sequence += CompactEncoding.difference(in);
      int kind = in.readByte();
      ValueLocation place;
      if (kind == INLINE) {
        place = new ValueLocation.Inline(CompactEncoding.bytes(in));
      } else if (kind == PACKED) {
        pack += CompactEncoding.difference(in);
        place = new ValueLocation.Packed(pack, CompactEncoding.small(in));
      } else if (kind == REMOVED) {
        place = new ValueLocation.Removed();
      } else {
        throw new IllegalArgumentException("unknown location: " + kind);
      }
      items.add(new IndexEntry<>(space.read(version), sequence, place));
    }
    return items;
  }
}

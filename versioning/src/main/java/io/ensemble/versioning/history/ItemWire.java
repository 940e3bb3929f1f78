package io.ensemble.versioning.history;

import io.ensemble.versioning.order.VersionSpace;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Items of an index as bytes, in their order, each by what differs from the one before. */
public final class ItemWire {

  private static final int FORMAT = 1;
  private static final int REMOVED = 0;
  private static final int INLINE = 1;
  private static final int PACKED = 2;

  private ItemWire() {}

  /** A shard's entry. */
  public static <T> byte[] write(VersionSpace<T> space, List<Item<T>> items) {
    return Wire.written(
        out -> {
          out.writeByte(FORMAT);
          items(out, space, items);
        });
  }

  /**
   * What {@link #write} wrote.
   *
   * @throws IllegalArgumentException if that it was not
   */
  public static <T> List<Item<T>> read(VersionSpace<T> space, byte[] bytes) {
    return Wire.read(
        bytes,
        in -> {
          int format = in.readByte();
          if (format != FORMAT) {
            throw new IllegalArgumentException("format " + FORMAT + " is wanted; got " + format);
          }
          return items(in, space);
        });
  }

  static <T> void items(DataOutputStream out, VersionSpace<T> space, List<Item<T>> items)
      throws IOException {
    byte[] before = new byte[0];
    long sequence = 0;
    long pack = 0;
    Wire.number(out, items.size());
    for (Item<T> item : items) {
      byte[] version = space.write(item.version());
      Wire.like(out, before, version);
      Wire.difference(out, item.sequence() - sequence);
      before = version;
      sequence = item.sequence();
      if (item.place() instanceof Place.Inline inline) {
        out.writeByte(INLINE);
        Wire.bytes(out, inline.value());
      } else if (item.place() instanceof Place.Packed packed) {
        out.writeByte(PACKED);
        Wire.difference(out, packed.pack() - pack);
        Wire.number(out, packed.index());
        pack = packed.pack();
      } else {
        out.writeByte(REMOVED);
      }
    }
  }

  static <T> List<Item<T>> items(DataInputStream in, VersionSpace<T> space) throws IOException {
    int count = Wire.count(in);
    List<Item<T>> items = new ArrayList<>(count);
    byte[] version = new byte[0];
    long sequence = 0;
    long pack = 0;
    for (int i = 0; i < count; i++) {
      version = Wire.like(in, version);
      sequence += Wire.difference(in);
      int kind = in.readByte();
      Place place;
      if (kind == INLINE) {
        place = new Place.Inline(Wire.bytes(in));
      } else if (kind == PACKED) {
        pack += Wire.difference(in);
        place = new Place.Packed(pack, Wire.small(in));
      } else if (kind == REMOVED) {
        place = new Place.Removed();
      } else {
        throw new IllegalArgumentException("no such place: " + kind);
      }
      items.add(new Item<>(space.read(version), sequence, place));
    }
    return items;
  }
}

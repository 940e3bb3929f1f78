package io.ensemble.versioning.index;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * Encodes the values of a pack: each complete, or as its difference from the previous one in the
 * same pack. So one pack is sufficient to decode a value.
 */
public final class PackCodec {

  private static final int WHOLE = 1;
  private static final int DELTAS = 2;
  private static final int CHUNK = 4096;

  private PackCodec() {}

  /**
   * Encodes the entry of a pack.
   *
   * @param deltas whether values are similar to those before them
   */
  public static byte[] write(List<byte[]> values, boolean deltas) {
    return CompactEncoding.written(
        out -> {
          out.writeByte(deltas ? DELTAS : WHOLE);
          CompactEncoding.number(out, values.size());
          byte[] before = new byte[0];
          for (byte[] value : values) {
            if (deltas) {
              CompactEncoding.number(out, value.length);
              CompactEncoding.bytes(out, deflated(before, value));
            } else {
              CompactEncoding.bytes(out, value);
            }
            before = value;
          }
        });
  }

  /**
   * Decodes the bytes of {@link #write}.
   *
   * @throws IllegalArgumentException if the bytes have another form
   */
  public static List<byte[]> read(byte[] bytes) {
    return CompactEncoding.read(
        bytes,
        in -> {
          int format = in.readByte();
          if (format != WHOLE && format != DELTAS) {
            throw new IllegalArgumentException("unknown pack format: " + format);
          }
          int count = CompactEncoding.count(in);
          List<byte[]> values = new ArrayList<>(count);
          byte[] before = new byte[0];
          for (int i = 0; i < count; i++) {
            before =
                format == WHOLE
                    ? CompactEncoding.bytes(in)
                    : inflated(before, CompactEncoding.number(in), CompactEncoding.bytes(in));
            values.add(before);
          }
          return values;
        });
  }

  private static byte[] deflated(byte[] before, byte[] value) {
    Deflater deflater = new Deflater(Deflater.BEST_SPEED, true);
    try {
      deflater.setDictionary(before);
      deflater.setInput(value);
      deflater.finish();
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      byte[] chunk = new byte[CHUNK];
      while (!deflater.finished()) {
        out.write(chunk, 0, deflater.deflate(chunk));
      }
      return out.toByteArray();
    } finally {
      deflater.end();
    }
  }

  private static byte[] inflated(byte[] before, long length, byte[] deflated) {
    if (length < 0 || length > Integer.MAX_VALUE - CHUNK) {
      throw new IllegalArgumentException("a value of " + length + " bytes");
    }
    Inflater inflater = new Inflater(true);
    try {
      inflater.setDictionary(before);
      inflater.setInput(deflated);
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      byte[] chunk = new byte[CHUNK];
      while (out.size() < length) {
        int more = inflater.inflate(chunk);
        if (more == 0) {
          break;
        }
        out.write(chunk, 0, more);
      }
      if (out.size() != length) {
        throw new IllegalArgumentException(
            "a value must have " + length + " bytes; got " + out.size());
      }
      return out.toByteArray();
    } catch (DataFormatException e) {
      throw new IllegalArgumentException(
          "a value that cannot be restored from the previous one", e);
    } finally {
      inflater.end();
    }
  }
}

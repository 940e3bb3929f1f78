package io.ensemble.spark;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Collection;

/**
 * A file of changes that follow one another, and the position of the stream after them.
 *
 * @param first the number of its first change; changes are numbered from 0
 * @param next the number after its last change; {@code first} if it has only the position
 * @param schema the columns of the changes, as JSON
 * @param position where a stream continues after these changes
 */
record SpoolSegment(long first, long next, String schema, String position) {

  private static final int FORMAT = 0x454e_5301;
  private static final int MOST_BYTES = 1 << 30;

  int rows() {
    return Math.toIntExact(next - first);
  }

  /** Writes the segment with its rows. */
  void write(DataOutputStream out, Collection<byte[]> rows) throws IOException {
    if (rows.size() != rows()) {
      throw new IllegalArgumentException("expected %d rows got %d".formatted(rows(), rows.size()));
    }
    out.writeInt(FORMAT);
    out.writeLong(first);
    out.writeLong(next);
    writeBytes(out, schema.getBytes(UTF_8));
    writeBytes(out, position.getBytes(UTF_8));
    for (byte[] row : rows) {
      writeBytes(out, row);
    }
  }

  private static void writeBytes(DataOutputStream out, byte[] bytes) throws IOException {
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  /**
   * Reads a segment; its rows follow in the stream, each to be read with {@link #readRow}.
   *
   * @throws IOException if this is no segment
   */
  static SpoolSegment read(DataInputStream in) throws IOException {
    int format = in.readInt();
    if (format != FORMAT) {
      throw new IOException("expected format %08x got %08x".formatted(FORMAT, format));
    }
    long first = in.readLong();
    long next = in.readLong();
    return new SpoolSegment(
        first, next, new String(readRow(in), UTF_8), new String(readRow(in), UTF_8));
  }

  static byte[] readRow(DataInputStream in) throws IOException {
    int length = in.readInt();
    if (length < 0 || length > MOST_BYTES) {
      throw new IOException("expected a length in [0, %d] got %d".formatted(MOST_BYTES, length));
    }
    byte[] bytes = new byte[length];
    in.readFully(bytes);
    return bytes;
  }
}

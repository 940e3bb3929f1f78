package io.ensemble.benchmarks.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Records, which are maps of named fields, as bytes: the number of fields, then for each, in the
 * order of names, its name and its content, both preceded by their length. Numbers take seven bits
 * a byte. Equal records have equal bytes.
 */
public final class RecordCodec {

  private RecordCodec() {}

  /** The bytes of a record. */
  public static byte[] encode(Map<String, byte[]> fields) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    SortedMap<String, byte[]> sorted = new TreeMap<>(fields);
    number(out, sorted.size());
    sorted.forEach(
        (name, content) -> {
          sized(out, name.getBytes(UTF_8));
          sized(out, content);
        });
    return out.toByteArray();
  }

  /**
   * The fields of a record.
   *
   * @param wanted the names of the fields; null for all
   * @throws IllegalArgumentException if {@code record} is not an output of {@link #encode}
   */
  public static SortedMap<String, byte[]> decode(byte[] record, @Nullable Set<String> wanted) {
    RecordParser in = new RecordParser(record);
    SortedMap<String, byte[]> fields = new TreeMap<>();
    int count = in.number();
    for (int i = 0; i < count; i++) {
      String name = new String(in.sized(), UTF_8);
      if (wanted == null || wanted.contains(name)) {
        fields.put(name, in.sized());
      } else {
        in.skip();
      }
    }
    if (in.at != record.length) {
      throw new IllegalArgumentException(
          "a record ends with its last field; bytes=" + record.length);
    }
    return fields;
  }

  /** The record with {@code changes}, which replace fields of the same name. */
  public static byte[] merge(byte[] record, Map<String, byte[]> changes) {
    SortedMap<String, byte[]> fields = decode(record, null);
    fields.putAll(changes);
    return encode(fields);
  }

  private static void sized(ByteArrayOutputStream out, byte[] bytes) {
    number(out, bytes.length);
    out.writeBytes(bytes);
  }

  private static void number(ByteArrayOutputStream out, int number) {
    int rest = number;
    while (rest > 0x7f) {
      out.write(rest & 0x7f | 0x80);
      rest >>>= 7;
    }
    out.write(rest);
  }

  private static final class RecordParser {

    private final byte[] bytes;
    private int at;

    RecordParser(byte[] bytes) {
      this.bytes = bytes;
    }

    int number() {
      int number = 0;
      for (int shift = 0; shift < 32; shift += 7) {
        require(1);
        int next = bytes[at++];
        number |= (next & 0x7f) << shift;
        if (next >= 0) {
          return number;
        }
      }
      throw new IllegalArgumentException("a number in a record has five bytes at most; at=" + at);
    }

    byte[] sized() {
      int length = number();
      require(length);
      byte[] content = new byte[length];
      System.arraycopy(bytes, at, content, 0, length);
      at += length;
      return content;
    }

    void skip() {
      int length = number();
      require(length);
      at += length;
    }

    private void require(int count) {
      if (count < 0 || count > bytes.length - at) {
        throw new IllegalArgumentException(
            "a record is shorter than it says; bytes=%d at=%d expected=%d"
                .formatted(bytes.length, at, count));
      }
    }
  }
}

package io.ensemble.versioning.listen;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * The position of a subscription: for each key, the last delivered version. Immutable. A
 * subscription that begins from it, in any process, continues exactly after those versions; for a
 * key without a position it delivers all versions.
 *
 * <p>The encoded form has, for each key, four thirds of its length plus 18 bytes.
 */
public final class SubscriptionPosition {

  /** The position before all versions. */
  public static final SubscriptionPosition BEGINNING = new SubscriptionPosition("", Map.of());

  private static final int FORMAT = 1;

  private final String cache;
  private final Map<String, KeyPosition> positions;

  /**
   * Makes a position.
   *
   * @param cache its name; empty for any
   * @param positions the positions by the names of keys
   */
  SubscriptionPosition(String cache, Map<String, KeyPosition> positions) {
    this.cache = cache;
    this.positions = Map.copyOf(positions);
  }

  Map<String, KeyPosition> positions() {
    return positions;
  }

  /** Throws {@link IllegalArgumentException} if it is a position of another cache. */
  void check(String wanted) {
    if (!cache.isEmpty() && !cache.equals(wanted)) {
      throw new IllegalArgumentException(
          "position must be of cache " + wanted + "; got one of " + cache);
    }
  }

  /** Encodes the position for storage. Equal positions have equal bytes. */
  public byte[] bytes() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(FORMAT);
      out.writeUTF(cache);
      out.writeInt(positions.size());
      for (Map.Entry<String, KeyPosition> one : new TreeMap<>(positions).entrySet()) {
        out.writeUTF(one.getKey());
        out.writeLong(one.getValue().history());
        out.writeLong(one.getValue().sequence());
      }
    } catch (IOException e) {
      throw new AssertionError("writing to memory cannot fail", e);
    }
    return bytes.toByteArray();
  }

  /**
   * Decodes the bytes of {@link #bytes}.
   *
   * @throws IllegalArgumentException if the bytes have another form
   */
  public static SubscriptionPosition of(byte[] bytes) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      int format = in.readByte();
      if (format != FORMAT) {
        throw new IllegalArgumentException(
            "position must have format " + FORMAT + "; got " + format);
      }
      String cache = in.readUTF();
      int count = in.readInt();
      Map<String, KeyPosition> positions = new HashMap<>();
      for (int i = 0; i < count; i++) {
        positions.put(in.readUTF(), keyPosition(in));
      }
      if (count < 0 || positions.size() != count || in.read() >= 0) {
        throw new IllegalArgumentException("malformed or incomplete position");
      }
      return new SubscriptionPosition(cache, positions);
    } catch (IOException e) {
      throw new IllegalArgumentException("malformed or incomplete position", e);
    }
  }

  private static KeyPosition keyPosition(DataInputStream in) throws IOException {
    long history = in.readLong();
    long sequence = in.readLong();
    if (sequence < 0 || history == 0 && sequence > 0) {
      throw new IllegalArgumentException("no version has the sequence number " + sequence);
    }
    return new KeyPosition(history, sequence);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SubscriptionPosition p
        && cache.equals(p.cache)
        && positions.equals(p.positions);
  }

  @Override
  public int hashCode() {
    return Objects.hash(cache, positions);
  }

  @Override
  public String toString() {
    return "position in "
        + positions.size()
        + " keys of "
        + (cache.isEmpty() ? "any cache" : cache);
  }
}

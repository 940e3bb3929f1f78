package io.ensemble.listen;

import io.ensemble.ChangeStamp;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a reader of a stream has received: a watermark, and the last change of each key above it. A
 * stamp alone would not do, because writes of different keys are chosen out of the order of their
 * stamps.
 *
 * @param cache a number of the cache and the selection of keys, different for another cache of the
 *     same name
 * @param configuration the number of the configuration of {@code watermark}
 * @param watermark every acknowledged write of the configuration up to this time, in microseconds,
 *     was shown, overwritten, or covered by a gap
 * @param unlisted the highest change above the watermark that was shown and is not in {@code shown}
 * @param shown the last change of each key that was shown, if it is above the watermark, by the
 *     hashes of the keys
 */
public record ListenPosition(
    long cache,
    long configuration,
    long watermark,
    ChangeStamp unlisted,
    Map<Long, LastShown> shown) {

  private static final byte FORMAT = 2;
  private static final int MOST_BYTES = 1 << 24;
  private static final int HEADER = 1 + 5 * Long.BYTES;
  private static final int GROUP_HEADER = Long.BYTES + Integer.BYTES;

  /** Whether a position covers a change. */
  enum Coverage {
    /** The change was shown, was overwritten by one that was shown, or was covered by a gap. */
    SHOWN,
    /** The change may have been shown. */
    UNKNOWN,
    /** The change was not shown. */
    NEW
  }

  /**
   * The last change of a key that was shown.
   *
   * @param configuration that of its stamp
   * @param micros the time of its stamp, below 2^52
   * @param writer the highest twelve bits of the writer's id, which tell writers of the same time
   *     apart, almost certainly, and order them
   */
  public record LastShown(long configuration, long micros, int writer)
      implements Comparable<LastShown> {

    private static final int WRITER_BITS = 12;

    static LastShown of(ChangeStamp stamp) {
      long writer = stamp.stamp().writer().high() >>> Long.SIZE - WRITER_BITS;
      return new LastShown(stamp.configuration(), stamp.stamp().micros(), (int) writer);
    }

    /** The last one of that time. */
    static LastShown lastOf(long configuration, long micros) {
      return new LastShown(configuration, micros, (1 << WRITER_BITS) - 1);
    }

    /** Whether {@code id}, a change of the same key, is this one or an earlier one. */
    boolean covers(ChangeStamp id) {
      return compareTo(of(id)) >= 0;
    }

    /** In the order of stamps. */
    @Override
    public int compareTo(LastShown other) {
      int byConfiguration = Long.compare(configuration, other.configuration);
      return byConfiguration != 0 ? byConfiguration : Long.compareUnsigned(word(), other.word());
    }

    private long word() {
      return micros << WRITER_BITS | writer;
    }

    private static LastShown of(long configuration, long word) {
      return new LastShown(
          configuration, word >>> WRITER_BITS, (int) word & ((1 << WRITER_BITS) - 1));
    }
  }

  public ListenPosition {
    shown = Map.copyOf(shown);
  }

  /** Whether this position covers a change. */
  Coverage coverage(long keyHash, ChangeStamp id) {
    boolean isBelow =
        id.configuration() < configuration
            || id.configuration() == configuration && id.stamp().micros() <= watermark;
    if (isBelow || isShown(keyHash, id)) {
      return Coverage.SHOWN;
    }
    return id.isAfter(unlisted) ? Coverage.NEW : Coverage.UNKNOWN;
  }

  /** Whether the position lists this change or a later one of the key. */
  boolean isShown(long keyHash, ChangeStamp id) {
    @Nullable LastShown last = shown.get(keyHash);
    return last != null && last.covers(id);
  }

  /** The position as text, in characters that are safe in a URL and in a header. */
  public String toText() {
    TreeMap<Long, TreeMap<Long, LastShown>> groups = new TreeMap<>();
    shown.forEach(
        (key, last) ->
            groups.computeIfAbsent(last.configuration(), none -> new TreeMap<>()).put(key, last));
    ByteBuffer bytes =
        ByteBuffer.allocate(HEADER + groups.size() * GROUP_HEADER + shown.size() * 2 * Long.BYTES);
    bytes.put(FORMAT).putLong(cache).putLong(configuration).putLong(watermark);
    bytes.putLong(unlisted.configuration()).putLong(unlisted.stamp().micros());
    groups.forEach(
        (number, group) -> {
          bytes.putLong(number).putInt(group.size());
          group.forEach((key, last) -> bytes.putLong(key).putLong(last.word()));
        });
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
  }

  /**
   * The position of that text.
   *
   * @throws IllegalArgumentException if the text is not one of {@link #toText}
   */
  public static ListenPosition parse(String text) {
    try {
      if (text.length() > MOST_BYTES) {
        throw new IllegalArgumentException("too long");
      }
      ByteBuffer bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(text));
      if (bytes.get() != FORMAT) {
        throw new IllegalArgumentException("unknown format");
      }
      long cache = bytes.getLong();
      long configuration = bytes.getLong();
      long watermark = bytes.getLong();
      ChangeStamp unlisted = top(bytes.getLong(), bytes.getLong());
      Map<Long, LastShown> shown = new HashMap<>();
      while (bytes.hasRemaining()) {
        long number = bytes.getLong();
        for (int left = bytes.getInt(); left > 0; left--) {
          shown.put(bytes.getLong(), LastShown.of(number, bytes.getLong()));
        }
      }
      return new ListenPosition(cache, configuration, watermark, unlisted, shown);
    } catch (IllegalArgumentException | BufferUnderflowException malformed) {
      throw new IllegalArgumentException(
          "malformed position; expected one that a stream of this cache returned, got "
              + text.length()
              + " characters",
          malformed);
    }
  }

  /** The highest stamp of that time, or none. */
  static ChangeStamp top(long configuration, long micros) {
    return micros == 0
        ? ChangeStamp.NONE
        : new ChangeStamp(configuration, new Stamp(micros, new WriterId(-1, -1)));
  }
}

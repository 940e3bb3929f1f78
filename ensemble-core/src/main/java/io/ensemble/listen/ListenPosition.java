package io.ensemble.listen;

import io.ensemble.ChangeStamp;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.List;
import java.util.Set;

/**
 * What a reader of a stream has received: a watermark, and the changes above it. A stamp alone
 * would not do, because writes of different keys are chosen out of the order of their stamps.
 *
 * @param cache a number of the cache, different for another cache of the same name
 * @param configuration the number of the configuration of {@code watermark}
 * @param watermark every acknowledged write of the configuration up to this time, in microseconds,
 *     was shown, overwritten, or covered by a gap
 * @param highest no change that was shown is above this one
 * @param unlisted the highest change above the watermark that was shown and is not in {@code shown}
 * @param shown fingerprints of changes above the watermark that were shown, in the order of their
 *     stamps
 */
public record ListenPosition(
    long cache,
    long configuration,
    long watermark,
    ChangeStamp highest,
    ChangeStamp unlisted,
    List<Long> shown) {

  private static final byte FORMAT = 2;
  private static final int MOST_BYTES = 1 << 24;
  private static final int NUMBERS = 7 * Long.BYTES;
  private static final int HEADER = 1 + NUMBERS;

  /** Whether a position covers a change. */
  enum Coverage {
    /** The change was shown, or was covered by a gap. */
    SHOWN,
    /** The change may have been shown. */
    UNKNOWN,
    /** The change was not shown. */
    NEW
  }

  public ListenPosition {
    shown = List.copyOf(shown);
  }

  /**
   * Whether this position covers a change.
   *
   * @param set the elements of {@link #shown}
   */
  Coverage coverage(long keyHash, ChangeStamp id, Set<Long> set) {
    boolean isBelow =
        id.configuration() < configuration
            || id.configuration() == configuration && id.stamp().micros() <= watermark;
    if (isBelow || set.contains(fingerprint(keyHash, id))) {
      return Coverage.SHOWN;
    }
    return id.isAfter(unlisted) ? Coverage.NEW : Coverage.UNKNOWN;
  }

  /** A number that identifies one change of one key, almost certainly. */
  static long fingerprint(long keyHash, ChangeStamp id) {
    long hash = mix(keyHash ^ mix(id.configuration()));
    hash = mix(hash ^ id.stamp().micros());
    return mix(hash ^ id.stamp().writer().low());
  }

  private static long mix(long hash) {
    long mixed = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
    mixed = (mixed ^ (mixed >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return mixed ^ (mixed >>> 33);
  }

  /** The position as text, in characters that are safe in a URL and in a header. */
  public String toText() {
    ByteBuffer bytes = ByteBuffer.allocate(HEADER + shown.size() * Long.BYTES);
    bytes.put(FORMAT).putLong(cache).putLong(configuration).putLong(watermark);
    bytes.putLong(highest.configuration()).putLong(highest.stamp().micros());
    bytes.putLong(unlisted.configuration()).putLong(unlisted.stamp().micros());
    shown.forEach(bytes::putLong);
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
      if (bytes.get() != FORMAT || (bytes.remaining() - NUMBERS) % Long.BYTES != 0) {
        throw new IllegalArgumentException("unknown format");
      }
      long cache = bytes.getLong();
      long configuration = bytes.getLong();
      long watermark = bytes.getLong();
      ChangeStamp highest = top(bytes.getLong(), bytes.getLong());
      ChangeStamp unlisted = top(bytes.getLong(), bytes.getLong());
      Long[] shown = new Long[bytes.remaining() / Long.BYTES];
      for (int i = 0; i < shown.length; i++) {
        shown[i] = bytes.getLong();
      }
      return new ListenPosition(cache, configuration, watermark, highest, unlisted, List.of(shown));
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

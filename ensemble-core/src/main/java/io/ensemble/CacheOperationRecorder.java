package io.ensemble;

import io.ensemble.site.Bytes;

/**
 * Observes the operations on one open cache. Methods are called by the threads that complete the
 * operations, concurrently, and must not block. After an exception the recorder is no longer
 * called.
 *
 * <p>A key is passed as {@link io.ensemble.codec.Codec} encodes it; the array must not be changed.
 * For a {@linkplain Privacy private} cache 16 bytes are passed instead: an HMAC of the key, whose
 * secret is derived from the cache's keyset.
 */
public interface CacheOperationRecorder {

  /** The size of a value that is absent, or not known. */
  int NO_VALUE = -1;

  /** The time of a request that failed, or was not measured. */
  long NO_TIME = -1;

  /**
   * A call that wrote nothing has ended, whether or not it succeeded. Scans are not reported.
   *
   * @param valueBytes the size of the value that was found, encoded and not encrypted; {@link
   *     #NO_VALUE} if there was none, or the call failed
   */
  void read(Bytes key, int valueBytes);

  /**
   * A call that wrote, or tried to, has ended. {@code clear} is not reported.
   *
   * @param valueBytes the size of the value to write; {@link #NO_VALUE} for a removal
   */
  void write(Bytes key, int valueBytes);

  /**
   * A request to a site has ended: of a call, or of background work such as a repair. A distributed
   * cache reports the requests of calls on it; its parts report these too, and those of background
   * work.
   *
   * @param site the site, or the replica if the site has several, such as {@code lyon/2}
   * @param writes whether the request may change data at the site
   * @param nanos the time until the answer, in nanoseconds; {@link #NO_TIME} if the request failed,
   *     was reported by a distributed cache, or is one of those that are not measured
   */
  void request(String site, boolean writes, long nanos);
}

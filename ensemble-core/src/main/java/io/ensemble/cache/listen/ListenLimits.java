package io.ensemble.cache.listen;

import java.time.Duration;

/**
 * The bounds of a stream of changes.
 *
 * @param maxKeys how many keys the stream may follow; with more, the stream ends with a failure
 * @param maxPending how many writes may wait for proof that they are chosen
 * @param maxBufferedEvents how many events wait for the reader
 * @param maxBufferedBytes how many bytes of keys and values wait for the reader. Unproven values,
 *     and values that wait until the configuration is confirmed, have the same bound each
 * @param maxListed how many changes a position lists
 * @param pollInterval the pause between two rounds while some replica reports no entries
 * @param scanInterval the pause between two rounds while all replicas report their entries
 * @param openingPatience how long a stream that opens, or meets another configuration, waits for
 *     further replicas after as many as it requires were scanned. A replica that is not observed
 *     yet does not prove writes in a fast round, and may leave gaps
 */
public record ListenLimits(
    int maxKeys,
    int maxPending,
    int maxBufferedEvents,
    long maxBufferedBytes,
    int maxListed,
    Duration pollInterval,
    Duration scanInterval,
    Duration openingPatience) {

  /** The limits unless others are given. */
  public static final ListenLimits STANDARD =
      new ListenLimits(
          1_000_000,
          10_000,
          10_000,
          16L << 20,
          65_536,
          Duration.ofSeconds(1),
          Duration.ofSeconds(30),
          Duration.ofSeconds(1));
}

package io.ensemble.benchmarks.outage;

import java.util.List;
import java.util.Optional;

/** Whether what was acknowledged is still there. Pure. */
final class LostWriteCount {

  private LostWriteCount() {}

  /**
   * How many acknowledged writes of a key are certainly lost: those that began after the one had
   * ended whose value is found, or all if only the value is found that was there before them, or
   * none. Nothing is certain when the value found is of a write that may take effect at any time.
   *
   * @param writes all writes of the key
   * @param found who wrote the value that is there, negative if it was there before; empty when
   *     there is none
   * @throws IllegalArgumentException if nobody has written the value
   */
  static long of(List<OperationSample> writes, Optional<Long> found) {
    long since = Long.MIN_VALUE;
    if (found.isPresent() && found.get() >= 0) {
      OperationSample winner =
          writes.stream()
              .filter(write -> write.number() == found.get())
              .findFirst()
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "a value that nobody has written; number=" + found.get()));
      since = winner.done() ? winner.endedNanos() : Long.MAX_VALUE;
    }
    long after = since;
    return writes.stream().filter(write -> write.done() && write.begunNanos() > after).count();
  }
}

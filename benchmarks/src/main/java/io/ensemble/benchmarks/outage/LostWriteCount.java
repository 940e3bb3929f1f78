package io.ensemble.benchmarks.outage;

import java.util.List;
import java.util.Optional;

/** Counts acknowledged writes that are lost. Pure. */
final class LostWriteCount {

  private LostWriteCount() {}

  /**
   * The number of acknowledged writes of a key that are certainly lost. These are the writes that
   * began after the write of the found value had ended. If the found value is older than all
   * writes, or there is none, they are all writes. No loss is certain if the found value is of a
   * write that may take effect at any time.
   *
   * @param writes all writes of the key
   * @param found the number of the write of the found value, negative if the value is older; empty
   *     when there is none
   * @throws IllegalArgumentException if no write wrote the value
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
                          "a value that was not written; number=" + found.get()));
      since = winner.done() ? winner.endedNanos() : Long.MAX_VALUE;
    }
    long after = since;
    return writes.stream().filter(write -> write.done() && write.begunNanos() > after).count();
  }
}

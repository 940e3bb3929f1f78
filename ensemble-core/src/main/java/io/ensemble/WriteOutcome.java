package io.ensemble;

import io.ensemble.stamp.Stamp;
import org.jspecify.annotations.Nullable;

/**
 * How a write, or any operation that may write, ended. {@link Applied} and {@link Superseded} are
 * ends that a caller need not worry about; after {@link Refused} a retry is safe; after {@link
 * Unknown} it is safe only for writes that may be applied twice.
 *
 * @param <R> what the operation answers
 */
public sealed interface WriteOutcome<R> {

  /**
   * The operation took effect, as far as the cache's mode promises.
   *
   * @param result the operation's answer; null where it has none
   * @param stamp the stamp of the entry that was written or, when nothing was, of the one that was
   *     found. In MWMR and SWMR, writes of one key that waited for each other in one process may be
   *     batched; they all have the stamp of the entry that the batch wrote
   * @param wrote whether it changed the entry; false for an unmet condition
   */
  record Applied<R>(@Nullable R result, Stamp stamp, boolean wrote) implements WriteOutcome<R> {}

  /**
   * WEAK only: the write came after, in real time, but lost to a write with a higher stamp.
   *
   * @param by the stamp that won
   */
  record Superseded<R>(Stamp by) implements WriteOutcome<R> {}

  /**
   * It certainly had no effect and never will.
   *
   * @param why who was missing
   */
  record Refused<R>(QuorumFailure why) implements WriteOutcome<R> {}

  /**
   * It may have taken effect, may still, or never will.
   *
   * @param why who was missing when the deadline came
   */
  record Unknown<R>(QuorumFailure why) implements WriteOutcome<R> {}
}

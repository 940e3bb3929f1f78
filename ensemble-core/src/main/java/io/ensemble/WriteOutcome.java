package io.ensemble;

import io.ensemble.stamp.Stamp;
import org.jspecify.annotations.Nullable;

/**
 * The end of a write, or of any operation that may write. {@link Applied} and {@link Superseded}
 * need no reaction of the caller. After {@link Refused} a retry is safe. After {@link Unknown} a
 * retry is safe only for writes that may be applied twice.
 *
 * @param <R> the type of the operation's result
 */
public sealed interface WriteOutcome<R> {

  /**
   * The operation took effect, as far as the cache's mode guarantees.
   *
   * @param result the operation's result; null if it has none
   * @param stamp the stamp of the write or, if nothing was written, of the write that was found:
   *     its position among the writes of its key. A stream of changes shows the write with the same
   *     stamp (see {@link ChangeStamp}), so a caller can recognise its own write there. In MWMR
   *     this is the ballot in which the write was first proposed. In MWMR and SWMR, writes of one
   *     key that waited for each other in one process may be batched; they all have the stamp of
   *     the entry that the batch wrote, and a stream shows that entry only. {@link EntryView#stamp}
   *     may differ
   * @param wrote whether the operation changed the entry; false for an unmet condition
   */
  record Applied<R>(@Nullable R result, Stamp stamp, boolean wrote) implements WriteOutcome<R> {}

  /**
   * WEAK only: the write came after, in real time, but lost to a write with a higher stamp.
   *
   * @param by the stamp that won
   */
  record Superseded<R>(Stamp by) implements WriteOutcome<R> {}

  /**
   * The operation certainly had no effect and never will.
   *
   * @param why which sites were missing
   */
  record Refused<R>(QuorumFailure why) implements WriteOutcome<R> {}

  /**
   * The operation may have taken effect, may still, or never will.
   *
   * @param why which sites were missing at the deadline
   */
  record Unknown<R>(QuorumFailure why) implements WriteOutcome<R> {}
}

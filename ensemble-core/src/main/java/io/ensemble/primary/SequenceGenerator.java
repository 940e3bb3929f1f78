package io.ensemble.primary;

import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.util.function.LongUnaryOperator;

/**
 * The sequences of one writer.
 *
 * @param writer the process that writes
 * @param after a number above the given one and above every number that it gave before; hybrid time
 *     in microseconds, so that it also shows when the write took place
 */
public record SequenceGenerator(WriterId writer, LongUnaryOperator after) {

  static final SequenceGenerator FOR_NOBODY =
      new SequenceGenerator(
          WriterId.NONE,
          previous -> {
            throw new AssertionError("only the writer generates sequence numbers");
          });

  /**
   * The position of a write that replaces {@code previous}. Its sequence is also above the time of
   * the write that wrote {@code previous} in a former epoch, so that stamps grow along the history
   * of a key although writers' clocks differ.
   */
  CopyPosition next(Copy<?> previous, long epoch) {
    CopyPosition mark = previous.mark();
    long last = mark.epoch() == epoch ? mark.sequence() : 0;
    long floor = Math.max(previous.origin().micros(), CopyPosition.FIRST_SEQUENCE - 1);
    return new CopyPosition(epoch, after.applyAsLong(Math.max(last, floor)));
  }

  Stamp stamp(CopyPosition copyPosition) {
    return new Stamp(copyPosition.sequence(), writer);
  }
}

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

  CopyPosition next(CopyPosition previous, long epoch) {
    long last = previous.epoch() == epoch ? previous.sequence() : 0;
    return new CopyPosition(
        epoch, after.applyAsLong(Math.max(last, CopyPosition.FIRST_SEQUENCE - 1)));
  }

  Stamp stamp(CopyPosition copyPosition) {
    return new Stamp(copyPosition.sequence(), writer);
  }
}

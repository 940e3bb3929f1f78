package io.ensemble.primary;

import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.util.function.LongUnaryOperator;

/**
 * The sequences of one writer.
 *
 * @param writer who writes
 * @param after a number above the given one and above every number that it gave before; hybrid time
 *     in microseconds, so that it also tells when
 */
public record Sequences(WriterId writer, LongUnaryOperator after) {

  static final Sequences FOR_NOBODY =
      new Sequences(
          WriterId.NONE,
          seen -> {
            throw new AssertionError("only a writer gives sequences");
          });

  Mark next(Mark seen, long epoch) {
    long last = seen.epoch() == epoch ? seen.sequence() : 0;
    return new Mark(epoch, after.applyAsLong(Math.max(last, Mark.FIRST_SEQUENCE - 1)));
  }

  Stamp stamp(Mark mark) {
    return new Stamp(mark.sequence(), writer);
  }
}

package io.ensemble.check.workload;

import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** A client of a counter. */
final class CounterUse implements ObjectUse {
  private final CheckedCounter counter;
  private long guess;

  CounterUse(CheckedCounter counter) {
    this.counter = counter;
  }

  @Override
  public ObjectCall next(SplittableRandom random, long fresh) {
    long amount = random.nextInt(1, 100);
    long expected = guess;
    return switch (random.nextInt(10)) {
      case 0, 1, 2 -> last();
      case 3, 4, 5 -> ObjectCall.of("inc", null, () -> counter.add(1));
      case 6 -> ObjectCall.of("add", amount, () -> counter.add(amount));
      case 7, 8 -> ObjectCall.of("get_and_add", amount, () -> counter.getAndAdd(amount));
      default ->
          ObjectCall.of(
              "cas", List.of(expected, fresh), () -> counter.compareAndSet(expected, fresh));
    };
  }

  @Override
  public void returned(ObjectCall call, @Nullable Object result) {
    if (result instanceof Long seen) {
      guess = seen;
    }
  }

  @Override
  public ObjectCall last() {
    return ObjectCall.of("get", null, counter::get);
  }
}

package io.ensemble.check.workload;

import io.ensemble.registers.RegisterObject;
import io.ensemble.registers.StateOperation;
import io.ensemble.registers.StateOperation.Effect;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** A client of a counter from registers. */
final class RegisterCounterUse implements ObjectUse {
  private final RegisterObject<Long> counter;
  private long guess;

  RegisterCounterUse(RegisterObject<Long> counter) {
    this.counter = counter;
  }

  @Override
  public ObjectCall next(SplittableRandom random, long fresh) {
    long amount = random.nextInt(1, 100);
    long expected = guess;
    return switch (random.nextInt(10)) {
      case 0, 1, 2 -> last();
      case 3, 4, 5 -> call("inc", null, count -> new Effect<>(count + 1, count + 1));
      case 6 -> call("add", amount, count -> new Effect<>(count + amount, count + amount));
      case 7, 8 -> call("get_and_add", amount, count -> new Effect<>(count + amount, count));
      default ->
          call(
              "cas",
              List.of(expected, fresh),
              count -> new Effect<>(count == expected ? fresh : count, count == expected));
    };
  }

  private ObjectCall call(String op, @Nullable Object in, StateOperation<Long, ?> operation) {
    return ObjectCall.of(op, in, () -> RegisterKind.resultOf(() -> counter.invoke(operation)));
  }

  @Override
  public void returned(ObjectCall call, @Nullable Object result) {
    if (result instanceof Long seen) {
      guess = seen;
    }
  }

  @Override
  public ObjectCall last() {
    return call("get", null, count -> new Effect<>(count, count));
  }
}

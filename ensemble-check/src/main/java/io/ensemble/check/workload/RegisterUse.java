package io.ensemble.check.workload;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** A client of a register. */
final class RegisterUse implements ObjectUse {
  private final CheckedRegister register;
  private @Nullable Long guess;

  RegisterUse(CheckedRegister register) {
    this.register = register;
  }

  @Override
  public ObjectCall next(SplittableRandom random, long fresh) {
    Long expected = guess;
    return switch (random.nextInt(20)) {
      case 0, 1, 2, 3, 4, 5 -> last();
      case 6, 7, 8 -> ObjectCall.of("write", fresh, () -> register.write(fresh));
      case 9, 10 -> ObjectCall.of("swap", fresh, () -> register.swap(fresh));
      case 11, 12, 13, 14 ->
          ObjectCall.of(
              "cas", Arrays.asList(expected, fresh), () -> register.compareAndSet(expected, fresh));
      case 15 -> ObjectCall.of("put_if_absent", fresh, () -> register.writeIfAbsent(fresh));
      case 16 -> ObjectCall.of("replace", fresh, () -> register.replace(fresh));
      case 17 -> ObjectCall.of("delete", null, () -> register.write(null));
      case 18 -> ObjectCall.of("get_and_remove", null, () -> register.swap(null));
      default -> ObjectCall.of("contains", null, register::isPresent);
    };
  }

  @Override
  public void returned(ObjectCall call, @Nullable Object result) {
    if (call.op().equals("read") || call.op().equals("swap")) {
      guess = (Long) result;
    }
  }

  @Override
  public ObjectCall last() {
    return ObjectCall.of("read", null, register::read);
  }
}

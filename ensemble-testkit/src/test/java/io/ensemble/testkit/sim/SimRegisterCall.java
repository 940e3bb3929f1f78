package io.ensemble.testkit.sim;

import io.ensemble.register.Update;
import io.ensemble.register.Update.Decision;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;

/** An operation of a user: its name and argument for the history, and its update. */
record SimRegisterCall(String op, Object in, Update<Long, Object> update) {

  /**
   * A random operation.
   *
   * @param fresh a value that was never written
   * @param guess a value that may be present
   */
  static SimRegisterCall random(SplittableRandom random, long fresh, long guess) {
    return switch (random.nextInt(14)) {
      case 0, 1, 2 -> read();
      case 3, 4 -> new SimRegisterCall("write", fresh, now -> Decision.write(fresh, null));
      case 5, 6, 7 ->
          new SimRegisterCall("cas", List.of(guess, fresh), now -> when(is(now, guess), fresh));
      case 8 -> new SimRegisterCall("put_if_absent", fresh, now -> when(now == null, fresh));
      case 9 -> new SimRegisterCall("replace", fresh, now -> when(now != null, fresh));
      case 10 -> new SimRegisterCall("swap", fresh, now -> Decision.write(fresh, now));
      case 11 -> new SimRegisterCall("remove_if", guess, now -> when(is(now, guess), null));
      case 12 -> new SimRegisterCall("contains", null, now -> Decision.keep(now != null));
      default -> remove(random.nextBoolean());
    };
  }

  static SimRegisterCall read() {
    return new SimRegisterCall("read", null, Decision::keep);
  }

  private static SimRegisterCall remove(boolean tellWhat) {
    return tellWhat
        ? new SimRegisterCall(
            "get_and_remove",
            null,
            now -> now == null ? Decision.keep(null) : Decision.write(null, now))
        : new SimRegisterCall("delete", null, now -> Decision.write(null, null));
  }

  private static boolean is(Long now, long wanted) {
    return Objects.equals(now, wanted);
  }

  private static Decision<Long, Object> when(boolean condition, Long value) {
    return condition ? Decision.write(value, true) : Decision.keep(false);
  }
}

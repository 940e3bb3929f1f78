package io.ensemble;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** Tries steps again and again, one that has failed after a pause only. For one thread. */
final class Attempts {

  static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(10);

  private final Failing failing;
  private final LongSupplier nanos;
  private final Map<Failing.Step, Long> notBefore = new HashMap<>();

  /**
   * @param nanos the time, from any beginning
   */
  Attempts(Failing failing, LongSupplier nanos) {
    this.failing = failing;
    this.nanos = nanos;
  }

  /**
   * Tries it, unless it failed just now. Does not fail.
   *
   * @param todo as of {@link Failing#told}
   */
  void attempt(Failing.Step step, BooleanSupplier todo) {
    Long pause = notBefore.get(step);
    if (pause != null && nanos.getAsLong() - pause < 0) {
      return;
    }
    if (failing.told(step, todo)) {
      notBefore.remove(step);
    } else {
      notBefore.put(step, nanos.getAsLong() + PAUSE_AFTER_FAILURE.toNanos());
    }
  }

  /** Forgets, without a word, what is of none of {@code there}. */
  void keep(Collection<String> there) {
    failing.keep(there);
    notBefore.keySet().removeIf(step -> !there.contains(step.of()));
  }
}

package io.ensemble.maintenance;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** Tries steps again and again, one that has failed after a pause only. For one thread. */
final class MaintenanceRetry {

  static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(10);

  private final MaintenanceFailureLog maintenanceFailureLog;
  private final LongSupplier nanos;
  private final Map<MaintenanceFailureLog.Step, Long> notBefore = new HashMap<>();

  /**
   * @param nanos the time, from any beginning
   */
  MaintenanceRetry(MaintenanceFailureLog maintenanceFailureLog, LongSupplier nanos) {
    this.maintenanceFailureLog = maintenanceFailureLog;
    this.nanos = nanos;
  }

  /**
   * Tries it, unless it failed just now. Does not fail.
   *
   * @param todo as of {@link MaintenanceFailureLog#told}
   */
  void attempt(MaintenanceFailureLog.Step step, BooleanSupplier todo) {
    Long pause = notBefore.get(step);
    if (pause != null && nanos.getAsLong() - pause < 0) {
      return;
    }
    if (maintenanceFailureLog.told(step, todo)) {
      notBefore.remove(step);
    } else {
      notBefore.put(step, nanos.getAsLong() + PAUSE_AFTER_FAILURE.toNanos());
    }
  }

  /** Forgets, without a word, what is of none of {@code there}. */
  void keep(Collection<String> there) {
    maintenanceFailureLog.keep(there);
    notBefore.keySet().removeIf(step -> !there.contains(step.of()));
  }
}

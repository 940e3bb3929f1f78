package io.ensemble.maintenance;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** Retries steps; after a failure only when a pause has passed. For one thread. */
final class MaintenanceRetry {

  static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(10);

  private final MaintenanceFailureLog maintenanceFailureLog;
  private final LongSupplier nanos;
  private final Map<MaintenanceFailureLog.Step, Long> notBefore = new HashMap<>();

  /**
   * @param nanos the monotonic time, with an arbitrary origin
   */
  MaintenanceRetry(MaintenanceFailureLog maintenanceFailureLog, LongSupplier nanos) {
    this.maintenanceFailureLog = maintenanceFailureLog;
    this.nanos = nanos;
  }

  /**
   * Runs the step, unless it failed within the pause. Does not throw.
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

  /** Discards, without logging, the steps of caches and sites that are not in {@code there}. */
  void keep(Collection<String> there) {
    maintenanceFailureLog.keep(there);
    notBefore.keySet().removeIf(step -> !there.contains(step.of()));
  }
}

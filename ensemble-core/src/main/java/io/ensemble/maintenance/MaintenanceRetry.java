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
  private final Map<MaintenanceFailureLog.Step, Long> notBeforeNanos = new HashMap<>();

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
   * @param operation as of {@link MaintenanceFailureLog#runLogged}
   */
  void attempt(MaintenanceFailureLog.Step step, BooleanSupplier operation) {
    Long earliestNanos = notBeforeNanos.get(step);
    if (earliestNanos != null && nanos.getAsLong() - earliestNanos < 0) {
      return;
    }
    if (maintenanceFailureLog.runLogged(step, operation)) {
      notBeforeNanos.remove(step);
    } else {
      notBeforeNanos.put(step, nanos.getAsLong() + PAUSE_AFTER_FAILURE.toNanos());
    }
  }

  /** Discards, without logging, the steps of caches and sites that are not in {@code names}. */
  void keep(Collection<String> names) {
    maintenanceFailureLog.keep(names);
    notBeforeNanos.keySet().removeIf(step -> !names.contains(step.subject()));
  }
}

package io.ensemble.maintenance;

import io.ensemble.catalog.record.CatalogException;
import io.ensemble.site.SiteException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;

/**
 * Logs failing steps of maintenance: each once, until it succeeds or fails in another way. For one
 * thread.
 */
final class MaintenanceFailureLog {

  /**
   * A step that is retried.
   *
   * @param subject a cache, or a site
   */
  record Step(String subject, String action) {}

  /** The kind of a failure; the reason is more specific than the class, and "" if there is none. */
  private record FailureKind(Class<?> type, String reason) {}

  private final Logger log;
  private final String sitePrefix;
  private final Map<Step, FailureKind> lastFailures = new HashMap<>();

  /** For steps at a site. */
  MaintenanceFailureLog(Logger log, String site) {
    this.log = log;
    this.sitePrefix = "site=" + site + " ";
  }

  /** For steps at no particular site. */
  MaintenanceFailureLog(Logger log) {
    this.log = log;
    this.sitePrefix = "";
  }

  /**
   * Runs the step and logs its result. Does not throw.
   *
   * @param operation returns true if the step was done, or if nothing was to be done; false if the
   *     step was skipped, which is not a success
   * @return whether the step did not fail
   */
  boolean runLogged(Step step, BooleanSupplier operation) {
    try {
      if (operation.getAsBoolean()) {
        succeeded(step);
      }
      return true;
    } catch (RuntimeException exception) {
      failed(step, exception);
      return false;
    }
  }

  void failed(Step step, RuntimeException exception) {
    FailureKind failureKind = new FailureKind(exception.getClass(), reasonOf(exception));
    if (!failureKind.equals(lastFailures.put(step, failureKind))) {
      log.warn(
          "maintenance failed, retrying; {}of={} what={}",
          sitePrefix,
          step.subject(),
          step.action(),
          exception);
    }
  }

  void succeeded(Step step) {
    if (lastFailures.remove(step) != null) {
      log.info(
          "maintenance succeeds again; {}of={} what={}", sitePrefix, step.subject(), step.action());
    }
  }

  /** Discards, without logging, the steps of caches and sites that are not in {@code names}. */
  void keep(Collection<String> names) {
    lastFailures.keySet().removeIf(step -> !names.contains(step.subject()));
  }

  private static String reasonOf(RuntimeException exception) {
    if (exception instanceof SiteException siteException) {
      return siteException.reason().name();
    }
    return exception instanceof CatalogException catalogException
        ? catalogException.reason().name()
        : "";
  }
}

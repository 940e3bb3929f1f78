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
   * @param of a cache, or a site
   */
  record Step(String of, String what) {}

  /** The kind of a failure; the reason is more specific than the class, and "" if there is none. */
  private record Way(Class<?> type, String reason) {}

  private final Logger log;
  private final String where;
  private final Map<Step, Way> failing = new HashMap<>();

  /** For steps at a site. */
  MaintenanceFailureLog(Logger log, String site) {
    this.log = log;
    this.where = "site=" + site + " ";
  }

  /** For steps at no particular site. */
  MaintenanceFailureLog(Logger log) {
    this.log = log;
    this.where = "";
  }

  /**
   * Runs the step and logs its result. Does not throw.
   *
   * @param todo returns true if the step was done, or if nothing was to be done; false if the step
   *     was skipped, which is not a success
   * @return whether the step did not fail
   */
  boolean told(Step step, BooleanSupplier todo) {
    try {
      if (todo.getAsBoolean()) {
        succeeded(step);
      }
      return true;
    } catch (RuntimeException why) {
      failed(step, why);
      return false;
    }
  }

  void failed(Step step, RuntimeException why) {
    Way way = new Way(why.getClass(), reason(why));
    if (!way.equals(failing.put(step, way))) {
      log.warn("maintenance failed, retrying; {}of={} what={}", where, step.of(), step.what(), why);
    }
  }

  void succeeded(Step step) {
    if (failing.remove(step) != null) {
      log.info("maintenance succeeds again; {}of={} what={}", where, step.of(), step.what());
    }
  }

  /** Discards, without logging, the steps of caches and sites that are not in {@code there}. */
  void keep(Collection<String> there) {
    failing.keySet().removeIf(step -> !there.contains(step.of()));
  }

  private static String reason(RuntimeException why) {
    if (why instanceof SiteException site) {
      return site.reason().name();
    }
    return why instanceof CatalogException catalog ? catalog.reason().name() : "";
  }
}

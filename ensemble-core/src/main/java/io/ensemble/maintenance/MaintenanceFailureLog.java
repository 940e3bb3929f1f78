package io.ensemble.maintenance;

import io.ensemble.catalog.record.CatalogException;
import io.ensemble.site.SiteException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;

/**
 * Steps of maintenance that fail: each is told of once, until it succeeds or fails in another way.
 * For one thread.
 */
final class MaintenanceFailureLog {

  /**
   * What is tried again and again.
   *
   * @param of a cache, or a site
   */
  record Step(String of, String what) {}

  /** How it fails; a reason is what is known beyond the class, "" for nothing. */
  private record Way(Class<?> type, String reason) {}

  private final Logger log;
  private final String where;
  private final Map<Step, Way> failing = new HashMap<>();

  /** Steps at a site. */
  MaintenanceFailureLog(Logger log, String site) {
    this.log = log;
    this.where = "site=" + site + " ";
  }

  /** Steps at no site. */
  MaintenanceFailureLog(Logger log) {
    this.log = log;
    this.where = "";
  }

  /**
   * Does it, and tells of how that went. Does not fail.
   *
   * @param todo says whether it did what there was to do, or saw that nothing is; false if it was
   *     passed over, which is no success
   * @return whether it did not fail
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
      log.warn(
          "maintenance failed, it is tried again; {}of={} what={}",
          where,
          step.of(),
          step.what(),
          why);
    }
  }

  void succeeded(Step step) {
    if (failing.remove(step) != null) {
      log.info("maintenance succeeds again; {}of={} what={}", where, step.of(), step.what());
    }
  }

  /** Forgets, without a word, what is of none of {@code there}. */
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

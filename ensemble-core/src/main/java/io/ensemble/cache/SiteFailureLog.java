package io.ensemble.cache;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;

/**
 * Logs when a background task begins to fail at a site and when it succeeds there again; failures
 * between the two are not logged. Thread-safe.
 */
public final class SiteFailureLog {

  private final Logger log;
  private final String work;
  private final String cache;
  private final Map<String, String> failing = new ConcurrentHashMap<>();

  /**
   * @param work the name of the task, as in "comparison"
   */
  public SiteFailureLog(Logger log, String work, String cache) {
    this.log = log;
    this.work = work;
    this.cache = cache;
  }

  /** Records that the task failed at {@code site}, or at all sites when that is {@code "*"}. */
  public void failed(String site, Object why) {
    if (failing.putIfAbsent(site, work) == null) {
      log.warn("{} fails; cache={} site={} why={}", work, cache, site, why);
    }
  }

  /** The sites where the last attempt failed. */
  public Set<String> failing() {
    return Set.copyOf(failing.keySet());
  }

  /** Records that the task succeeded at {@code site}. */
  public void succeeded(String site) {
    if (failing.remove(site) != null) {
      log.info("{} succeeds again; cache={} site={}", work, cache, site);
    }
  }
}

package io.ensemble.cache;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;

/**
 * Logs when a work in the background begins to fail at a site and when it succeeds again there, not
 * what lies between. Thread-safe.
 */
public final class SiteFailureLog {

  private final Logger log;
  private final String work;
  private final String cache;
  private final Map<String, String> failing = new ConcurrentHashMap<>();

  /**
   * @param work what is done, as in "comparison"
   */
  public SiteFailureLog(Logger log, String work, String cache) {
    this.log = log;
    this.work = work;
    this.cache = cache;
  }

  /** The work has failed at {@code site}, or everywhere when that is {@code "*"}. */
  public void failed(String site, Object why) {
    if (failing.putIfAbsent(site, work) == null) {
      log.warn("{} fails; cache={} site={} why={}", work, cache, site, why);
    }
  }

  /** Where the work failed when it was last tried. */
  public Set<String> failing() {
    return Set.copyOf(failing.keySet());
  }

  /** The work was done at {@code site}. */
  public void succeeded(String site) {
    if (failing.remove(site) != null) {
      log.info("{} succeeds again; cache={} site={}", work, cache, site);
    }
  }
}

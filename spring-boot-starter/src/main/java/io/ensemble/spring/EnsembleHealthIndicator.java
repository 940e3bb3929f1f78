package io.ensemble.spring;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.detect.SuspicionLevel;
import io.ensemble.membership.SiteHealth;
import io.ensemble.redundancy.CacheRedundancy;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.health.AbstractHealthIndicator;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.Status;

/**
 * The health of the caches that this process has open. DOWN if one of them cannot be read and
 * written; UNKNOWN if none is open, or the state of one cannot be determined; otherwise UP, also
 * while replicas are missing. Details are the replicas of each cache, and the sites that do not
 * answer.
 *
 * <p>A strong cache has the state of the last check of the process, of two to eight seconds ago. A
 * WEAK cache, and a cache that was not checked yet, is checked now: one request to each replica,
 * for at most ten seconds. The result is used for {@link #VALIDITY}. Thread-safe.
 */
final class EnsembleHealthIndicator extends AbstractHealthIndicator {

  private static final Logger LOG = LoggerFactory.getLogger(EnsembleHealthIndicator.class);

  /** How long the state of a cache is used that this object has checked. */
  static final Duration VALIDITY = Duration.ofSeconds(5);

  private record CheckedCache(@Nullable CacheRedundancy redundancy, long nanos) {}

  private final EnsembleCacheManager manager;
  private final LongSupplier nanoTime;

  /** Guarded by this object's lock, as are checks, so that they do not run beside each other. */
  private final Map<String, CheckedCache> checked = new TreeMap<>();

  EnsembleHealthIndicator(EnsembleCacheManager manager, LongSupplier nanoTime) {
    super("the state of Ensemble cannot be determined");
    this.manager = manager;
    this.nanoTime = nanoTime;
  }

  @Override
  protected void doHealthCheck(Health.Builder builder) {
    List<CacheDefinition> open = manager.openCaches();
    Map<String, Object> caches = new TreeMap<>();
    Status status = open.isEmpty() ? Status.UNKNOWN : Status.UP;
    discardOthers(open.stream().map(CacheDefinition::name).toList());
    for (CacheDefinition cache : open) {
      Optional<CacheRedundancy> redundancy = redundancy(cache);
      caches.put(cache.name(), redundancy.map(EnsembleHealthIndicator::describe).orElse(Map.of()));
      if (redundancy.isEmpty() && status != Status.DOWN) {
        status = Status.UNKNOWN;
      } else if (redundancy.isPresent() && !redundancy.get().isServed()) {
        status = Status.DOWN;
      }
    }
    builder
        .status(status)
        .withDetail("caches", caches)
        .withDetail("unreachableSites", unreachableSites());
  }

  /** Empty if it cannot be determined. */
  private Optional<CacheRedundancy> redundancy(CacheDefinition cache) {
    if (cache.mode() != Mode.WEAK) {
      Optional<CacheRedundancy> known = manager.redundancy(cache.name());
      if (known.isPresent()) {
        return known;
      }
    }
    return check(cache.name());
  }

  private synchronized Optional<CacheRedundancy> check(String cache) {
    CheckedCache last = checked.get(cache);
    if (last == null || nanoTime.getAsLong() - last.nanos() >= VALIDITY.toNanos()) {
      last = new CheckedCache(checkNow(cache), nanoTime.getAsLong());
      checked.put(cache, last);
    }
    return Optional.ofNullable(last.redundancy());
  }

  private synchronized void discardOthers(List<String> open) {
    checked.keySet().retainAll(open);
  }

  private @Nullable CacheRedundancy checkNow(String cache) {
    try {
      return manager.checkRedundancy(cache);
    } catch (CatalogException | NoSuchElementException unknown) {
      LOG.debug("the redundancy of a cache cannot be determined; cache={}", cache, unknown);
      return null;
    }
  }

  private static Map<String, Object> describe(CacheRedundancy redundancy) {
    Map<String, Object> described = new LinkedHashMap<>();
    described.put("served", redundancy.isServed());
    described.put("replicas", redundancy.asked());
    described.put("whole", redundancy.whole());
    described.put("canLose", redundancy.canLose());
    Map<String, String> missing = new LinkedHashMap<>();
    redundancy.missing().forEach(replica -> missing.put(replica.name(), replica.state().reason()));
    if (!missing.isEmpty()) {
      described.put("missing", missing);
    }
    return described;
  }

  private List<String> unreachableSites() {
    return manager.membership().health().stream()
        .filter(site -> site.state() != SuspicionLevel.State.REACHABLE)
        .map(SiteHealth::site)
        .toList();
  }
}

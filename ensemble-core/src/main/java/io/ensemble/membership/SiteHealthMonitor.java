package io.ensemble.membership;

import io.ensemble.catalog.SiteDirectory;
import io.ensemble.detect.SuspicionLevel;
import io.ensemble.schedule.PeriodicTask;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Site;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Monitors the health of the sites that a manager has open. Checks once a second, and reports each
 * change in the log and to listeners. Sends no request, so a site that is not in use counts as
 * reachable. Thread-safe.
 */
public final class SiteHealthMonitor implements AutoCloseable {

  static final Duration INTERVAL = Duration.ofSeconds(1);

  private static final Logger LOG = LoggerFactory.getLogger(SiteHealthMonitor.class);

  private final SiteDirectory sites;
  private final @Nullable MeterRegistry registry;
  private final PeriodicTask checks;
  private final List<Consumer<SiteHealth>> listeners = new CopyOnWriteArrayList<>();

  // All fields below are guarded by this object's lock.
  private final Map<String, SuspicionLevel.State> states = new TreeMap<>();
  private final Set<String> measured = new HashSet<>();

  public SiteHealthMonitor(
      SiteDirectory sites, Scheduler scheduler, @Nullable MeterRegistry registry) {
    this.sites = sites;
    this.registry = registry;
    this.checks =
        new PeriodicTask(
            "site health",
            scheduler,
            INTERVAL,
            () -> {
              look();
              return CompletableFuture.completedFuture(null);
            });
  }

  /** Starts monitoring, until {@link #close}. */
  public void start() {
    checks.start();
  }

  /** The present health of each site, by name. */
  public List<SiteHealth> now() {
    return sites.open().stream()
        .map(site -> SiteHealth.of(site.name(), site.health()))
        .sorted((one, other) -> one.site().compareTo(other.site()))
        .toList();
  }

  /**
   * Registers {@code told} for every change; called on the scheduler, so the listener must not
   * block.
   */
  public AutoCloseable listen(Consumer<SiteHealth> told) {
    listeners.add(told);
    return () -> listeners.remove(told);
  }

  void look() {
    List<SiteHealth> changed = new ArrayList<>();
    List<SiteHealth> all = now();
    synchronized (this) {
      for (SiteHealth health : all) {
        measure(health.site());
        SuspicionLevel.State before = states.put(health.site(), health.state());
        if (health.state() != (before == null ? SuspicionLevel.State.REACHABLE : before)) {
          changed.add(health);
        }
      }
    }
    changed.forEach(this::tell);
  }

  private void tell(SiteHealth health) {
    if (health.state() == SuspicionLevel.State.REACHABLE) {
      LOG.info("site health; site={} state={}", health.site(), health.state());
    } else {
      LOG.warn(
          "site health; site={} state={} phi={} silent={} ms",
          health.site(),
          health.state(),
          "%.1f".formatted(health.phi()),
          health.silent().toMillis());
    }
    for (Consumer<SiteHealth> listener : listeners) {
      try {
        listener.accept(health);
      } catch (RuntimeException broken) {
        LOG.error("a listener failed; site={}", health.site(), broken);
      }
    }
  }

  /** Requires this object's lock. */
  private void measure(String site) {
    if (registry == null || !measured.add(site)) {
      return;
    }
    try {
      Gauge.builder("ensemble.site.suspicion", this, watch -> watch.phi(site))
          .tag("site", site)
          .register(registry);
    } catch (RuntimeException broken) {
      LOG.warn("a meter cannot be registered; site={}", site, broken);
    }
  }

  private double phi(String site) {
    return sites.open().stream()
        .filter(one -> one.name().equals(site))
        .map(Site::health)
        .mapToDouble(SuspicionLevel::phi)
        .findFirst()
        .orElse(Double.NaN);
  }

  @Override
  public void close() {
    checks.close();
  }
}

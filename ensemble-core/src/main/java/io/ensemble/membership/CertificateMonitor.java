package io.ensemble.membership;

import io.ensemble.catalog.SiteDirectory;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.PeriodicTask;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.CertificateExpiry;
import io.ensemble.site.CertificateExpiry.Kind;
import io.ensemble.site.Site;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Monitors when the certificates and revocation lists of the sites that a manager has open expire.
 * Asks each site every ten minutes, and a site that was opened since then within five seconds.
 * Reports by a gauge for each site and {@link Kind}, and in the log when 14 days, three days or no
 * time is left; for revocation lists, which are short-lived, when one day, six hours or no time is
 * left. Thread-safe.
 */
public final class CertificateMonitor implements AutoCloseable {

  static final String METER = "ensemble.certificate.remaining";
  static final Duration LOOK = Duration.ofSeconds(5);
  static final Duration INTERVAL = Duration.ofMinutes(10);

  private static final Duration LONGEST = Duration.ofMinutes(1);
  private static final Duration SOON = Duration.ofDays(14);
  private static final Duration VERY_SOON = Duration.ofDays(3);
  private static final Duration LIST_SOON = Duration.ofDays(1);
  private static final Duration LIST_VERY_SOON = Duration.ofHours(6);

  private final SiteDirectory sites;
  private final Scheduler scheduler;
  private final @Nullable MeterRegistry registry;
  private final Logger log;
  private final PeriodicTask looks;

  // All fields below are guarded by this object's lock.
  private final Map<String, Long> askedNanos = new HashMap<>();
  private final Map<String, Map<Item, Expiry>> known = new TreeMap<>();
  private final Set<List<Object>> measured = new HashSet<>();

  /** A certificate, or a file of lists. */
  private record Item(Kind kind, String source) {}

  /**
   * When an item expires.
   *
   * @param reported how urgent it was at the last report
   */
  private record Expiry(Instant at, Urgency reported) {}

  /** How little time is left. */
  private enum Urgency {
    NONE,
    SOON,
    VERY_SOON,
    EXPIRED
  }

  public CertificateMonitor(
      SiteDirectory sites, Scheduler scheduler, @Nullable MeterRegistry registry) {
    this(sites, scheduler, registry, LoggerFactory.getLogger(CertificateMonitor.class));
  }

  CertificateMonitor(
      SiteDirectory sites, Scheduler scheduler, @Nullable MeterRegistry registry, Logger log) {
    this.log = log;
    this.sites = sites;
    this.scheduler = scheduler;
    this.registry = registry;
    this.looks = new PeriodicTask("certificates of sites", scheduler, LOOK, this::look);
  }

  /** Starts monitoring, until {@link #close}. */
  public void start() {
    looks.start();
  }

  /** Asks the open sites that are due. */
  CompletableFuture<Void> look() {
    List<Site> open = sites.open();
    dropOthers(open.stream().map(Site::name).toList());
    return CompletableFuture.allOf(
        open.stream()
            .filter(site -> isDue(site.name()))
            .map(this::ask)
            .toArray(CompletableFuture<?>[]::new));
  }

  private synchronized void dropOthers(List<String> open) {
    askedNanos.keySet().retainAll(open);
    known.keySet().retainAll(open);
  }

  private synchronized boolean isDue(String site) {
    Long last = askedNanos.get(site);
    if (last != null && scheduler.nanos() - last < INTERVAL.toNanos()) {
      return false;
    }
    askedNanos.put(site, scheduler.nanos());
    return true;
  }

  private CompletableFuture<Void> ask(Site site) {
    return site.certificates(Deadline.after(LONGEST, scheduler))
        .thenAccept(found -> learn(site.name(), found))
        .exceptionally(
            failure -> {
              log.debug("certificates cannot be read; site={}", site.name(), failure);
              return null;
            })
        .toCompletableFuture();
  }

  /** An item with an unknown expiry keeps the one that was read before. */
  private synchronized void learn(String site, List<CertificateExpiry> found) {
    Map<Item, Expiry> former = known.getOrDefault(site, Map.of());
    Map<Item, Expiry> now = new HashMap<>();
    for (CertificateExpiry one : found) {
      Item item = new Item(one.kind(), one.source());
      Expiry before = former.get(item);
      Instant at = one.expires() != null ? one.expires() : before == null ? null : before.at();
      if (at != null) {
        now.put(item, new Expiry(at, report(site, item, at, before)));
        measure(site, one.kind());
      }
    }
    known.put(site, now);
  }

  private Urgency report(String site, Item item, Instant at, @Nullable Expiry before) {
    Urgency urgency = urgency(item.kind(), Duration.between(now(), at));
    Urgency reported = before == null ? Urgency.NONE : before.reported();
    if (urgency.compareTo(reported) > 0) {
      log.warn(
          "{}; site={} certificate={} source={} expires={}",
          urgency == Urgency.EXPIRED
              ? "a certificate or revocation list has expired: new connections fail"
              : "a certificate or revocation list expires soon",
          site,
          lower(item.kind()),
          item.source(),
          at);
    } else if (urgency == Urgency.NONE && reported != Urgency.NONE) {
      log.info(
          "a certificate or revocation list was renewed; site={} certificate={} source={}"
              + " expires={}",
          site,
          lower(item.kind()),
          item.source(),
          at);
    }
    return urgency;
  }

  private static Urgency urgency(Kind kind, Duration left) {
    boolean isList = kind == Kind.REVOCATION_LIST;
    if (left.isNegative() || left.isZero()) {
      return Urgency.EXPIRED;
    }
    if (left.compareTo(isList ? LIST_VERY_SOON : VERY_SOON) < 0) {
      return Urgency.VERY_SOON;
    }
    return left.compareTo(isList ? LIST_SOON : SOON) < 0 ? Urgency.SOON : Urgency.NONE;
  }

  private Instant now() {
    return Instant.EPOCH.plus(scheduler.epochMicros(), ChronoUnit.MICROS);
  }

  /** Requires this object's lock. */
  private void measure(String site, Kind kind) {
    if (registry == null || !measured.add(List.of(site, kind))) {
      return;
    }
    try {
      Gauge.builder(METER, this, monitor -> monitor.remainingSeconds(site, kind))
          .tag("site", site)
          .tag("certificate", lower(kind))
          .baseUnit("seconds")
          .register(registry);
    } catch (RuntimeException broken) {
      log.warn("a meter cannot be registered; site={}", site, broken);
    }
  }

  /** The time until the first of them expires, negative afterwards; NaN if none is known. */
  private synchronized double remainingSeconds(String site, Kind kind) {
    return known.getOrDefault(site, Map.of()).entrySet().stream()
        .filter(entry -> entry.getKey().kind() == kind)
        .mapToDouble(entry -> Duration.between(now(), entry.getValue().at()).toSeconds())
        .min()
        .orElse(Double.NaN);
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  @Override
  public void close() {
    looks.close();
  }
}

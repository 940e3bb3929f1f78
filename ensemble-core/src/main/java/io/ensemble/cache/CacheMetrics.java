package io.ensemble.cache;

import io.ensemble.CacheOperationRecorder;
import io.ensemble.InDoubtWrites;
import io.ensemble.Mode;
import io.ensemble.schedule.RequestListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The metrics of one open cache, all tagged with {@code cache} and {@code mode}. Without a registry
 * every call returns immediately. An exception of the registry is logged once and has no other
 * effect. Thread-safe. The page {@code docs/metrics.md} says how to use each meter.
 *
 * <ul>
 *   <li>timer {@code ensemble.operation}, tags {@code operation}, {@code outcome}: calls as users
 *       see them;
 *   <li>timer {@code ensemble.site.request}, tags {@code site}, {@code request}, {@code outcome}:
 *       single requests;
 *   <li>distribution {@code ensemble.round.trips}, tag {@code operation}: consecutive rounds of
 *       requests that a successful operation took;
 *   <li>counter {@code ensemble.outcome.unknown}: writes with an unknown outcome;
 *   <li>gauges {@code ensemble.cache.replicas}, {@code ensemble.cache.replicas.whole} and {@code
 *       ensemble.cache.can.lose}: how many replicas the cache was asked to have, how many are
 *       complete, and how many more it can lose; not a number before the first check.
 * </ul>
 *
 * <p>For SWMR and MWMR caches only:
 *
 * <ul>
 *   <li>counter {@code ensemble.lease.failures}, tag {@code lease} ({@code configuration}, {@code
 *       term}): leases that this process needed and could not confirm in time.
 * </ul>
 *
 * <p>For WEAK caches only, with the tag {@code site} unless said otherwise; "writes" are those of
 * this process:
 *
 * <ul>
 *   <li>gauge {@code ensemble.lag.entries}: writes that the site may lack, pending or missed; not a
 *       number when the site has lost its memory;
 *   <li>gauge {@code ensemble.copies.pending}: copies that wait or are under way;
 *   <li>gauge {@code ensemble.writes.missed}: writes not copied, or perhaps not copied, since the
 *       last comparison of all sites; a key may count twice;
 *   <li>gauge {@code ensemble.site.down}: 1 while the site seems to be down, else 0;
 *   <li>gauge {@code ensemble.comparison.age}, in seconds: time since the last comparison of all
 *       sites; not a number before the first comparison;
 *   <li>counter {@code ensemble.put.backs}: entries written again after an older entry had
 *       overwritten them;
 *   <li>counter {@code ensemble.copies.dropped}: copies left to a comparison;
 *   <li>counter {@code ensemble.siblings.dropped}: concurrent values beyond the bound of the cache
 *       that this process dropped from the site;
 *   <li>timer {@code ensemble.comparison}, tag {@code outcome} ({@code complete}, {@code
 *       incomplete}) instead of {@code site}: comparisons and refills;
 *   <li>counter {@code ensemble.comparison.copied}, without {@code site}: entries that comparisons
 *       and refills copied.
 * </ul>
 *
 * <p>For SWMR caches only, as this process sees them:
 *
 * <ul>
 *   <li>gauge {@code ensemble.term.epoch}; not a number before this process has seen a term;
 *   <li>gauge {@code ensemble.primary}, tag {@code site}: 1 at the primary, else 0;
 *   <li>counters {@code ensemble.term.renewals}, {@code ensemble.primary.changes}, {@code
 *       ensemble.writers.refused}.
 * </ul>
 *
 * <p>For SWMR caches with acknowledgement by the primary only, without further tags unless said
 * otherwise:
 *
 * <ul>
 *   <li>gauge {@code ensemble.window.writes}: writes in the window, acknowledged or about to be;
 *   <li>gauge {@code ensemble.window.age}, in seconds: age of the oldest write in the window;
 *   <li>counter {@code ensemble.writes.doubtful}, tag {@code fate} ({@code unknown}, {@code kept},
 *       {@code lost}, {@code overwritten}): acknowledged writes that a fail-over may have dropped.
 *       Each counts once as unknown, and once more when its fate is known.
 * </ul>
 *
 * <p>Gauges last until {@link #close()}. When a cache is opened a second time with the same
 * registry, the gauges show the cache opened last. They outlive the close of the earlier cache.
 */
public final class CacheMetrics implements AutoCloseable {

  /** Records nothing. */
  public static final CacheMetrics NONE = new CacheMetrics(null, Tags.empty(), null);

  /** How a user's call ended. */
  public enum OperationOutcome {
    /** The request was carried out, or its condition was not met. */
    APPLIED,
    /** WEAK only: lost to a higher stamp. */
    SUPERSEDED,
    /** Certainly without effect. */
    REFUSED,
    /** Perhaps applied. */
    UNKNOWN,
    /** By a mistake of the caller or an exception of the caller's function. */
    FAILED
  }

  /** Gauges of a site of a WEAK cache. */
  public enum SiteGauge {
    LAG("ensemble.lag.entries", "entries"),
    PENDING("ensemble.copies.pending", "entries"),
    MISSED("ensemble.writes.missed", "writes"),
    DOWN("ensemble.site.down", "sites"),
    COMPARISON_AGE("ensemble.comparison.age", "seconds");

    private final String meter;
    private final String unit;

    SiteGauge(String meter, String unit) {
      this.meter = meter;
      this.unit = unit;
    }
  }

  /** Counters of a site of a WEAK cache. */
  public enum SiteCount {
    PUT_BACKS("ensemble.put.backs"),
    COPIES_DROPPED("ensemble.copies.dropped"),
    SIBLINGS_DROPPED("ensemble.siblings.dropped");

    private final String meter;

    SiteCount(String meter) {
      this.meter = meter;
    }
  }

  /** Gauges of a window of writes. */
  public enum WindowGauge {
    WRITES("ensemble.window.writes", "writes"),
    AGE("ensemble.window.age", "seconds");

    private final String meter;
    private final String unit;

    WindowGauge(String meter, String unit) {
      this.meter = meter;
      this.unit = unit;
    }
  }

  /** Gauges of a cache's replicas. */
  public enum ReplicaGauge {
    ASKED("ensemble.cache.replicas"),
    WHOLE("ensemble.cache.replicas.whole"),
    CAN_LOSE("ensemble.cache.can.lose");

    private final String meter;

    ReplicaGauge(String meter) {
      this.meter = meter;
    }
  }

  /** What a lease is on. */
  public enum LeaseKind {
    /** The configuration of a cache. */
    CONFIGURATION,
    /** The term of an SWMR cache. */
    TERM
  }

  private record OperationKey(String operation, OperationOutcome ending) {}

  private record RequestKey(String site, String request, String outcome) {}

  private static final Logger LOG = LoggerFactory.getLogger(CacheMetrics.class);

  /** A prime, so that requests to sites in turn do not let the same site be measured always. */
  private static final int TIMED_REQUESTS = 13;

  private final @Nullable MeterRegistry registry;
  private final Tags tags;
  private final @Nullable CacheOperationRecorder observer;
  private final @Nullable Counter unknown;
  private final Map<OperationKey, Timer> operations = new ConcurrentHashMap<>();
  private final Map<RequestKey, Timer> requests = new ConcurrentHashMap<>();
  private final Map<String, DistributionSummary> roundTrips = new ConcurrentHashMap<>();
  private final List<Gauge> gauges = new CopyOnWriteArrayList<>();
  private final AtomicBoolean failed = new AtomicBoolean();

  /** Reports the requests of calls to the observer. One object, so that it is notified once. */
  private final RequestListener requestObserver =
      (site, cache, request, writes) ->
          failure ->
              observe(present -> present.request(site, writes, CacheOperationRecorder.NO_TIME));

  private volatile boolean isObserved;

  /** Requests since the cache was opened; concurrent increments may be lost. */
  private int observedRequests;

  private CacheMetrics(
      @Nullable MeterRegistry registry, Tags tags, @Nullable CacheOperationRecorder observer) {
    this.registry = registry;
    this.tags = tags;
    this.observer = observer;
    this.isObserved = observer != null;
    this.unknown = registry == null ? null : unknown(registry);
  }

  /** Metrics of {@code cache} in {@code registry}; {@link #NONE} when the registry is null. */
  public static CacheMetrics of(@Nullable MeterRegistry registry, String cache, Mode mode) {
    return of(registry, cache, mode, null);
  }

  /**
   * As the other method.
   *
   * @param observer observes the operations too; null for none
   */
  public static CacheMetrics of(
      @Nullable MeterRegistry registry,
      String cache,
      Mode mode,
      @Nullable CacheOperationRecorder observer) {
    return registry == null && observer == null
        ? NONE
        : new CacheMetrics(registry, Tags.of("cache", cache, "mode", mode.name()), observer);
  }

  /** Whether operations are observed. */
  public boolean observed() {
    return isObserved;
  }

  /** Calls the observer, if there is one; the observer is not called again after an exception. */
  public void observe(Consumer<CacheOperationRecorder> call) {
    CacheOperationRecorder present = observer;
    if (present == null || !isObserved) {
      return;
    }
    try {
      call.accept(present);
    } catch (RuntimeException | Error broken) {
      isObserved = false;
      LOG.error("operations are recorded no longer: the recorder failed; {}", tags, broken);
    }
  }

  /**
   * Reports requests to the observer, for a cache whose calls are carried out by other caches. Is
   * notified once of a request that is made for several calls.
   */
  public RequestListener requestObserver() {
    return requestObserver;
  }

  private @Nullable Counter unknown(MeterRegistry present) {
    try {
      return counter(present, "ensemble.outcome.unknown", tags);
    } catch (RuntimeException | Error broken) {
      failed(broken);
      return null;
    }
  }

  /** An exception of the registry must not fail the measured operation. */
  private void guarded(Consumer<MeterRegistry> measuring) {
    MeterRegistry present = registry;
    if (present == null) {
      return;
    }
    try {
      measuring.accept(present);
    } catch (RuntimeException | Error broken) {
      failed(broken);
    }
  }

  private void failed(Throwable broken) {
    if (!failed.getAndSet(true)) {
      LOG.error(
          "metrics cannot be recorded; this is logged once for each open cache; {}", tags, broken);
    }
  }

  /** Whether metrics are recorded; callers use this to avoid reading the clock. */
  public boolean enabled() {
    return registry != null;
  }

  /**
   * Whether to measure the time of a request that begins now: of each one if metrics are recorded,
   * of one in {@value #TIMED_REQUESTS} for an observer alone, because reading the clock costs a
   * good part of what it then does.
   */
  public boolean timesRequest() {
    return registry != null || (isObserved && observedRequests++ % TIMED_REQUESTS == 0);
  }

  /** Records the end of a user's call. */
  public void operation(String operation, OperationOutcome outcome, long nanos) {
    guarded(present -> recorded(present, operation, outcome, nanos));
  }

  private void recorded(
      MeterRegistry present, String operation, OperationOutcome outcome, long nanos) {
    meter(
            operations,
            new OperationKey(operation, outcome),
            key ->
                timer(
                    present,
                    "ensemble.operation",
                    tags.and("operation", key.operation(), "outcome", lower(key.ending()))))
        .record(nanos, TimeUnit.NANOSECONDS);
    if (outcome == OperationOutcome.UNKNOWN && unknown != null) {
      unknown.increment();
    }
  }

  /**
   * Records a response of a site, or the failure of a request.
   *
   * @param outcome {@code ok}, or the reason in lower case
   */
  public void siteRequest(String site, String request, String outcome, long nanos) {
    guarded(
        present ->
            meter(
                    requests,
                    new RequestKey(site, request, outcome),
                    key ->
                        timer(
                            present,
                            "ensemble.site.request",
                            tags.and(
                                "site", key.site(),
                                "request", key.request(),
                                "outcome", key.outcome())))
                .record(nanos, TimeUnit.NANOSECONDS));
  }

  /** Records that an operation took {@code rounds} rounds of requests. */
  public void roundTrips(String operation, int rounds) {
    guarded(
        present ->
            meter(
                    roundTrips,
                    operation,
                    key -> present.summary("ensemble.round.trips", tags.and("operation", key)))
                .record(rounds));
  }

  /** Adds {@code times} to a counter of {@code site}. */
  public void count(SiteCount what, String site, long times) {
    guarded(present -> counter(present, what.meter, tags.and("site", site)).increment(times));
  }

  /** Records the end of a comparison of sites, or of a refill. */
  public void compared(boolean complete, long copied, Duration took) {
    guarded(
        present -> {
          String outcome = complete ? "complete" : "incomplete";
          timer(present, "ensemble.comparison", tags.and("outcome", outcome)).record(took);
          counter(present, "ensemble.comparison.copied", tags).increment(copied);
        });
  }

  /** Shows {@code value} until {@link #close()}; tags are keys and values in turn. */
  void gauge(String meter, String unit, List<String> more, DoubleSupplier value) {
    guarded(present -> show(present, meter, unit, tags.and(more.toArray(String[]::new)), value));
  }

  /** Adds 1 to a counter. */
  void count(String meter) {
    guarded(present -> counter(present, meter, tags).increment());
  }

  /**
   * Exports a counter from 0 on: a monitoring system sees no increase where a counter begins at 1.
   */
  void begin(String counter) {
    guarded(present -> counter(present, counter, tags));
  }

  /** Exports the number of failures of a lease from 0 on. */
  public void beginLeaseFailures(LeaseKind lease) {
    guarded(present -> leaseFailures(present, lease));
  }

  /** Records that a lease was needed and could not be confirmed in time. */
  public void leaseFailed(LeaseKind lease) {
    guarded(present -> leaseFailures(present, lease).increment());
  }

  private Counter leaseFailures(MeterRegistry present, LeaseKind lease) {
    return counter(present, "ensemble.lease.failures", tags.and("lease", lower(lease)));
  }

  /** Shows {@code value} of {@code site} until {@link #close()}. */
  public void gauge(SiteGauge what, String site, DoubleSupplier value) {
    guarded(present -> show(present, what.meter, what.unit, tags.and("site", site), value));
  }

  /** Shows {@code value} until {@link #close()}. */
  public void gauge(WindowGauge what, DoubleSupplier value) {
    guarded(present -> show(present, what.meter, what.unit, tags, value));
  }

  /** Shows {@code value} until {@link #close()}. */
  public void gauge(ReplicaGauge what, DoubleSupplier value) {
    guarded(present -> show(present, what.meter, null, tags, value));
  }

  /** Exports the numbers of writes in doubt from 0 on. */
  public void beginDoubtful() {
    for (InDoubtWrites.Fate fate : InDoubtWrites.Fate.values()) {
      doubtful(fate, 0);
    }
  }

  /** Records acknowledged writes that are in doubt, or the fate of such writes. */
  public void doubtful(InDoubtWrites.Fate fate, int writes) {
    guarded(
        present ->
            counter(present, "ensemble.writes.doubtful", tags.and("fate", lower(fate)))
                .increment(writes));
  }

  private void show(
      MeterRegistry present, String meter, @Nullable String unit, Tags all, DoubleSupplier value) {
    // A registry keeps the gauge that it has; the object behind that gauge is closed, or soon will
    // be.
    Gauge former = present.find(meter).tags(all).gauge();
    if (former != null) {
      present.remove(former);
    }
    gauges.add(
        Gauge.builder(meter, value, DoubleSupplier::getAsDouble)
            .tags(all)
            .baseUnit(unit)
            .strongReference(true)
            .register(present));
  }

  /** Removes the gauges of this cache; timers and counters keep their values. */
  @Override
  public void close() {
    guarded(
        present -> {
          for (Gauge own : gauges) {
            // Meters are equal when their names are equal; another cache's gauge stays.
            if (present.getMeters().stream().anyMatch(meter -> meter == own)) {
              present.remove(own);
            }
          }
          gauges.clear();
        });
  }

  /** Micrometer 1.15, which Spring Boot 3.5 brings, lacks the overload with {@code Tags}. */
  private static Counter counter(MeterRegistry present, String meter, Iterable<Tag> tags) {
    return present.counter(meter, tags);
  }

  private static Timer timer(MeterRegistry present, String meter, Iterable<Tag> tags) {
    return present.timer(meter, tags);
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  /** Calls {@code get} first: {@code computeIfAbsent} locks even when the key is present. */
  private static <A, M> M meter(Map<A, M> meters, A key, Function<A, M> register) {
    M meter = meters.get(key);
    return meter != null ? meter : meters.computeIfAbsent(key, register);
  }
}

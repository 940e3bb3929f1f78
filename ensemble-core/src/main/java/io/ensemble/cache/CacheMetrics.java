package io.ensemble.cache;

import io.ensemble.Mode;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What one open cache measures, all tagged with {@code cache} and {@code mode}. Without a registry
 * every call returns at once. Thread-safe.
 *
 * <ul>
 *   <li>timer {@code ensemble.operation}, tags {@code operation}, {@code outcome}: calls as users
 *       see them;
 *   <li>timer {@code ensemble.site.request}, tags {@code site}, {@code request}, {@code outcome};
 *   <li>distribution {@code ensemble.round.trips}, tag {@code operation}: rounds of requests that
 *       an operation took;
 *   <li>counter {@code ensemble.outcome.unknown}: writes whose outcome is unknown;
 *   <li>gauge {@code ensemble.lag.entries}, tag {@code site}: writes that the site has yet to hear.
 * </ul>
 */
public final class CacheMetrics implements AutoCloseable {

  /** Measures nothing. */
  public static final CacheMetrics NONE = new CacheMetrics(null, Tags.empty());

  /** How a user's call ended. */
  public enum Ending {
    /** As asked, or with an unmet condition. */
    APPLIED,
    /** WEAK only: lost to a higher stamp. */
    SUPERSEDED,
    /** Nothing was done. */
    REFUSED,
    /** Perhaps applied. */
    UNKNOWN,
    /** By a mistake of the caller or of a function of the caller's. */
    FAILED
  }

  private record OperationKey(String operation, Ending ending) {}

  private record RequestKey(String site, String request, String outcome) {}

  private final @Nullable MeterRegistry registry;
  private final Tags tags;
  private final @Nullable Counter unknown;
  private final Map<OperationKey, Timer> operations = new ConcurrentHashMap<>();
  private final Map<RequestKey, Timer> requests = new ConcurrentHashMap<>();
  private final Map<String, DistributionSummary> roundTrips = new ConcurrentHashMap<>();
  private final List<Meter> others = new CopyOnWriteArrayList<>();

  private CacheMetrics(@Nullable MeterRegistry registry, Tags tags) {
    this.registry = registry;
    this.tags = tags;
    this.unknown = registry == null ? null : registry.counter("ensemble.outcome.unknown", tags);
  }

  /** Metrics of {@code cache} in {@code registry}; {@link #NONE} when that is null. */
  public static CacheMetrics of(@Nullable MeterRegistry registry, String cache, Mode mode) {
    return registry == null
        ? NONE
        : new CacheMetrics(registry, Tags.of("cache", cache, "mode", mode.name()));
  }

  /** Whether anything is measured: to save the cost of taking the time. */
  public boolean enabled() {
    return registry != null;
  }

  /** A user's call ended. */
  public void operation(String operation, Ending ending, long nanos) {
    MeterRegistry present = registry;
    if (present == null) {
      return;
    }
    meter(
            operations,
            new OperationKey(operation, ending),
            key ->
                present.timer(
                    "ensemble.operation",
                    tags.and("operation", key.operation(), "outcome", lower(key.ending()))))
        .record(nanos, TimeUnit.NANOSECONDS);
    if (ending == Ending.UNKNOWN && unknown != null) {
      unknown.increment();
    }
  }

  /**
   * A request to a site was answered, or failed.
   *
   * @param outcome {@code ok}, or the reason in lower case
   */
  public void siteRequest(String site, String request, String outcome, long nanos) {
    MeterRegistry present = registry;
    if (present == null) {
      return;
    }
    meter(
            requests,
            new RequestKey(site, request, outcome),
            key ->
                present.timer(
                    "ensemble.site.request",
                    tags.and(
                        "site", key.site(), "request", key.request(), "outcome", key.outcome())))
        .record(nanos, TimeUnit.NANOSECONDS);
  }

  /** An operation took {@code rounds} rounds of requests. */
  public void roundTrips(String operation, int rounds) {
    MeterRegistry present = registry;
    if (present == null) {
      return;
    }
    meter(
            roundTrips,
            operation,
            key -> present.summary("ensemble.round.trips", tags.and("operation", key)))
        .record(rounds);
  }

  /** Shows {@code entries} as the lag of {@code site} until {@link #close()}. */
  public void lag(String site, LongSupplier entries) {
    if (registry != null) {
      others.add(
          Gauge.builder("ensemble.lag.entries", entries, LongSupplier::getAsLong)
              .tags(tags.and("site", site))
              .strongReference(true)
              .register(registry));
    }
  }

  /** Takes the lag gauges away; timers and counters keep what they have counted. */
  @Override
  public void close() {
    MeterRegistry present = registry;
    if (present != null) {
      others.forEach(present::remove);
      others.clear();
    }
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  /** A plain get first: {@code computeIfAbsent} locks even when the key is there. */
  private static <A, M> M meter(Map<A, M> meters, A key, Function<A, M> register) {
    M meter = meters.get(key);
    return meter != null ? meter : meters.computeIfAbsent(key, register);
  }
}

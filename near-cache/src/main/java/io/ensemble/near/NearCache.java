package io.ensemble.near;

import io.ensemble.DistributedEnsembleCache;
import io.ensemble.EnsembleCache;
import io.ensemble.Mode;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.ChangeSource;
import io.ensemble.cache.Payload;
import io.ensemble.cache.adapter.CacheExtension;
import io.ensemble.cache.adapter.CacheExtension.CallLayer;
import io.ensemble.near.NearCacheSettings.Filling;
import io.ensemble.site.Bytes;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Values of a cache in the memory of this process. A read of a key that is held sends no request.
 * Thread-safe.
 *
 * <p><b>Age.</b> A read returns a value that the key had at some time after the start of the call
 * minus the {@linkplain NearCacheSettings#staleness staleness}, however long the process, a site or
 * a report of a site was delayed. In mode WEAK, a value that a read of this process would have
 * returned at that time.
 *
 * <p><b>Order.</b> Through one near cache, a caller reads its own writes, and never an older value
 * after a newer one; in mode WEAK as far as reads of the cache do. This does not include writes and
 * reads through other views, nor iterations.
 *
 * <p><b>Reports.</b> Sites report changes, so usually a value is much younger. Distributed and
 * sharded caches, SWMR caches whose writes the primary alone acknowledges, and sites that do not
 * permit listeners report nothing. Then the age alone ends an entry.
 *
 * <p>Writes wait for nothing: there is no lease. Therefore a cache in mode MWMR or SWMR, whose
 * reads are linearizable, requires {@link NearCacheSettings#staleReads}.
 */
public final class NearCache<K, V> implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(NearCache.class);

  private final EnsembleCache<K, V> view;
  private final NearScope scope;
  private final NearEntries entries;
  private final BackgroundReads background;
  private final ReplicaReports reports;
  private final CacheExtension<K, V> cache;

  private NearCache(CacheExtension<K, V> cache, NearCacheSettings settings, NearEntries entries) {
    this.cache = cache;
    this.entries = entries;
    scope = NearScope.of(cache, settings);
    background = new BackgroundReads(cache, scope, entries);
    reports =
        new ReplicaReports(
            cache,
            new ReplicaReports.Receiver() {
              @Override
              public void stored(ChangeSource source, Bytes key, Bytes value) {
                reported(source, key, value);
              }

              @Override
              public void interrupted() {
                entries.clear();
              }
            });
    view =
        cache.through(
            new CallLayer() {
              @Override
              public CacheEngine around(CacheEngine engine) {
                return new NearEngine(engine, scope, entries, background);
              }

              @Override
              public void clearing() {
                entries.clear();
              }
            });
  }

  /**
   * Opens a near cache. Sends its requests in the background: one listener at each replica.
   *
   * @param cache a view; the near cache has its deadline
   * @throws UnsupportedOperationException if the cache keeps siblings
   * @throws IllegalArgumentException if the cache is in mode MWMR or SWMR, or is distributed, and
   *     the settings do not allow stale reads; if the cache was not opened by a manager; or if a
   *     key of the settings cannot be encoded
   */
  public static <K, V> NearCache<K, V> open(EnsembleCache<K, V> cache, NearCacheSettings settings) {
    return open(cache, settings, new NearEntries(settings));
  }

  static <K, V> NearCache<K, V> open(
      EnsembleCache<K, V> cache, NearCacheSettings settings, NearEntries entries) {
    CacheExtension<K, V> extension = CacheExtension.of(cache);
    if (extension.definition().keepsSiblings()) {
      throw new UnsupportedOperationException(
          "a near cache requires a cache without siblings; cache=" + cache.getName());
    }
    boolean isWeak =
        extension.definition().mode() == Mode.WEAK
            && !(cache instanceof DistributedEnsembleCache<K, V>);
    if (!isWeak && !settings.allowsStaleReads()) {
      throw new IllegalArgumentException(
          ("reads of this cache are linearizable, and those of a near cache are not: allow them by"
                  + " staleReads(); cache=%s mode=%s")
              .formatted(cache.getName(), extension.definition().mode()));
    }
    NearCache<K, V> opened = new NearCache<>(extension, settings, entries);
    opened.reports.start();
    return opened;
  }

  /** The cache, with reads and writes of single keys through this near cache. */
  public EnsembleCache<K, V> cache() {
    return view;
  }

  /** Called for each entry that a replica reports. */
  private void reported(ChangeSource source, Bytes stored, Bytes value) {
    if (isInternal(stored)) {
      return;
    }
    try {
      Bytes key = cache.keyOf(stored);
      boolean isEager = scope.settings().filling() == Filling.EAGER;
      if (scope.covers(key) && (isEager || entries.concerns(key))) {
        Payload found = source.votes().apply(value).content().value();
        reported(key, found == null ? null : cache.valueOf(key, found), isEager);
      }
    } catch (RuntimeException unreadable) {
      LOG.debug("a report cannot be read; cache={}", view.getName(), unreadable);
      entries.clear();
    }
  }

  private void reported(Bytes key, @Nullable Payload value, boolean isEager) {
    boolean isHeld = entries.concerns(key);
    boolean isContradicted = entries.contradicts(key, value);
    if (isEager) {
      if (isContradicted || !isHeld) {
        background.read(key);
      }
    } else if (isContradicted) {
      entries.drop(key, value);
    }
  }

  /** Whether a stored key is not a user's: encoded keys begin with a small number. */
  private static boolean isInternal(Bytes key) {
    return key.size() > 0 && (key.array()[0] & 0xff) >= 0xfe;
  }

  /** The work of this near cache since it was opened. */
  public NearCacheStatistics statistics() {
    return entries.statistics();
  }

  /** How many replicas report their changes now. */
  public int reportingReplicas() {
    return reports.reporting();
  }

  /** Drops all entries. Results of reads in progress are not held either. */
  public void clear() {
    entries.clear();
  }

  /**
   * Adds meters to {@code registry}: counters {@code ensemble.near.hits}, {@code .misses}, {@code
   * .stale.refusals}, {@code .invalidations}, {@code .background.reads}, {@code .evictions}, and
   * gauges {@code ensemble.near.entries} and {@code .bytes}, with the tag {@code cache}.
   */
  public void bindTo(MeterRegistry registry) {
    Tags tags = Tags.of("cache", view.getName());
    counter(registry, tags, "hits", NearCacheStatistics::hits);
    counter(registry, tags, "misses", NearCacheStatistics::misses);
    counter(registry, tags, "stale.refusals", NearCacheStatistics::staleRefusals);
    counter(registry, tags, "invalidations", NearCacheStatistics::invalidations);
    counter(registry, tags, "background.reads", NearCacheStatistics::backgroundReads);
    counter(registry, tags, "evictions", NearCacheStatistics::evictions);
    gauge(registry, tags, "entries", NearCacheStatistics::entries);
    gauge(registry, tags, "bytes", NearCacheStatistics::bytes);
  }

  private void counter(
      MeterRegistry registry, Tags tags, String name, ToDoubleFunction<NearCacheStatistics> of) {
    FunctionCounter.builder(
            "ensemble.near." + name, this, near -> of.applyAsDouble(near.statistics()))
        .tags(tags)
        .register(registry);
  }

  private void gauge(
      MeterRegistry registry, Tags tags, String name, ToDoubleFunction<NearCacheStatistics> of) {
    Gauge.builder("ensemble.near." + name, this, near -> of.applyAsDouble(near.statistics()))
        .tags(tags)
        .register(registry);
  }

  /** Ends the reports and drops all entries. The view sends each read to the cache from now on. */
  @Override
  public void close() {
    entries.close();
    background.close();
    reports.close();
  }
}

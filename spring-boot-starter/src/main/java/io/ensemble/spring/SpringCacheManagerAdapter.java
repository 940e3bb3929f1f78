package io.ensemble.spring;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.spring.EnsembleProperties.CacheSettings;
import io.ensemble.spring.EnsembleProperties.Caching;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;

/**
 * The caches of a manager in Spring's cache abstraction. A cache is opened when it is first
 * requested. If it does not exist, it is created by its settings, or refused if these have no mode.
 * Thread-safe.
 */
final class SpringCacheManagerAdapter implements CacheManager {

  private static final Logger LOG = LoggerFactory.getLogger(SpringCacheManagerAdapter.class);
  private static final Duration LONGEST_CLEARING = Duration.ofDays(1);

  private final EnsembleCacheManager manager;
  private final Caching caching;
  private final @Nullable Executor executor;
  private final LongSupplier nanoTime;
  private final Map<String, SpringCacheAdapter> opened = new ConcurrentHashMap<>();

  /**
   * @param executor completes futures; null if there is none
   * @throws EnsemblePropertyException if a setting is out of range
   */
  SpringCacheManagerAdapter(
      EnsembleCacheManager manager,
      Caching caching,
      @Nullable Executor executor,
      LongSupplier nanoTime) {
    this.manager = manager;
    this.caching = caching;
    this.executor = executor;
    this.nanoTime = nanoTime;
    checkRanges();
  }

  private void checkRanges() {
    Duration clearing = caching.clearDeadline();
    if (clearing.isNegative() || clearing.isZero() || clearing.compareTo(LONGEST_CLEARING) > 0) {
      throw new EnsemblePropertyException(
          "ensemble.caching.clear-deadline",
          "must be in (0 s, 1 d]; got " + clearing,
          "Correct the property.",
          null);
    }
    checkSettings("ensemble.caching.defaults", "default", caching.defaults());
    caching
        .caches()
        .forEach(
            (name, own) ->
                checkSettings(
                    "ensemble.caching.caches." + name, name, own.orElse(caching.defaults())));
  }

  private static void checkSettings(String property, String name, CacheSettings settings) {
    Duration lifespan = settings.lifespan();
    if (lifespan != null && lifespan.toMillis() < 1) {
      throw new EnsemblePropertyException(
          property + ".lifespan",
          "must be at least 1 ms; got " + lifespan,
          "Correct the property, or remove it for entries that do not expire.",
          null);
    }
    Mode mode = settings.mode();
    List<String> named = settings.sites();
    if (mode != null) {
      try {
        definition(name, mode, named == null || named.isEmpty() ? List.of("a") : named, settings);
      } catch (IllegalArgumentException wrong) {
        // The number of replicas fits or does not fit the sites, which are known later.
        if (named != null || settings.replicas() == null) {
          throw new EnsemblePropertyException(
              property, Objects.toString(wrong.getMessage()), "Correct the property.", wrong);
        }
      }
    }
  }

  /**
   * The cache of that name.
   *
   * @return null if it does not exist and has no mode
   * @throws IllegalStateException if it exists in another mode than its own settings say
   */
  @Override
  public @Nullable Cache getCache(String name) {
    Cache known = opened.get(name);
    if (known != null) {
      return known;
    }
    CacheSettings own = caching.caches().get(name);
    CacheSettings settings = own == null ? caching.defaults() : own.orElse(caching.defaults());
    EnsembleCache<Object, Object> cache = open(name, settings);
    if (cache == null) {
      LOG.warn(
          "a cache does not exist, and its settings have no mode to create it: create it, or set"
              + " ensemble.caching.caches.NAME.mode or ensemble.caching.defaults.mode; cache={}",
          name);
      return null;
    }
    Mode wanted = own == null ? null : own.mode();
    Mode actual = cache.definition().mode();
    if (wanted != null && wanted != actual) {
      throw new IllegalStateException(
          ("the cache exists in another mode than ensemble.caching.caches.%s.mode: change one of"
                  + " both; cache=%s expected=%s got=%s")
              .formatted(name, name, wanted, actual));
    }
    SpringCacheAdapter adapter = adapter(name, cache, settings);
    Cache other = opened.putIfAbsent(name, adapter);
    return other == null ? adapter : other;
  }

  private @Nullable EnsembleCache<Object, Object> open(String name, CacheSettings settings) {
    EnsembleCache<Object, Object> found = manager.getCache(name);
    Mode mode = settings.mode();
    if (found != null || mode == null) {
      return found;
    }
    return manager.getOrCreateCache(definition(name, mode, sitesOf(name, settings), settings));
  }

  /** By default the serving sites of the catalog; without these, the sites of the manager. */
  private List<String> sitesOf(String name, CacheSettings settings) {
    List<String> named = settings.sites();
    if (named != null && !named.isEmpty()) {
      return named;
    }
    List<SiteEntry> entries = manager.membership().entries();
    List<String> all =
        entries.isEmpty()
            ? List.copyOf(new TreeSet<>(manager.siteNames()))
            : entries.stream()
                .filter(site -> site.state() == SiteEntry.State.SERVING)
                .map(SiteEntry::name)
                .toList();
    if (all.isEmpty()) {
      throw new IllegalStateException(
          "a cache can be created only at a serving site, and there is none; cache=" + name);
    }
    return all;
  }

  private static CacheDefinition definition(
      String name, Mode mode, List<String> sites, CacheSettings settings) {
    CacheDefinition.Builder builder = CacheDefinition.of(name, mode).sites(sites);
    setIfPresent(settings.replicas(), builder::replicas);
    setIfPresent(settings.acknowledgement(), builder::acknowledgement);
    setIfPresent(settings.deadline(), builder::deadline);
    setIfPresent(settings.maxValueBytes(), builder::maxValueBytes);
    return builder.build();
  }

  private static <T> void setIfPresent(@Nullable T value, Consumer<T> setter) {
    if (value != null) {
      setter.accept(value);
    }
  }

  private SpringCacheAdapter adapter(
      String name, EnsembleCache<Object, Object> cache, CacheSettings settings) {
    Duration lifespan = settings.lifespan();
    return new SpringCacheAdapter(
        cache,
        new SpringCacheAdapter.Settings(
            lifespan == null ? Duration.ZERO : lifespan,
            caching.clearDeadline(),
            executor,
            nanoTime,
            () -> opened.remove(name)));
  }

  /**
   * The names of the caches that were requested so far. Others of the federation are not listed:
   * Spring Boot opens each listed cache at the start.
   */
  @Override
  public Collection<String> getCacheNames() {
    return List.copyOf(new TreeSet<>(opened.keySet()));
  }
}

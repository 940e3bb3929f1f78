package io.ensemble.jcache;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.Mode;
import io.ensemble.catalog.site.SiteEntry;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.cache.Cache;
import javax.cache.CacheException;
import javax.cache.CacheManager;
import javax.cache.configuration.CompleteConfiguration;
import javax.cache.configuration.Configuration;
import javax.cache.configuration.MutableConfiguration;
import javax.cache.expiry.AccessedExpiryPolicy;
import javax.cache.expiry.TouchedExpiryPolicy;
import javax.cache.spi.CachingProvider;
import org.jspecify.annotations.Nullable;

/** A connection to a federation, and the caches that were created through it. Thread-safe. */
final class EnsembleJCacheManager implements CacheManager {

  /** How many calls of {@code loadAll} may wait for the one that runs. */
  static final int MOST_LOADS = 1_000;

  private static final Duration IDLE_LOADER = Duration.ofSeconds(10);

  private final EnsembleCachingProvider provider;
  private final URI uri;
  private final ClassLoader loader;
  private final Properties properties = new Properties();
  private final ManagerSettings settings;
  private final StoredForm form;
  private final EnsembleCacheManager federation;
  private final ThreadPoolExecutor loads;

  // Guarded by this object's lock.
  private final Map<String, EnsembleJCache<?, ?>> caches = new TreeMap<>();

  private volatile boolean closed;

  EnsembleJCacheManager(
      EnsembleCachingProvider provider, URI uri, ClassLoader loader, Properties given) {
    this.provider = provider;
    this.uri = uri;
    this.loader = loader;
    given.stringPropertyNames().forEach(name -> properties.put(name, given.getProperty(name)));
    this.settings = ManagerSettings.of(uri, given, loader);
    this.form = new StoredForm(settings.setup().schemas(), settings.setup().marshaller(), loader);
    this.federation = federation(settings);
    this.loads =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_LOADER.toNanos(),
            TimeUnit.NANOSECONDS,
            new ArrayBlockingQueue<>(MOST_LOADS),
            task -> {
              Thread thread = new Thread(task, "ensemble-jcache-loader");
              thread.setDaemon(true);
              return thread;
            });
    loads.allowCoreThreadTimeOut(true);
  }

  private static EnsembleCacheManager federation(ManagerSettings settings) {
    EnsembleCacheManagerBuilder builder = EnsembleCacheManager.builder();
    settings.catalog().ifPresent(builder::catalog);
    settings.localSite().ifPresent(builder::localSite);
    settings.setup().schemas().forEach(builder::schema);
    try {
      settings.setup().configure(builder);
      return builder.build();
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw new CacheException("cannot connect to the federation: " + e.getMessage(), e);
    }
  }

  @Override
  public synchronized <K, V, C extends Configuration<K, V>> Cache<K, V> createCache(
      String cacheName, C wanted) {
    ensureOpen();
    Objects.requireNonNull(cacheName, "cache name");
    Objects.requireNonNull(wanted, "configuration");
    if (caches.containsKey(cacheName)) {
      throw new CacheException("the cache exists in this cache manager; cache=" + cacheName);
    }
    if (!wanted.isStoreByValue()) {
      throw new UnsupportedOperationException(
          "entries are stored at sites, by value: set storeByValue; cache=" + cacheName);
    }
    MutableConfiguration<K, V> configuration = copyOf(wanted);
    LocalListeners<K, V> listeners = new LocalListeners<>(cacheName, acceptsListeners(wanted));
    if (configuration.getCacheEntryListenerConfigurations().iterator().hasNext()) {
      listeners.checkAccepted();
    }
    CacheExtensions<K, V> extensions = CacheExtensions.of(configuration);
    EnsembleCache<Object, Object> held;
    try {
      checkExpiry(cacheName, extensions, mode(wanted));
      held = open(cacheName, wanted);
    } catch (RuntimeException e) {
      extensions.close(cacheName, List.of());
      throw e;
    }
    EnsembleJCache<K, V> cache =
        new EnsembleJCache<>(
            this,
            configuration,
            extensions,
            listeners,
            new EntryStore<>(held, form, extensions.expiry()));
    caches.put(cacheName, cache);
    try {
      cache.begin();
    } catch (RuntimeException e) {
      cache.close();
      throw e;
    }
    return cache;
  }

  private static void checkExpiry(String name, CacheExtensions<?, ?> extensions, Mode mode) {
    boolean touches =
        extensions.expiry() instanceof AccessedExpiryPolicy
            || extensions.expiry() instanceof TouchedExpiryPolicy;
    if (touches && mode == Mode.WEAK) {
      throw new UnsupportedOperationException(
          "an expiry policy may not prolong entries on access in mode WEAK, because the read would "
              + "overwrite concurrent writes; cache="
              + name);
    }
  }

  private static <K, V> MutableConfiguration<K, V> copyOf(Configuration<K, V> wanted) {
    if (wanted instanceof EnsembleConfiguration<K, V> own) {
      return EnsembleConfiguration.copyOf(own);
    }
    if (wanted instanceof CompleteConfiguration<K, V> complete) {
      return new MutableConfiguration<>(complete);
    }
    return new MutableConfiguration<K, V>().setTypes(wanted.getKeyType(), wanted.getValueType());
  }

  private boolean acceptsListeners(Configuration<?, ?> wanted) {
    return settings.localListeners()
        || (wanted instanceof EnsembleConfiguration<?, ?> own && own.hasLocalListeners());
  }

  private Mode mode(Configuration<?, ?> wanted) {
    return wanted instanceof EnsembleConfiguration<?, ?> own ? own.mode() : settings.mode();
  }

  private EnsembleCache<Object, Object> open(String name, Configuration<?, ?> wanted) {
    try {
      if (wanted instanceof EnsembleConfiguration<?, ?> own && own.definition().isPresent()) {
        return federation.createCache(own.definition().get().named(name));
      }
      Mode mode = mode(wanted);
      EnsembleCache<Object, Object> there = federation.getCache(name);
      if (there == null) {
        return federation.createCache(
            CacheDefinition.of(name, mode).sites(sitesOfNewCaches()).build());
      }
      if (there.definition().mode() != mode) {
        Mode found = there.definition().mode();
        federation.stopCache(name);
        throw new CacheException(
            ("the cache exists in mode %s and mode %s is requested: use "
                    + "new EnsembleConfiguration<>(Mode.%s) if its guarantees suffice; cache=%s")
                .formatted(found, mode, found, name));
      }
      return there;
    } catch (CacheException e) {
      throw e;
    } catch (RuntimeException e) { // Of the catalog, of the sites, or of an invalid name.
      throw new CacheException("cannot open the cache: " + e.getMessage(), e);
    }
  }

  private List<String> sitesOfNewCaches() {
    if (!settings.sites().isEmpty()) {
      return settings.sites();
    }
    List<String> serving = new ArrayList<>();
    if (settings.catalog().isPresent()) {
      for (SiteEntry site : federation.membership().entries()) {
        if (site.state() == SiteEntry.State.SERVING) {
          serving.add(site.name());
        }
      }
    }
    return serving.isEmpty() ? List.copyOf(federation.siteNames()) : serving;
  }

  /**
   * The cache of that name that was created through this cache manager; null if there is none. A
   * cache of the federation that was created elsewhere is opened by {@code createCache}.
   */
  @Override
  @SuppressWarnings("unchecked") // The types are compared with those of the configuration.
  public synchronized <K, V> @Nullable Cache<K, V> getCache(
      String cacheName, Class<K> keyType, Class<V> valueType) {
    ensureOpen();
    Objects.requireNonNull(keyType, "key type");
    Objects.requireNonNull(valueType, "value type");
    EnsembleJCache<?, ?> cache = caches.get(Objects.requireNonNull(cacheName, "cache name"));
    if (cache == null) {
      return null;
    }
    Configuration<?, ?> configuration = cache.getConfiguration(CompleteConfiguration.class);
    if (configuration.getKeyType() != keyType || configuration.getValueType() != valueType) {
      throw new ClassCastException(
          "the cache has keys of %s and values of %s; requested %s and %s; cache=%s"
              .formatted(
                  configuration.getKeyType().getName(),
                  configuration.getValueType().getName(),
                  keyType.getName(),
                  valueType.getName(),
                  cacheName));
    }
    return (Cache<K, V>) cache;
  }

  @Override
  @SuppressWarnings("unchecked") // JCache: this method does not check the types.
  public synchronized <K, V> @Nullable Cache<K, V> getCache(String cacheName) {
    ensureOpen();
    return (Cache<K, V>) caches.get(Objects.requireNonNull(cacheName, "cache name"));
  }

  @Override
  public synchronized Iterable<String> getCacheNames() {
    ensureOpen();
    return List.copyOf(caches.keySet());
  }

  /**
   * Closes the cache here, and deletes it with its entries for all processes, whether or not it was
   * created through this cache manager. Has no effect if there is none.
   */
  @Override
  public synchronized void destroyCache(String cacheName) {
    ensureOpen();
    EnsembleJCache<?, ?> cache = caches.get(Objects.requireNonNull(cacheName, "cache name"));
    if (cache != null) {
      cache.close();
    }
    try {
      federation.deleteCache(cacheName);
    } catch (RuntimeException e) { // Of the catalog, of the sites, or of an invalid name.
      throw new CacheException("cannot delete the cache: " + e.getMessage(), e);
    }
  }

  @Override
  public void enableManagement(String cacheName, boolean enabled) {
    open(cacheName).setManagementEnabled(enabled);
  }

  @Override
  public void enableStatistics(String cacheName, boolean enabled) {
    open(cacheName).setStatisticsEnabled(enabled);
  }

  private synchronized EnsembleJCache<?, ?> open(String cacheName) {
    ensureOpen();
    EnsembleJCache<?, ?> cache = caches.get(Objects.requireNonNull(cacheName, "cache name"));
    if (cache == null) {
      throw new CacheException("no such cache in this cache manager; cache=" + cacheName);
    }
    return cache;
  }

  /**
   * Runs a task on the thread for loading.
   *
   * @throws CacheException if {@value #MOST_LOADS} tasks wait already
   */
  void execute(Runnable task) {
    try {
      loads.execute(task);
    } catch (RejectedExecutionException e) {
      throw new CacheException(
          "too many calls of loadAll wait, or the cache manager is closed; nothing was loaded;"
              + " most="
              + MOST_LOADS,
          e);
    }
  }

  void release(String cacheName) {
    synchronized (this) {
      caches.remove(cacheName);
    }
  }

  /** Closes the caches and the connection. The entries stay in the federation. */
  @Override
  public void close() {
    provider.release(this);
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      List.copyOf(caches.values()).forEach(EnsembleJCache::close);
    }
    loads.shutdown();
    federation.close();
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  private void ensureOpen() {
    if (closed) {
      throw new IllegalStateException("the cache manager is closed; uri=" + uri);
    }
  }

  @Override
  public CachingProvider getCachingProvider() {
    return provider;
  }

  @Override
  public URI getURI() {
    return uri;
  }

  @Override
  public ClassLoader getClassLoader() {
    return loader;
  }

  @Override
  public Properties getProperties() {
    return properties;
  }

  @Override
  public <T> T unwrap(Class<T> type) {
    if (type.isInstance(this)) {
      return type.cast(this);
    }
    if (type == EnsembleCacheManager.class) {
      return type.cast(federation);
    }
    throw new IllegalArgumentException("a cache manager cannot be unwrapped to " + type.getName());
  }
}

package io.ensemble.jcache;

import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import javax.cache.CacheManager;
import javax.cache.configuration.OptionalFeature;
import javax.cache.spi.CachingProvider;
import org.jspecify.annotations.Nullable;

/**
 * The provider of JCache over Ensemble, which {@code Caching.getCachingProvider()} finds. The URI
 * of a cache manager is the address of a catalog: {@code zk://host:port,.../path} or {@code
 * file:///directory}. With the default URI, the property {@code ensemble.jcache.catalog} has that
 * address. A cache manager keeps its class loader until it is closed. Thread-safe.
 */
public final class EnsembleCachingProvider implements CachingProvider {

  // Guarded by this object's lock.
  private final Map<ManagerKey, EnsembleJCacheManager> managers = new HashMap<>();

  private record ManagerKey(URI uri, ClassLoader loader) {}

  /** Creates a provider without cache managers. */
  public EnsembleCachingProvider() {}

  /**
   * Returns the cache manager of the URI and the class loader; creates one if there is none.
   *
   * @param uri null for the default
   * @param classLoader null for the default
   * @param properties of a new cache manager; null for none. They override system properties. If
   *     the cache manager exists, they have no effect
   * @throws javax.cache.CacheException if a setting is not possible. No site is contacted
   */
  @Override
  public CacheManager getCacheManager(
      @Nullable URI uri, @Nullable ClassLoader classLoader, @Nullable Properties properties) {
    ManagerKey key = key(uri, classLoader);
    synchronized (this) {
      EnsembleJCacheManager manager = managers.get(key);
      if (manager == null) {
        manager =
            new EnsembleJCacheManager(
                this, key.uri(), key.loader(), properties == null ? new Properties() : properties);
        managers.put(key, manager);
      }
      return manager;
    }
  }

  private ManagerKey key(@Nullable URI uri, @Nullable ClassLoader classLoader) {
    return new ManagerKey(
        uri == null ? getDefaultURI() : uri,
        classLoader == null ? getDefaultClassLoader() : classLoader);
  }

  @Override
  public CacheManager getCacheManager(@Nullable URI uri, @Nullable ClassLoader classLoader) {
    return getCacheManager(uri, classLoader, null);
  }

  @Override
  public CacheManager getCacheManager() {
    return getCacheManager(null, null, null);
  }

  @Override
  public ClassLoader getDefaultClassLoader() {
    return EnsembleCachingProvider.class.getClassLoader();
  }

  @Override
  public URI getDefaultURI() {
    return ManagerSettings.DEFAULT_URI;
  }

  /** The system properties whose names begin with {@code ensemble.jcache.}. */
  @Override
  public Properties getDefaultProperties() {
    return ManagerSettings.ofSystem();
  }

  /** False for each optional feature: entries are stored at sites, by value. */
  @Override
  public boolean isSupported(OptionalFeature optionalFeature) {
    return false;
  }

  @Override
  public void close() {
    all().forEach(EnsembleJCacheManager::close);
  }

  @Override
  public void close(ClassLoader classLoader) {
    all().stream()
        .filter(manager -> manager.getClassLoader() == classLoader)
        .forEach(EnsembleJCacheManager::close);
  }

  @Override
  public void close(URI uri, ClassLoader classLoader) {
    EnsembleJCacheManager manager;
    synchronized (this) {
      manager = managers.get(key(uri, classLoader));
    }
    if (manager != null) {
      manager.close();
    }
  }

  private synchronized List<EnsembleJCacheManager> all() {
    return new ArrayList<>(managers.values());
  }

  synchronized void release(EnsembleJCacheManager manager) {
    managers.remove(new ManagerKey(manager.getURI(), manager.getClassLoader()), manager);
  }
}

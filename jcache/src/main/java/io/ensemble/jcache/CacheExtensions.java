package io.ensemble.jcache;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.cache.Cache;
import javax.cache.CacheException;
import javax.cache.configuration.CompleteConfiguration;
import javax.cache.configuration.Factory;
import javax.cache.expiry.ExpiryPolicy;
import javax.cache.integration.CacheLoader;
import javax.cache.integration.CacheLoaderException;
import javax.cache.integration.CacheWriter;
import javax.cache.integration.CacheWriterException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The objects of the application that a cache calls. Exceptions of the loader and of the writer
 * become those that JCache specifies.
 *
 * @param loader null if there is none
 * @param readThrough whether reads of absent keys call the loader
 * @param writer null if there is none, or the cache does not write through
 */
record CacheExtensions<K, V>(
    ExpiryPolicy expiry,
    @Nullable CacheLoader<K, V> loader,
    boolean readThrough,
    @Nullable CacheWriter<K, V> writer) {

  private static final Logger LOG = LoggerFactory.getLogger(CacheExtensions.class);

  @SuppressWarnings("unchecked") // A writer accepts the keys and values of its cache.
  static <K, V> CacheExtensions<K, V> of(CompleteConfiguration<K, V> configuration) {
    Factory<CacheLoader<K, V>> loaders = configuration.getCacheLoaderFactory();
    Factory<CacheWriter<? super K, ? super V>> writers = configuration.getCacheWriterFactory();
    return new CacheExtensions<>(
        configuration.getExpiryPolicyFactory().create(),
        loaders == null ? null : loaders.create(),
        configuration.isReadThrough(),
        writers == null || !configuration.isWriteThrough()
            ? null
            : (CacheWriter<K, V>) writers.create());
  }

  /** The value that a read of an absent key loads; null if there is none. */
  @Nullable V readThrough(K key) {
    CacheLoader<K, V> source = loader;
    if (source == null || !readThrough) {
      return null;
    }
    try {
      return source.load(key);
    } catch (CacheLoaderException e) {
      throw e;
    } catch (Exception e) {
      throw new CacheLoaderException("the cache loader failed", e);
    }
  }

  /** Loads values; those of null are left out. */
  Map<K, V> load(CacheLoader<K, V> source, Collection<K> keys) {
    try {
      Map<K, V> loaded = new HashMap<>(source.loadAll(keys));
      loaded.values().removeIf(value -> value == null);
      return loaded;
    } catch (CacheLoaderException e) {
      throw e;
    } catch (Exception e) {
      throw new CacheLoaderException("the cache loader failed", e);
    }
  }

  void write(K key, V value) {
    CacheWriter<K, V> target = writer;
    if (target != null) {
      written(() -> target.write(new EnsembleEntry<>(key, value)));
    }
  }

  void delete(K key) {
    CacheWriter<K, V> target = writer;
    if (target != null) {
      written(() -> target.delete(key));
    }
  }

  /**
   * Writes all entries, and removes those that were written from {@code entries}.
   *
   * @return the failure of the writer, if some entries were perhaps not written
   */
  @Nullable CacheException writeAll(Collection<Cache.Entry<? extends K, ? extends V>> entries) {
    CacheWriter<K, V> target = writer;
    if (target == null) {
      entries.clear();
      return null;
    }
    return failure(() -> target.writeAll(entries));
  }

  /** Deletes all keys, and removes those that were deleted from {@code keys}. */
  @Nullable CacheException deleteAll(Collection<?> keys) {
    CacheWriter<K, V> target = writer;
    if (target == null) {
      keys.clear();
      return null;
    }
    return keys.isEmpty() ? null : failure(() -> target.deleteAll(keys));
  }

  private static @Nullable CacheException failure(Runnable call) {
    try {
      written(call);
      return null;
    } catch (CacheException e) {
      return e;
    }
  }

  private static void written(Runnable call) {
    try {
      call.run();
    } catch (CacheWriterException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new CacheWriterException("the cache writer failed", e);
    }
  }

  /** Closes those that can be closed, and {@code others}. A failure is logged. */
  void close(String cache, List<?> others) {
    List<@Nullable Object> all = new ArrayList<>(others);
    all.add(loader);
    all.add(writer);
    all.add(expiry);
    for (Object one : all) {
      if (one instanceof AutoCloseable closeable) {
        try {
          closeable.close();
        } catch (Exception e) {
          LOG.warn(
              "cannot close an object of the application; cache={} type={}",
              cache,
              one.getClass().getName(),
              e);
        }
      }
    }
  }
}

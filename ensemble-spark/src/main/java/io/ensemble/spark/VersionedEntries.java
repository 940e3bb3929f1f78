package io.ensemble.spark;

import io.ensemble.EnsembleCache;
import io.ensemble.collection.CollectionCursor;
import io.ensemble.collection.CollectionSlice;
import io.ensemble.collection.EntryCollection;
import io.ensemble.collection.SnapshotCollection;
import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.store.EnsembleObjectStore;
import io.ensemble.versioning.BinaryCodec;
import io.ensemble.versioning.CacheSnapshot;
import io.ensemble.versioning.Versioned;
import io.ensemble.versioning.VersionedCache;
import io.ensemble.versioning.VersionedCacheBuilder.VersionedCacheSettings;
import io.ensemble.versioning.order.HybridTimes;
import io.ensemble.versioning.order.Timestamps;
import io.ensemble.versioning.order.VersionSpace;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.infinispan.commons.api.BasicCache;

/**
 * The entries of a versioned cache as of one version: a consistent cut. The driver chooses the
 * version; the executors open the same one. For one thread.
 *
 * @param <T> the versions
 */
final class VersionedEntries<T> implements AutoCloseable {

  private final AtomicObjectFactory factory;
  private final VersionedCache<Object, Object, T> cache;
  private final CacheSnapshot<Object, Object, T> snapshot;
  private final BinaryCodec<Object> keys;
  private final String cut;

  private VersionedEntries(
      AtomicObjectFactory factory,
      VersionedCache<Object, Object, T> cache,
      CacheSnapshot<Object, Object, T> snapshot,
      BinaryCodec<Object> keys,
      String cut) {
    this.factory = factory;
    this.cache = cache;
    this.snapshot = snapshot;
    this.keys = keys;
    this.cut = cut;
  }

  /**
   * Opens the entries that the options name.
   *
   * @param store the cache that holds the versioned cache; not closed with the entries
   * @param cut of {@link #cut}; empty to choose it by the option {@code at}
   * @throws IllegalArgumentException if there is no such versioned cache, or the version cannot be
   *     read
   */
  @SuppressWarnings("unchecked") // Versions are stored as bytes; other entries are not read.
  static VersionedEntries<?> open(
      SourceOptions options, EnsembleCache<Object, Object> store, Optional<String> cut) {
    BasicCache<String, byte[]> bytes = (BasicCache<String, byte[]>) (BasicCache<?, ?>) store;
    AtomicObjectFactory factory = AtomicObjectFactory.on(new EnsembleObjectStore(bytes));
    try {
      String name = options.get(SourceOptions.VERSIONS).orElseThrow();
      VersionedCacheSettings settings =
          VersionedCacheSettings.find(factory, name)
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "no such versioned cache: %s; cache=%s"
                              .formatted(name, options.cache())));
      if (settings.space().equals(new HybridTimes().name())) {
        return new Opening<>(options, factory, settings, new HybridTimes()).entries(cut);
      }
      if (settings.space().equals(new Timestamps().name())) {
        // Without a clock no number is too far ahead of it.
        return new Opening<>(options, factory, settings, new Timestamps(() -> 0)).entries(cut);
      }
      throw new IllegalArgumentException(
          "the versions must be %s or %s; got %s; versioned cache=%s"
              .formatted(
                  new HybridTimes().name(), new Timestamps().name(), settings.space(), name));
    } catch (RuntimeException e) {
      factory.close();
      throw e;
    }
  }

  /** What is needed to open a cache with its space of versions. */
  private record Opening<T>(
      SourceOptions options,
      AtomicObjectFactory factory,
      VersionedCacheSettings settings,
      VersionSpace<T> space) {

    VersionedEntries<T> entries(Optional<String> cut) {
      BinaryCodec<Object> keys = options.keyType().codec();
      VersionedCache<Object, Object, T> cache =
          settings
              .builder(
                  factory,
                  options.get(SourceOptions.VERSIONS).orElseThrow(),
                  keys,
                  options.valueCodec(),
                  space)
              .openIfCreated()
              .orElseThrow();
      CacheSnapshot<Object, Object, T> snapshot =
          cut.map(text -> reopened(cache, text)).orElseGet(() -> chosen(cache));
      return new VersionedEntries<>(
          factory,
          cache,
          snapshot,
          keys,
          HexFormat.of().formatHex(space.write(snapshot.version())));
    }

    private CacheSnapshot<Object, Object, T> reopened(
        VersionedCache<Object, Object, T> cache, String cut) {
      T version = space.read(HexFormat.of().parseHex(cut));
      space.observe(version); // The clock of this process may be behind that of the driver.
      return cache.at(version);
    }

    private CacheSnapshot<Object, Object, T> chosen(VersionedCache<Object, Object, T> cache) {
      boolean isByClock = settings.space().equals(new HybridTimes().name());
      String at = options.get(SourceOptions.AT).orElse(null);
      if (at == null) {
        if (!isByClock) {
          throw new IllegalArgumentException(
              "option 'at' must be the number of a version, as versions are numbers; cache="
                  + cache.getName());
        }
        return cache.snapshot();
      }
      try {
        long millis = isByClock ? Instant.parse(at).toEpochMilli() : Long.parseLong(at);
        return cache.at(space.lastAt(millis).orElseThrow());
      } catch (DateTimeParseException | NumberFormatException e) {
        throw new IllegalArgumentException(
            "option 'at' must be %s; got '%s'"
                .formatted(
                    isByClock ? "a time such as 2026-01-31T12:00:00Z" : "the number of a version",
                    at),
            e);
      }
    }
  }

  /** The version, for {@link #open} in another process. */
  String cut() {
    return cut;
  }

  private EntryCollection<Object, Versioned<T, Object>> collection() {
    return SnapshotCollection.of(snapshot, keys);
  }

  /** The entries of a slice. */
  CollectionCursor<Map.Entry<Object, Object>> in(CollectionSlice slice) {
    return collection()
        .in(slice)
        .open((key, version) -> version.value().map(value -> Map.entry(key, value)).orElse(null));
  }

  /** The entries of these keys that have a value. */
  Map<Object, Object> getAll(Set<Object> wanted) {
    Map<Object, Object> found = new LinkedHashMap<>();
    snapshot
        .getAll(wanted)
        .forEach((key, version) -> version.value().ifPresent(value -> found.put(key, value)));
    return found;
  }

  @Override
  public void close() {
    cache.close();
    factory.close();
  }
}

package io.ensemble.benchmarks.versions;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.store.HotRodObjectStore;
import io.ensemble.versioning.BinaryCodec;
import io.ensemble.versioning.Versioned;
import io.ensemble.versioning.VersionedCache;
import io.ensemble.versioning.VersionedCacheBuilder;
import io.ensemble.versioning.order.Timestamps;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import org.infinispan.client.hotrod.DataFormat;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.commons.dataconversion.MediaType;
import org.infinispan.commons.marshall.IdentityMarshaller;
import org.infinispan.commons.util.CloseableIterator;

/** A versioned cache in a cache of its own, so that its stored data is separate from others'. */
final class MeasuredVersionedCache implements AutoCloseable {

  /**
   * The stored data, one copy of each entry.
   *
   * @param bytes the bytes of keys and values, without Infinispan's overhead
   */
  record StoredSize(long entries, long bytes) {}

  private static final int BATCH = 500;
  private static final Duration LONGEST = Duration.ofSeconds(60);

  private final RemoteCache<byte[], byte[]> entries;
  private final CountingStore store;
  private final AtomicObjectFactory factory;
  private final VersionedCache<String, byte[], Long> cache;

  private MeasuredVersionedCache(RemoteCache<?, ?> remote, VersionedCacheSetup setup) {
    DataFormat bytes =
        DataFormat.builder()
            .keyType(MediaType.APPLICATION_OCTET_STREAM)
            .keyMarshaller(IdentityMarshaller.INSTANCE)
            .valueType(MediaType.APPLICATION_OCTET_STREAM)
            .valueMarshaller(IdentityMarshaller.INSTANCE)
            .build();
    this.entries = remote.<byte[], byte[]>withDataFormat(bytes);
    this.store = new CountingStore(new HotRodObjectStore(remote));
    this.factory = AtomicObjectFactory.builder(store).timeout(LONGEST).build();
    Timestamps recorded = new Timestamps(() -> 0); // Accepts any time, also in the future.
    VersionedCacheBuilder<String, byte[], Long> builder =
        VersionedCache.builder(factory, "pages", BinaryCodec.TEXT, BinaryCodec.BYTES, recorded)
            .index(setup.index())
            .cacheBytes(setup.keptBytes())
            .timeout(LONGEST);
    this.cache = (setup.deltas() ? builder.deltas() : builder).open();
  }

  /** Opens the cache of that name. */
  static MeasuredVersionedCache open(
      RemoteCacheManager manager, String name, VersionedCacheSetup setup) {
    return new MeasuredVersionedCache(HotRodObjectStore.cache(manager, "versions-" + name), setup);
  }

  VersionedCache<String, byte[], Long> cache() {
    return cache;
  }

  CountingStore store() {
    return store;
  }

  /**
   * Makes a request for each element, at most {@code atOnce} concurrently, and waits for all.
   *
   * @throws IllegalStateException if one fails
   */
  static <E> void forEach(List<E> all, int atOnce, Function<E, CompletionStage<?>> request) {
    Semaphore room = new Semaphore(atOnce);
    List<CompletableFuture<?>> begun = new ArrayList<>();
    for (E each : all) {
      room.acquireUninterruptibly();
      begun.add(
          request
              .apply(each)
              .toCompletableFuture()
              .whenComplete((done, failure) -> room.release()));
    }
    try {
      CompletableFuture.allOf(begun.toArray(CompletableFuture[]::new)).join();
    } catch (CompletionException e) {
      throw new IllegalStateException("a history cannot be loaded", e.getCause());
    }
  }

  /** Adds all versions of each key in one step, for at most {@code atOnce} keys concurrently. */
  void load(List<KeyHistory> keys, int atOnce) {
    forEach(keys, atOnce, k -> cache.async().addAll(k.key(), k.versions()));
  }

  /**
   * Adds the versions of each key one after the other, for at most {@code atOnce} keys
   * concurrently.
   */
  void loadSingly(List<KeyHistory> keys, int atOnce) {
    forEach(
        keys,
        atOnce,
        k -> {
          CompletableFuture<Void> done = new CompletableFuture<>();
          addFrom(k, 0, done);
          return done;
        });
  }

  private void addFrom(KeyHistory history, int at, CompletableFuture<Void> done) {
    if (at == history.versions().size()) {
      done.complete(null);
      return;
    }
    add(history.key(), history.versions().get(at))
        .whenComplete(
            (nothing, failure) -> {
              if (failure == null) {
                addFrom(history, at + 1, done);
              } else {
                done.completeExceptionally(failure);
              }
            });
  }

  private CompletionStage<Void> add(String key, Versioned<Long, byte[]> version) {
    return version
        .value()
        .map(value -> cache.async().put(key, value, version.version()))
        .orElseGet(() -> cache.async().addAll(key, List.of(version)));
  }

  /** Waits until all data that must be moved out has been moved. */
  void settle(List<KeyHistory> keys, int atOnce) {
    forEach(keys, atOnce, k -> cache.async().settle(k.key()));
  }

  /** The present stored data. */
  StoredSize stored() {
    long count = 0;
    long bytes = 0;
    try (CloseableIterator<Map.Entry<Object, Object>> all = entries.retrieveEntries(null, BATCH)) {
      while (all.hasNext()) {
        Map.Entry<Object, Object> next = all.next();
        count++;
        bytes += ((byte[]) next.getKey()).length + ((byte[]) next.getValue()).length;
      }
    }
    return new StoredSize(count, bytes);
  }

  /** Removes all stored data. */
  void clear() {
    entries.clear();
  }

  @Override
  public void close() {
    cache.close();
    factory.close();
  }
}

package io.ensemble.collection;

import io.ensemble.objects.AtomicObjectException;
import io.ensemble.objects.runtime.BlockingWait;
import io.ensemble.partition.StableHash;
import io.ensemble.site.Bytes;
import io.ensemble.versioning.BinaryCodec;
import io.ensemble.versioning.CacheSnapshot;
import io.ensemble.versioning.Versioned;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.infinispan.commons.util.CloseableIterator;
import org.jspecify.annotations.Nullable;

/** The entries of a versioned cache as of one version. Thread-safe. */
final class SnapshotEntries<K, V, T> implements EntrySource<K, Versioned<T, V>> {

  private static final int BATCH = 256;

  private final CacheSnapshot<K, V, T> snapshot;
  private final BinaryCodec<K> keys;
  private @Nullable Long number; // Guarded by this.

  SnapshotEntries(CacheSnapshot<K, V, T> snapshot, BinaryCodec<K> keys) {
    this.snapshot = snapshot;
    this.keys = keys;
  }

  @Override
  public String name() {
    return snapshot.toString();
  }

  /** Of the name, the version and the birth of the cache. The first call reads the birth. */
  @Override
  public synchronized long number() {
    Long known = number;
    if (known == null) {
      known = StableHash.of(snapshot + "/" + snapshot.birth());
      number = known;
    }
    return known;
  }

  @Override
  public List<CollectionSlice> slices(int wanted) {
    return CollectionSlice.ofAll(wanted);
  }

  @Override
  public List<KeyScan> scans(CollectionSlice slice) {
    if (slice.part() >= 0) {
      throw new IllegalArgumentException("a snapshot has no parts; got " + slice);
    }
    return List.of(new SnapshotScan());
  }

  /** Blocks in its calls, as the iterator of keys does. */
  private final class SnapshotScan implements KeyScan {

    private @Nullable CloseableIterator<K> open;

    @Override
    public CompletionStage<List<Bytes>> next() {
      CloseableIterator<K> found = open == null ? snapshot.keys() : open;
      open = found;
      List<Bytes> batch = new ArrayList<>();
      while (batch.size() < BATCH && found.hasNext()) {
        batch.add(Bytes.of(keys.write().apply(found.next())));
      }
      return CompletableFuture.completedFuture(batch);
    }

    @Override
    public void close() {
      CloseableIterator<K> found = open;
      if (found != null) {
        found.close();
      }
    }
  }

  @Override
  public CompletionStage<Optional<Versioned<T, V>>> read(Bytes key) {
    return snapshot.getAsync(key(key)).thenApply(found -> found.filter(v -> v.value().isPresent()));
  }

  @Override
  public K key(Bytes key) {
    return keys.read().apply(key.array());
  }

  @Override
  public <R> R await(Supplier<? extends CompletionStage<R>> call) {
    return BlockingWait.toItsEnd(call.get());
  }

  @Override
  public boolean isRepeatable(RuntimeException failure) {
    return failure instanceof AtomicObjectException;
  }
}

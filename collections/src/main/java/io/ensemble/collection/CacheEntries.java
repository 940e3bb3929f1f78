package io.ensemble.collection;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.cache.adapter.CacheReader;
import io.ensemble.site.Bytes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** The entries of a cache, each read by the cache's mode. Thread-safe. */
final class CacheEntries<K, V> implements EntrySource<K, V> {

  private final CacheReader<K, V> cache;

  CacheEntries(CacheReader<K, V> cache) {
    this.cache = cache;
  }

  @Override
  public String name() {
    return cache.name();
  }

  @Override
  public long number() {
    return cache.number();
  }

  @Override
  public List<CollectionSlice> slices(int wanted) {
    OptionalLong generation = cache.generation();
    if (generation.isEmpty()) {
      return CollectionSlice.ofAll(wanted);
    }
    int parts = cache.parts();
    int ranges = Math.max(1, Math.min(CollectionSlice.MOST_RANGES, (wanted + parts - 1) / parts));
    List<CollectionSlice> slices = new ArrayList<>();
    for (int part = 0; part < parts; part++) {
      for (int range = 0; range < ranges; range++) {
        slices.add(new CollectionSlice(part, generation.getAsLong(), range, ranges));
      }
    }
    return slices;
  }

  @Override
  public List<KeyScan> scans(CollectionSlice slice) {
    // First the generation: if the parts change in between, the scans fail.
    OptionalLong generation = cache.generation();
    if (slice.part() >= 0) {
      if (generation.orElse(0) != slice.generation() || slice.part() >= cache.parts()) {
        throw new SlicesOutdatedException(name(), slice.generation(), generation.orElse(0));
      }
      return List.of(scan(cache.scan(slice.generation(), slice.part())));
    }
    if (generation.isEmpty()) {
      return List.of(scan(cache.scan()));
    }
    List<KeyScan> scans = new ArrayList<>();
    for (int part = 0; part < cache.parts(); part++) {
      scans.add(scan(cache.scan(generation.getAsLong(), part)));
    }
    return scans;
  }

  private static KeyScan scan(CacheReader.KeyScan scan) {
    return new KeyScan() {
      @Override
      public CompletionStage<List<Bytes>> next() {
        return scan.next();
      }

      @Override
      public void close() {
        scan.close();
      }
    };
  }

  @Override
  public CompletionStage<Optional<V>> read(Bytes key) {
    return cache.get(key);
  }

  @Override
  public K key(Bytes key) {
    return cache.key(key);
  }

  @Override
  public <T> T await(Supplier<? extends CompletionStage<T>> call) {
    return cache.resultOf(call);
  }

  /** The deadline of the view: for so long a read waits, too, for the end of a change. */
  @Override
  public Duration patience() {
    return cache.deadline();
  }

  @Override
  public long nanos() {
    return cache.nanos();
  }

  @Override
  public void pause(Duration length) {
    cache.pause(length);
  }

  /** An engine whose configuration has ended is closed; the next pass finds the new engine. */
  @Override
  public boolean isRepeatable(RuntimeException failure) {
    return cache.isOpen()
        && (failure instanceof QuorumUnavailableException
            || failure instanceof IllegalStateException);
  }
}

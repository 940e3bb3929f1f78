package io.ensemble.collection;

import io.ensemble.EnsembleCache;
import io.ensemble.cache.adapter.CacheReader;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * All entries of a cache, for iterations and reductions of any length. Immutable and thread-safe;
 * each method that changes a setting returns another collection. Iterations of one collection are
 * independent.
 *
 * <p><b>Guarantees in every mode.</b> A key that is present throughout is returned exactly once, by
 * one cursor or by a sequence of cursors of which each begins at the position of the former one.
 * That holds while other keys are written and removed, sites fail, the sites of the cache are
 * changed, and the parts of a distributed cache change. No key is returned twice, whatever happens
 * to it. A key that is added or removed meanwhile is returned or not. There is no cut: each value
 * is read by itself, as {@code get} would, when its turn comes. In MWMR, and in SWMR with {@code
 * ack=majority}, each value is the one at some moment between two calls of {@code next}, or of the
 * calls for at most as many items before as are {@linkplain #withMemory read ahead}. In WEAK, a key
 * that the scanned site does not hold yet may be missing, and a value may be an older one, as for
 * {@code get}. In frontier mode, keys of parts beyond the frontier are absent, as for {@code get}.
 *
 * <p><b>A consistent cut</b> is that of a {@linkplain SnapshotCollection snapshot} of a versioned
 * cache: all entries as of one version, and any number of iterations return the same.
 *
 * <p><b>Costs.</b> A pass scans the keys of as many replicas as find all of them; the site sends
 * the values too. In MWMR and SWMR, as many replicas as form no majority without the others: 2 of
 * 3. A pass keeps the next 200,000 keys in memory by default ({@link #withMemory}). So a cache with
 * so many keys needs one pass, and one with a million needs five. Then one read for each key, 64 at
 * a time.
 *
 * <p>Filters and projections run in this process, on the thread that calls the cursor, and for
 * reductions on threads of the reduction. They must not modify what they are given.
 *
 * @param <K> the keys
 * @param <V> the values
 */
public final class EntryCollection<K, V> {

  private final EntrySource<K, V> source;
  private final CollectionSettings<K, V> settings;

  private EntryCollection(EntrySource<K, V> source, CollectionSettings<K, V> settings) {
    this.source = source;
    this.settings = settings;
  }

  /**
   * The entries of a cache, read with the deadline of this view.
   *
   * @throws IllegalArgumentException if the cache was not opened by an {@code EnsembleCacheManager}
   */
  public static <K, V> EntryCollection<K, V> of(EnsembleCache<K, V> cache) {
    return of(new CacheEntries<>(CacheReader.of(cache)));
  }

  /** The entries of a source; for tests. */
  public static <K, V> EntryCollection<K, V> of(EntrySource<K, V> source) {
    return new EntryCollection<>(source, CollectionSettings.defaults());
  }

  private EntryCollection<K, V> with(CollectionSettings<K, V> other) {
    return new EntryCollection<>(source, other);
  }

  /**
   * Only entries with such keys. Of other keys no value is read. Several filters apply together. A
   * cursor evaluates the filter up to three times for a key.
   */
  public EntryCollection<K, V> filterKeys(Predicate<? super K> wanted) {
    Predicate<? super K> before = settings.keys();
    return with(settings.filtered(key -> before.test(key) && wanted.test(key), settings.entries()));
  }

  /** Only such entries, in addition to other filters. */
  public EntryCollection<K, V> filter(BiPredicate<? super K, ? super V> wanted) {
    BiPredicate<? super K, ? super V> before = settings.entries();
    return with(
        settings.filtered(
            settings.keys(), (key, value) -> before.test(key, value) && wanted.test(key, value)));
  }

  /**
   * Slices that together have each key once, for readers that divide the work, also in several
   * processes: at least one for each part of a distributed cache, or ranges of hashes for another
   * cache. A reader of a part scans only that part. A reader of a range scans all keys, and reads
   * the values of its own. A key that moves to another part meanwhile is not lost: when the parts
   * change, a slice of a part fails with {@link SlicesOutdatedException}.
   *
   * @param wanted how many slices, about; 1 to {@value CollectionSlice#MOST_RANGES}
   * @throws IllegalArgumentException for another number
   */
  public List<CollectionSlice> slices(int wanted) {
    if (wanted < 1 || wanted > CollectionSlice.MOST_RANGES) {
      throw new IllegalArgumentException(
          "the number of slices must be in [1, %d]; got %d"
              .formatted(CollectionSlice.MOST_RANGES, wanted));
    }
    return source.slices(wanted);
  }

  /** Only the entries of a slice. */
  public EntryCollection<K, V> in(CollectionSlice slice) {
    return with(settings.in(slice));
  }

  /**
   * Continues after a {@linkplain CollectionCursor#position position} of a cursor of the same cache
   * and slice. The filters should be the same. A change of the cache's sites does not matter. A
   * cache that was deleted and created again is another cache.
   *
   * @throws IllegalArgumentException when a cursor is opened, if the position is malformed, or is
   *     of another cache or slice
   */
  public EntryCollection<K, V> from(String position) {
    return with(settings.from(position));
  }

  /**
   * Bounds the memory of each cursor.
   *
   * @param readsAhead how many values are read at a time, and held at most; 64 by default, 1 to
   *     1,024
   * @param keys how many keys a pass keeps; 200,000 by default, about 200 bytes each and the key.
   *     The number of passes is that of all keys divided by this one, rounded up
   * @param keyBytes how many bytes of encoded keys a pass keeps; 32 MiB by default
   * @throws IllegalArgumentException if a number is out of range
   */
  public EntryCollection<K, V> withMemory(int readsAhead, int keys, long keyBytes) {
    return with(settings.bounded(readsAhead, keys, keyBytes));
  }

  /**
   * How often a pass or a read is tried before its failure is thrown; 3 by default, 1 to 100. Each
   * try of a request has a deadline of its own. A pass that is repeated begins at its first key,
   * after a pause of 50 ms, which doubles up to 1 s. A pass over a cache is tried until the
   * deadline of the view has passed since its first failure, even if that is more often: so a
   * change of the sites or of the parts fails no pass that other calls survive.
   *
   * @throws IllegalArgumentException if the number is out of range
   */
  public EntryCollection<K, V> withAttempts(int attempts) {
    return with(settings.trying(attempts));
  }

  /**
   * Calls {@code listener} after each batch of a pass, after each 1,000 visited keys and at the
   * end, on the thread that calls the cursor. An exception of the listener fails the call.
   */
  public EntryCollection<K, V> withProgress(Consumer<? super CollectionProgress> listener) {
    return with(settings.reporting(listener));
  }

  /** Opens a cursor over entries. Sends nothing yet. */
  public CollectionCursor<Map.Entry<K, V>> open() {
    return open(Map::entry);
  }

  /**
   * Opens a cursor over what {@code projection} makes of each entry; an entry for which it returns
   * null is left out. Sends nothing yet.
   *
   * @throws IllegalArgumentException if the position does not fit
   */
  public <R> CollectionCursor<R> open(BiFunction<? super K, ? super V, ? extends R> projection) {
    return new HashOrderCursor<>(source, settings, projection);
  }

  /**
   * Applies {@code map} to each entry on several threads, and combines the results.
   *
   * @param map an entry for which it returns null is left out
   * @param combine must be associative; called in the order of the iteration
   * @param threads how many threads; they are started for this call, and end with it
   * @return empty if no entry has a result
   * @throws RuntimeException as {@link CollectionCursor#next}, or an exception of a function
   */
  public <R> Optional<R> parallelReduce(
      BiFunction<? super K, ? super V, ? extends R> map, BinaryOperator<R> combine, int threads) {
    return parallelReduce(map, combine, threads, partial -> {});
  }

  /**
   * As the other method; calls {@code checkpoint} with each partial result, on the calling thread,
   * about every {@value ParallelReduction#CHUNK} entries. To continue later: reduce the collection
   * {@linkplain #from from} the position of a partial result, and combine its result with the
   * further one. An exception of {@code checkpoint} ends the reduction.
   *
   * <p>Holds at most {@value ParallelReduction#CHUNK} entries for each thread, twice.
   */
  public <R> Optional<R> parallelReduce(
      BiFunction<? super K, ? super V, ? extends R> map,
      BinaryOperator<R> combine,
      int threads,
      Consumer<? super PartialResult<R>> checkpoint) {
    return ParallelReduction.onOwnThreads(
        threads, pool -> parallelReduce(map, combine, threads, pool, checkpoint));
  }

  /**
   * As the other method, on the threads of {@code executor}, which must not run tasks on the
   * calling thread and must not reject tasks.
   */
  public <R> Optional<R> parallelReduce(
      BiFunction<? super K, ? super V, ? extends R> map,
      BinaryOperator<R> combine,
      int threads,
      Executor executor,
      Consumer<? super PartialResult<R>> checkpoint) {
    try (CollectionCursor<Map.Entry<K, V>> cursor = open()) {
      return new ParallelReduction<K, V, R>(map, combine, threads, executor, checkpoint)
          .over(cursor);
    }
  }
}

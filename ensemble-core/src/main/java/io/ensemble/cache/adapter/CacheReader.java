package io.ensemble.cache.adapter;

import io.ensemble.EnsembleCache;
import io.ensemble.cache.BlockingCall;
import io.ensemble.cache.CacheEngine.EntryScan;
import io.ensemble.cache.lease.GenerationEntries;
import io.ensemble.site.Bytes;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * The keys and values of an open cache, for iterations that bound their memory themselves: scans of
 * encoded keys, and reads of single values by the cache's mode. Thread-safe.
 */
public final class CacheReader<K, V> {

  /** A scan of encoded keys. Not for concurrent callers. */
  public interface KeyScan extends AutoCloseable {

    /**
     * The next keys; empty at the end. Each key that is present throughout is returned at least
     * once, and absent keys may be returned. If a call fails, begin another scan. Completes on
     * Ensemble's scheduler.
     */
    CompletionStage<List<Bytes>> next();

    @Override
    void close();
  }

  private static final int BATCH = 256;

  private final CallRunner calls;
  private final EntryCodec<K, V> cells;

  private CacheReader(CacheAdapter<K, V> view) {
    this.calls = view.face().calls();
    this.cells = view.face().cells();
  }

  /**
   * Reads through {@code cache}, with its deadline and its policy for siblings.
   *
   * @throws IllegalArgumentException if the cache was not opened by a manager
   */
  public static <K, V> CacheReader<K, V> of(EnsembleCache<K, V> cache) {
    if (cache instanceof CacheAdapter<K, V> view) {
      return new CacheReader<>(view);
    }
    throw new IllegalArgumentException(
        "expected a cache that an EnsembleCacheManager opened; got " + cache.getClass().getName());
  }

  /** The name of the cache. */
  public String name() {
    return calls.session().definition().name();
  }

  /** A number of the cache, different for another cache that later has the same name. */
  public long number() {
    return calls.session().number();
  }

  /** The number of parts of a distributed cache; 1 for any other cache. */
  public int parts() {
    return calls.engine() instanceof PartitionedEngine parted
        ? parted.distribution().parts().size()
        : 1;
  }

  /**
   * The number of the present assignment of keys to parts; empty for a cache that is not
   * distributed.
   */
  public OptionalLong generation() {
    return calls.engine() instanceof PartitionedEngine parted
        ? OptionalLong.of(parted.generation())
        : OptionalLong.empty();
  }

  /** Begins a scan of all keys. Sends nothing before the first batch is requested. */
  public KeyScan scan() {
    return scanOf(calls.engine().scanKeys(BATCH));
  }

  /**
   * As {@link #scan()}, of one part of a distributed cache. The scan fails if keys are no longer
   * assigned as in {@code generation}.
   *
   * @param part from 0
   */
  public KeyScan scan(long generation, int part) {
    if (calls.engine() instanceof PartitionedEngine parted) {
      return scanOf(parted.scanKeys(BATCH, generation, part));
    }
    throw new IllegalStateException("the cache has no parts; cache=" + name());
  }

  private KeyScan scanOf(EntryScan scan) {
    EntryScan users = GenerationEntries.without(scan);
    return new KeyScan() {
      @Override
      public CompletionStage<List<Bytes>> next() {
        calls.engine(); // Fails once the cache is closed.
        return calls.read(
            "scan",
            users.next(calls.deadline()),
            batch -> batch.stream().map(EntryScan.Entry::key).toList());
      }

      @Override
      public void close() {
        users.close();
      }
    };
  }

  /** Reads a value as {@code get} does; empty if the key is absent. Recorded as {@code get} is. */
  public CompletionStage<Optional<V>> get(Bytes key) {
    return calls.read(
        "get", calls.recorded().read(key, calls.deadline()), found -> found.map(cells::read));
  }

  /**
   * Decodes a key.
   *
   * @throws IllegalStateException if its type has no schema in this process
   */
  public K key(Bytes key) {
    return cells.key(key);
  }

  /** Whether the cache is neither closed nor deleted. */
  public boolean isOpen() {
    return calls.session().open().isOpen();
  }

  /** How long a call of this object takes at most. */
  public Duration deadline() {
    return calls.longest();
  }

  /** The monotonic clock of the cache's scheduler, in nanoseconds. */
  public long nanos() {
    return calls.session().scheduler().nanos();
  }

  /**
   * Waits, unless the cache is closed.
   *
   * @throws IllegalStateException on a thread of Ensemble's scheduler
   * @throws java.util.concurrent.CancellationException if the thread is interrupted
   */
  public void pause(Duration length) {
    BlockingCall.refuseOn(calls.session().scheduler());
    // Not by the scheduler, which drops its timers when the manager stops.
    BlockingCall.poll(() -> isOpen() ? null : Boolean.TRUE, length);
  }

  /**
   * Waits for the result of a call of this object, which need not begin here.
   *
   * @throws IllegalStateException on a thread of Ensemble's scheduler
   * @throws java.util.concurrent.CancellationException if the thread is interrupted
   */
  public <T> T resultOf(Supplier<? extends CompletionStage<T>> call) {
    return BlockingCall.result(call, calls.longest(), calls.session().scheduler());
  }
}

package io.ensemble.versioning;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.store.MemoryStore;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.versioning.drive.HistoryStore;
import io.ensemble.versioning.history.HistoryLimits;
import io.ensemble.versioning.order.Timestamps;
import io.ensemble.versioning.order.VersionSpace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** One cache of small parts on a store in memory, which several processes open. */
final class VersionedCacheFixture implements AutoCloseable {

  static final String NAME = "pages";

  final MemoryStore store;

  /** The store as the next processes see it. */
  UnaryOperator<ObjectStore> view = UnaryOperator.identity();

  private final List<AtomicObjectFactory> factories = new ArrayList<>();

  /** How many bytes of entries, and of histories, the next processes cache. */
  long keptBytes = 2_000;

  /** The retention of the cache for the next processes, if it has no record. */
  Retention retention = Retention.ALL;

  /** The clock of the next processes for the age of what they know. */
  LongSupplier nanoTime = System::nanoTime;

  /** The timeout of calls of the next processes. */
  Duration timeout = Duration.ofSeconds(20);

  /** How long the next processes retry requests that fail. */
  Duration patience = Duration.ofSeconds(20);

  VersionedCacheFixture(long seed) {
    store = new MemoryStore(seed);
  }

  /** Shards of 4, packs of 3, and 2 values beside the last one. */
  static HistoryLimits small(IndexType indexType) {
    return new HistoryLimits(indexType, 4, 5, 64, 2, 48, 3);
  }

  /** As {@link #small(IndexType)}; with odd seeds, shards of 12 that grow by 3 or 4. */
  static HistoryLimits small(IndexType indexType, long seed) {
    return seed % 2 == 0 ? small(indexType) : new HistoryLimits(indexType, 12, 4, 64, 2, 48, 3);
  }

  /** A process with few open histories and a small cache. */
  <T> VersionedCache<String, String, T> process(VersionSpace<T> space, HistoryLimits limits) {
    return process(space, limits, false);
  }

  <T> VersionedCache<String, String, T> process(
      VersionSpace<T> space, HistoryLimits limits, boolean ordered) {
    return process(space, limits, ordered, BinaryCodec.TEXT);
  }

  /** A process with its own codec of values. */
  VersionedCache<String, String, Long> process(BinaryCodec<String> values) {
    return process(new Timestamps(() -> 0), small(IndexType.SHARDED), false, values);
  }

  private <T> VersionedCache<String, String, T> process(
      VersionSpace<T> space, HistoryLimits limits, boolean ordered, BinaryCodec<String> values) {
    AtomicObjectFactory factory =
        AtomicObjectFactory.builder(view.apply(store))
            .timeout(timeout)
            .requestTimeout(Duration.ofMillis(200))
            .build();
    factories.add(factory);
    HistoryNames<String> names = new HistoryNames<>(NAME, BinaryCodec.TEXT);
    Retention atFirst = retention;
    Supplier<VersionedCacheRecord> initial = () -> new VersionedCacheRecord("", atFirst);
    SnapshotTracker<T> snapshots = new SnapshotTracker<>(factory, names.record(), space, initial);
    RetentionTracker retentions =
        new RetentionTracker(factory, names.record(), initial, atFirst, nanoTime);
    HistoryStore<T> historyStore =
        new HistoryStore<>(
            factory, space, limits, snapshots::highest, true, 2, keptBytes, patience);
    return new VersionedCache<>(
        new AsyncVersionedCache<>(
            historyStore, space, names, values, snapshots, retentions, ordered),
        false);
  }

  /** Ends a process during its work. */
  void kill(int process) {
    factories.get(process).close();
  }

  /** The number of entries besides the histories. */
  long parts() {
    return store.entries().keySet().stream().filter(k -> k.startsWith("part/")).count();
  }

  @Override
  public void close() {
    factories.forEach(AtomicObjectFactory::close);
    store.close();
  }
}

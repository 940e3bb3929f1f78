package io.ensemble.simulation.mwmr;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CacheEngine.EntryScan;
import io.ensemble.collection.CollectionSlice;
import io.ensemble.collection.EntrySource;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.testkit.mwmr.HistoryPayloads;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** The entries of a simulated cache, for collections. Waiting runs the simulation. */
final class SimulatedEntries implements EntrySource<Bytes, Long> {

  private final CacheEngine engine;
  private final Supplier<Deadline> deadline;
  private final MwmrSimFixture simulation;
  private final Runnable beforeWaiting;

  /**
   * @param beforeWaiting runs before each wait, for example for writes of others
   */
  SimulatedEntries(
      CacheEngine engine,
      Supplier<Deadline> deadline,
      MwmrSimFixture simulation,
      Runnable beforeWaiting) {
    this.engine = engine;
    this.deadline = deadline;
    this.simulation = simulation;
    this.beforeWaiting = beforeWaiting;
  }

  @Override
  public String name() {
    return "simulated";
  }

  @Override
  public long number() {
    return 1;
  }

  @Override
  public List<CollectionSlice> slices(int wanted) {
    return List.of(CollectionSlice.ALL);
  }

  @Override
  public List<KeyScan> scans(CollectionSlice slice) {
    EntryScan scan = engine.scanKeys(16);
    return List.of(
        new KeyScan() {
          @Override
          public CompletionStage<List<Bytes>> next() {
            return scan.next(deadline.get())
                .thenApply(found -> found.stream().map(EntryScan.Entry::key).toList());
          }

          @Override
          public void close() {
            scan.close();
          }
        });
  }

  @Override
  public CompletionStage<Optional<Long>> read(Bytes key) {
    return engine.read(key, deadline.get()).thenApply(found -> found.map(HistoryPayloads::number));
  }

  @Override
  public Bytes key(Bytes key) {
    return key;
  }

  @Override
  public <T> T await(Supplier<? extends CompletionStage<T>> call) {
    beforeWaiting.run();
    try {
      return simulation.get(call.get());
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException failure ? failure : e;
    }
  }

  @Override
  public boolean isRepeatable(RuntimeException failure) {
    return failure instanceof QuorumUnavailableException;
  }
}

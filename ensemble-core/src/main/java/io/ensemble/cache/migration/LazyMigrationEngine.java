package io.ensemble.cache.migration;

import io.ensemble.CacheDefinition;
import io.ensemble.QuorumFailure;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.ChangeSource;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.Payload;
import io.ensemble.cache.quorum.SiteResponses;
import io.ensemble.register.Update;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.sibling.SiblingUpdate;
import io.ensemble.sibling.Siblings;
import io.ensemble.site.Bytes;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An engine that serves before it holds all entries: each call first has its key taken over, within
 * its deadline. A scan waits until all keys are taken over. Once all keys are known to be taken
 * over, calls go straight to the engine. Thread-safe.
 */
public final class LazyMigrationEngine implements CacheEngine {

  static final String TAKING = "keys are being migrated from the former configuration";

  /** No process can take a key over now, and none ever can if the lost stores were a majority. */
  private static final String LOST =
      "the cache lost its stores at %s during lazy migration, or the site is starting: see "
          + "'migrations'";

  private final CacheEngine engine;
  private final CacheDefinition definition;
  private final KeyMigrator keyMigrator;
  private final Scheduler scheduler;
  private final Supplier<Set<String>> lost;
  private final Runnable ended;
  private final MigrationBarrier migrationBarrier;
  private final AtomicBoolean left = new AtomicBoolean();

  /**
   * @param engine the new configuration's; closed with this engine
   * @param lost the sites of the new configuration that report that they have no such store
   * @param look starts a read of the cache's record
   * @param ended run once when this engine is closed, or no longer needs the former configuration
   */
  public LazyMigrationEngine(
      CacheEngine engine,
      CacheDefinition definition,
      KeyMigrator keyMigrator,
      Scheduler scheduler,
      Supplier<Set<String>> lost,
      Runnable look,
      Runnable ended) {
    this.engine = engine;
    this.definition = definition;
    this.keyMigrator = keyMigrator;
    this.scheduler = scheduler;
    this.lost = lost;
    this.ended = ended;
    migrationBarrier = new MigrationBarrier(keyMigrator, scheduler, look);
  }

  /** All keys are taken over. */
  public void over() {
    migrationBarrier.open();
    keyMigrator.forget();
    leaveFormer();
  }

  private void leaveFormer() {
    if (left.compareAndSet(false, true)) {
      ended.run();
    }
  }

  @Override
  public CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline) {
    return call(
        key,
        deadline,
        () -> engine.read(key, deadline),
        why -> {
          throw new QuorumUnavailableException(definition.name(), why);
        });
  }

  @Override
  public CompletionStage<WriteOutcome<Void>> write(
      Bytes key, @Nullable Payload value, Deadline deadline) {
    return call(key, deadline, () -> engine.write(key, value, deadline), WriteOutcome.Refused::new);
  }

  @Override
  public <R> CompletionStage<WriteOutcome<R>> update(
      Bytes key, Update<Payload, R> update, Deadline deadline) {
    return call(
        key, deadline, () -> engine.update(key, update, deadline), WriteOutcome.Refused::new);
  }

  @Override
  public CompletionStage<Siblings<Payload>> siblings(Bytes key, Deadline deadline) {
    return call(
        key,
        deadline,
        () -> engine.siblings(key, deadline),
        why -> {
          throw new QuorumUnavailableException(definition.name(), why);
        });
  }

  @Override
  public <R> CompletionStage<WriteOutcome<R>> amend(
      Bytes key, SiblingUpdate<Payload, R> siblingUpdate, Deadline deadline) {
    return call(
        key, deadline, () -> engine.amend(key, siblingUpdate, deadline), WriteOutcome.Refused::new);
  }

  private <T> CompletionStage<T> call(
      Bytes key,
      Deadline deadline,
      Supplier<CompletionStage<T>> request,
      Function<QuorumFailure, T> refused) {
    if (migrationBarrier.isOpen() || keyMigrator.knows(key)) {
      return request.get();
    }
    return migrationBarrier
        .pass(key, deadline)
        .handle(
            (done, failure) ->
                failure == null
                    ? request.get()
                    : CompletableFuture.supplyAsync(
                        () -> refused.apply(why(CompletionCause.of(failure))), scheduler))
        .thenCompose(stage -> stage);
  }

  private QuorumFailure why(Throwable failure) {
    Set<String> gone = lost.get();
    if (definition.sites().size() - gone.size() < definition.majority()) {
      return SiteResponses.notAsked(definition.sites(), LOST.formatted(String.join(",", gone)));
    }
    return failure instanceof QuorumUnavailableException known
        ? known.shortfall()
        : SiteResponses.notAsked(definition.sites(), TAKING);
  }

  @Override
  public Optional<ChangeSource> changes() {
    return migrationBarrier.isOpen() ? engine.changes() : Optional.empty();
  }

  @Override
  public EntryScan scan(int batchSize) {
    return scan(() -> engine.scan(batchSize));
  }

  @Override
  public EntryScan scanKeys(int batchSize) {
    return scan(() -> engine.scanKeys(batchSize));
  }

  @Override
  public EntryScan scan(int batchSize, Function<Siblings<Payload>, @Nullable Payload> shown) {
    return scan(() -> engine.scan(batchSize, shown));
  }

  private EntryScan scan(Supplier<EntryScan> begin) {
    return new EntryScan() {
      private @Nullable EntryScan begun;

      @Override
      public CompletionStage<List<Entry>> next(Deadline deadline) {
        return migrationBarrier
            .whenOpen(deadline)
            .handle(
                (open, failure) -> {
                  if (failure != null) {
                    throw new QuorumUnavailableException(
                        definition.name(), why(CompletionCause.of(failure)));
                  }
                  return begun();
                })
            .thenCompose(scan -> scan.next(deadline));
      }

      private synchronized EntryScan begun() {
        EntryScan scan = begun == null ? begin.get() : begun;
        begun = scan;
        return scan;
      }

      @Override
      public synchronized void close() {
        if (begun != null) {
          begun.close();
        }
      }
    };
  }

  @Override
  public void close() {
    migrationBarrier.close(); // No call may reach the engine before its key.
    leaveFormer();
    engine.close();
  }
}

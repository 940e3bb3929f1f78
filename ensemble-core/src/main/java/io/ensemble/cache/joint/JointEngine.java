package io.ensemble.cache.joint;

import io.ensemble.CacheDefinition;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.Shortfall;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.Payload;
import io.ensemble.cache.Unwrapped;
import io.ensemble.cache.call.Answers;
import io.ensemble.register.Update;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.sibling.Amendment;
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
 * An engine that serves before everything is in it: each call has its key taken over first, and
 * waits for that within its deadline. A walk waits until all keys are. Once that is known, calls go
 * straight to the engine. Thread-safe.
 */
public final class JointEngine implements CacheEngine {

  static final String TAKING = "keys are being taken over from the former configuration";

  /** Nobody can take a key over now, and never again if what is lost was a majority. */
  private static final String LOST =
      "the cache lost its stores at %s in joint, or the site is starting: see 'migrations'";

  private final CacheEngine engine;
  private final CacheDefinition definition;
  private final Takeovers takeovers;
  private final Scheduler scheduler;
  private final Supplier<Set<String>> lost;
  private final Runnable ended;
  private final Entrance entrance;
  private final AtomicBoolean left = new AtomicBoolean();

  /**
   * @param engine the new configuration's; closed with this
   * @param lost the sites of the new configuration that say that they have no such store
   * @param look has the cache's record looked at, soon
   * @param ended run once when this is closed, or needs the former configuration no more
   */
  public JointEngine(
      CacheEngine engine,
      CacheDefinition definition,
      Takeovers takeovers,
      Scheduler scheduler,
      Supplier<Set<String>> lost,
      Runnable look,
      Runnable ended) {
    this.engine = engine;
    this.definition = definition;
    this.takeovers = takeovers;
    this.scheduler = scheduler;
    this.lost = lost;
    this.ended = ended;
    entrance = new Entrance(takeovers, scheduler, look);
  }

  /** All keys are taken over. */
  public void over() {
    entrance.open();
    takeovers.forget();
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
      Bytes key, Amendment<Payload, R> amendment, Deadline deadline) {
    return call(
        key, deadline, () -> engine.amend(key, amendment, deadline), WriteOutcome.Refused::new);
  }

  private <T> CompletionStage<T> call(
      Bytes key,
      Deadline deadline,
      Supplier<CompletionStage<T>> request,
      Function<Shortfall, T> refused) {
    if (entrance.isOpen() || takeovers.knows(key)) {
      return request.get();
    }
    return entrance
        .pass(key, deadline)
        .handle(
            (done, failure) ->
                failure == null
                    ? request.get()
                    : CompletableFuture.supplyAsync(
                        () -> refused.apply(why(Unwrapped.of(failure))), scheduler))
        .thenCompose(stage -> stage);
  }

  private Shortfall why(Throwable failure) {
    Set<String> gone = lost.get();
    if (definition.sites().size() - gone.size() < definition.majority()) {
      return Answers.notAsked(definition.sites(), LOST.formatted(String.join(",", gone)));
    }
    return failure instanceof QuorumUnavailableException known
        ? known.shortfall()
        : Answers.notAsked(definition.sites(), TAKING);
  }

  @Override
  public EntryScan scan(int batchSize) {
    return scan(() -> engine.scan(batchSize));
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
        return entrance
            .whenOpen(deadline)
            .handle(
                (open, failure) -> {
                  if (failure != null) {
                    throw new QuorumUnavailableException(
                        definition.name(), why(Unwrapped.of(failure)));
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
    entrance.close(); // Who waits must not come to the engine before its key does.
    leaveFormer();
    engine.close();
  }
}

package io.ensemble.migrate;

import io.ensemble.CacheDeletedException;
import io.ensemble.DistributedDefinition;
import io.ensemble.RepartitionInProgressException;
import io.ensemble.cache.CompletionCause;
import io.ensemble.catalog.definition.DistributedDefinitions;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.change.OwnerFailureDetector;
import io.ensemble.repartition.GenerationMark;
import io.ensemble.repartition.Repartition;
import io.ensemble.repartition.RepartitionAction;
import io.ensemble.repartition.RepartitionRules;
import io.ensemble.repartition.RepartitionStateMachine;
import io.ensemble.schedule.Scheduler;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out one change of the parts of a distributed cache, action by action, as {@link
 * RepartitionStateMachine} decides. The mover works like {@link Mover}: it reads the record before
 * each action, changes it by compare-and-set, and writes heartbeats into it. Failed actions are
 * retried, at intervals from 0.1 s to 5 s, until the mover is stopped. A mover that is not the
 * owner waits for the end, and takes over when the owner is silent. Thread-safe.
 */
public final class PartMover implements Movers.RunningMover {

  private static final Logger LOG = LoggerFactory.getLogger(PartMover.class);
  private static final long INTERVAL = Duration.ofSeconds(1).toNanos();

  /**
   * The dependencies of a mover of keys.
   *
   * @param actionListener receives each action before it is performed, for observers
   * @param publishListener receives each record that this mover has changed
   */
  public record PartMoverContext(
      DistributedDefinitions distributions,
      Scheduler scheduler,
      RepartitionRules rules,
      Consumer<RepartitionAction> actionListener,
      Consumer<StoredDistribution> publishListener) {}

  /** The state of one turn of this mover. */
  private record Turn(
      long number, RepartitionStateMachine stateMachine, RepartitionExecutor executor) {}

  private final PartMoverContext partMoverContext;
  private final String owner;
  private final String cache;
  private final String birth;
  private final RecordUpdater<StoredDistribution> updater;
  private final long generation;
  private final Optional<DistributedDefinition> to;
  private final RepartitionExecutor.Parts parts;
  private final RetryLoop retryLoop;
  private final OwnerFailureDetector ownerFailureDetector;
  private final HeartbeatSender heartbeatSender;
  private volatile boolean stopped;
  private final CompletableFuture<StoredDistribution> result = new CompletableFuture<>();

  // The fields below belong to the one step in progress.
  private volatile @Nullable Turn turn;
  private volatile long movedInFormerTurns;

  /**
   * @param owner never used before
   * @param stored the cache, with a change that this mover owns or will own
   * @param parts its parts, former and new ones, as in {@code stored}
   */
  public PartMover(
      PartMoverContext partMoverContext,
      String owner,
      StoredDistribution stored,
      RepartitionExecutor.Parts parts) {
    this.partMoverContext = partMoverContext;
    this.owner = owner;
    this.cache = stored.definition().name();
    this.birth = stored.birth();
    this.updater =
        RecordUpdater.of(partMoverContext.distributions(), stored, partMoverContext.scheduler());
    this.generation = stored.generation();
    this.to = stored.growth().map(Repartition::to);
    this.parts = parts;
    this.retryLoop = new RetryLoop(partMoverContext.scheduler(), cache);
    this.ownerFailureDetector = new OwnerFailureDetector(partMoverContext.rules().blindNanos());
    this.heartbeatSender =
        new HeartbeatSender(
            cache,
            partMoverContext.scheduler(),
            partMoverContext.rules().beatNanos(),
            () ->
                updater
                    .readCurrent()
                    .thenCompose(
                        now -> updateOwn(now, ownRepartition -> ownRepartition.beaten(moved()))));
  }

  /**
   * Completes with the cache's record once the change is over, whichever process ended it. Fails
   * with {@link CacheDeletedException}, and with {@link IllegalStateException} when this mover was
   * stopped.
   */
  @Override
  public CompletionStage<StoredDistribution> completion() {
    return result.copy();
  }

  /** How many keys this mover has moved. */
  public long moved() {
    Turn currentTurn = turn;
    return movedInFormerTurns + (currentTurn == null ? 0 : currentTurn.executor.moved());
  }

  /** Starts the mover, which continues until the change is over or the mover is stopped. */
  @Override
  public void start() {
    heartbeatSender.start();
    retryLoop
        .whileTrue(this::step)
        .whenComplete(
            (done, failure) -> {
              heartbeatSender.close();
              if (failure != null) {
                result.completeExceptionally(CompletionCause.of(failure));
              }
            });
  }

  /**
   * Ends this mover, not the change, as {@link Mover#stop} does. The moving keys are held until
   * another mover continues, so this mover always resigns.
   */
  @Override
  public CompletionStage<?> stop() {
    stopped = true;
    heartbeatSender.close();
    Turn currentTurn = turn;
    if (currentTurn != null) {
      currentTurn.executor.end();
    }
    result.completeExceptionally(
        new IllegalStateException(
            "the manager is stopped: the process that takes over continues the change; cache="
                + cache));
    return updater.publishWithRetry(stored -> updateOwn(stored, Repartition::resigned));
  }

  /** Changes the repartition in {@code now} if this mover owns it. */
  private CompletionStage<StoredDistribution> updateOwn(
      StoredDistribution now, UnaryOperator<Repartition> update) {
    Optional<Repartition> ownRepartition =
        now.growth().filter(growth -> growth.owner().equals(owner));
    return ownRepartition.isEmpty()
        ? CompletableFuture.completedFuture(now)
        : updater.publish(now.with(update.apply(ownRepartition.get())));
  }

  /**
   * Makes this mover the owner of the change, whichever the present owner is. Fails without effect:
   * with {@link CatalogException} when the record keeps changing, and with {@link
   * RepartitionInProgressException} when the change in progress is not the one for which this mover
   * was made.
   *
   * @return the record as it is then
   */
  public CompletionStage<StoredDistribution> takeOver() {
    return updater.publishWithRetry(this::takeOver);
  }

  /**
   * Takes the change over, if {@code seen} is still the record. Fails with {@link CatalogException}
   * of {@link CatalogException.Reason#CHANGED}, without effect, if it is not.
   */
  public CompletionStage<StoredDistribution> takeOver(StoredDistribution seen) {
    return seen.growth().isEmpty()
        ? CompletableFuture.completedFuture(seen)
        : publish(seen.with(requireOwn(seen, seen.growth().get()).takenOver(owner)));
  }

  /** The change, if this mover was made for it and so can route its keys. */
  private Repartition requireOwn(StoredDistribution now, Repartition growth) {
    if (!isOf(now, growth)) {
      throw new RepartitionInProgressException(
          now.definition(), growth.to(), to.orElse(now.definition()));
    }
    return growth;
  }

  /** Whether this is the change for which the mover was made: no two changes share a generation. */
  private boolean isOf(StoredDistribution now, Repartition growth) {
    return now.generation() == generation && to.filter(growth.to()::equals).isPresent();
  }

  private CompletionStage<Boolean> step() {
    if (stopped) {
      return CompletableFuture.completedFuture(false);
    }
    return updater.readCurrent().thenCompose(this::performNext);
  }

  private CompletionStage<Boolean> performNext(StoredDistribution now) {
    Optional<Repartition> growth = now.growth();
    // Any later change belongs to another mover.
    if (growth.isEmpty() || !isOf(now, growth.get())) {
      partMoverContext.publishListener().accept(now);
      result.complete(now);
      return CompletableFuture.completedFuture(false);
    }
    if (!growth.get().owner().equals(owner)) {
      return watchOwner(now, growth.get());
    }
    Turn currentTurn = turnOf(now, growth.get());
    RepartitionAction action =
        currentTurn.stateMachine.next(growth.get(), partMoverContext.scheduler().nanos());
    partMoverContext.actionListener().accept(action);
    LOG.debug("mover action; cache={} step={} action={}", cache, growth.get().step(), action);
    return perform(now, growth.get(), action, currentTurn.executor);
  }

  /** Waits for the end of the change, or takes over when its owner is silent. */
  private CompletionStage<Boolean> watchOwner(StoredDistribution now, Repartition growth) {
    long silence = partMoverContext.rules().silenceNanos();
    if (!ownerFailureDetector.isSilent(
        growth.sign(), silence, partMoverContext.scheduler().nanos())) {
      return retryLoop.continueAfter(INTERVAL);
    }
    LOG.info("the mover of keys sends no heartbeat; cache={} owner={}", cache, growth.owner());
    return takeOver(now).thenApply(done -> true);
  }

  private Turn turnOf(StoredDistribution now, Repartition growth) {
    Turn currentTurn = turn;
    if (currentTurn != null && currentTurn.number == growth.turn()) {
      return currentTurn;
    }
    movedInFormerTurns = moved();
    RepartitionStateMachine stateMachine =
        new RepartitionStateMachine(partMoverContext.rules(), now.definition().parts());
    GenerationMark generationMark = new GenerationMark(now.generation() + 1, growth.turn());
    Turn next =
        new Turn(
            growth.turn(),
            stateMachine,
            new RepartitionExecutor(
                partMoverContext.rules(),
                partMoverContext.scheduler(),
                parts,
                birth,
                generationMark,
                stateMachine));
    turn = next;
    return next;
  }

  private CompletionStage<Boolean> perform(
      StoredDistribution now,
      Repartition growth,
      RepartitionAction action,
      RepartitionExecutor executor) {
    if (action instanceof RepartitionAction.PutMarks marks) {
      return executor.mark(marks.parts()).thenApply(done -> true);
    } else if (action instanceof RepartitionAction.AwaitLeaseExpiry wait) {
      return retryLoop.continueAfter(
          Math.max(1, wait.untilNanos() - partMoverContext.scheduler().nanos()));
    } else if (action instanceof RepartitionAction.Move move) {
      return executor.move(move.part()).thenApply(done -> true);
    } else if (action instanceof RepartitionAction.Begin) {
      LOG.info("repartition moves keys; cache={} to={}", cache, growth.to().parts());
      return publish(now.with(growth.moving())).thenApply(done -> true);
    } else if (action instanceof RepartitionAction.Release release) {
      return publish(now.with(growth.moved(release.part()))).thenApply(done -> true);
    }
    return publish(now.grown())
        .thenApply(
            finalDistribution -> {
              LOG.info("parts have changed; cache={} parts={}", cache, growth.to().parts());
              result.complete(finalDistribution);
              return false;
            });
  }

  /** Replaces the record by {@code next}, and checks whether the replacement was stored. */
  private CompletionStage<StoredDistribution> publish(StoredDistribution next) {
    return updater
        .publish(next)
        .thenApply(
            done -> {
              partMoverContext.publishListener().accept(next);
              return next;
            });
  }
}

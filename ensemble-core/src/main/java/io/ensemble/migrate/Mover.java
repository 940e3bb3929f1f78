package io.ensemble.migrate;

import io.ensemble.CacheDeletedException;
import io.ensemble.cache.CompletionCause;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.change.ChangeAction;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ChangeStateMachine;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.change.ObsoleteStore;
import io.ensemble.change.OwnerFailureDetector;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.stamp.WriterId;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out one change of one cache, action by action, as {@link ChangeStateMachine} decides.
 * Before each action the mover reads the record, and every action that changes the record does so
 * by compare-and-set. So a mover that has lost its turn finds out with its next action, and has
 * done no harm meanwhile. Failed actions are retried, at intervals from 0.1 s to 5 s, until the
 * mover is {@linkplain #stop stopped}. After {@link ChangePhase#SEALING} has begun, no client is
 * served until a mover has succeeded. Thread-safe.
 */
public final class Mover implements Movers.RunningMover {

  private static final Logger LOG = LoggerFactory.getLogger(Mover.class);
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  /**
   * How many times a new store is moved to another node: each time a store is left to be removed.
   */
  private static final int MOST_RELOCATIONS = 8;

  /** The state of one turn of this mover. */
  private record Turn(long number, ChangeStateMachine stateMachine, ChangeExecutor executor) {}

  private final MoverContext moverContext;
  private final WriterId writer;
  private final String cache;
  private final ChangeOwnership ownership;
  private final CopyProgress copyProgress = new CopyProgress();
  private final RetryLoop retryLoop;
  private final CopyRateLimiter copyRateLimiter;
  private final OwnerFailureDetector ownerFailureDetector;
  private final HeartbeatSender heartbeatSender;
  private final CompletableFuture<StoredDefinition> result = new CompletableFuture<>();

  private volatile boolean stopped;

  // The fields below belong to the one step in progress.
  private volatile @Nullable Turn turn;
  private @Nullable SiteException refusal;
  private int relocations;

  /**
   * @param writer never used before; the source of the owner's name
   * @param stored the cache, with a change that this mover owns or will own
   */
  public Mover(MoverContext moverContext, WriterId writer, StoredDefinition stored) {
    this.moverContext = moverContext;
    this.writer = writer;
    this.cache = stored.definition().name();
    ownership = new ChangeOwnership(moverContext, writer, stored);
    retryLoop = new RetryLoop(moverContext.scheduler(), cache);
    copyRateLimiter = new CopyRateLimiter(moverContext.scheduler());
    ownerFailureDetector = new OwnerFailureDetector(moverContext.rules().blindNanos());
    heartbeatSender =
        new HeartbeatSender(ownership, copyProgress, change -> copyRateLimiter.set(change.rate()));
  }

  /** The owner's name of {@code writer} in records. */
  public static String owner(WriterId writer) {
    return "%016x%016x".formatted(writer.high(), writer.low());
  }

  /**
   * Completes with the cache's record once the change is over, whichever process ended it. Its
   * configuration is the new one, or the former one if the change was cancelled. Fails with {@link
   * CacheDeletedException}; with {@link SiteException} when a site refused its store and the change
   * was cancelled for that reason; and with {@link IllegalStateException} when this mover was
   * stopped.
   */
  @Override
  public CompletionStage<StoredDefinition> completion() {
    return result.copy();
  }

  /** Starts the mover, which continues until the change is over or the mover is stopped. */
  @Override
  public void start() {
    heartbeatSender.start();
    retryLoop
        .whileTrue(this::step)
        .whenComplete(
            (done, failure) -> {
              close();
              if (failure != null) {
                result.completeExceptionally(CompletionCause.of(failure));
              }
            });
  }

  /**
   * Ends this mover, not the change. The mover begins no further action and sends no more
   * heartbeats, and an action in progress has no effect. If the cache is not served until the
   * change is over, the mover resigns, so that another process may take over immediately.
   *
   * @return completes when the mover has resigned or need not resign. Fails as the catalog does;
   *     then other processes wait until this mover has been silent for long enough
   */
  @Override
  public CompletionStage<?> stop() {
    stopped = true;
    heartbeatSender.close();
    copyRateLimiter.end();
    result.completeExceptionally(
        new IllegalStateException(
            "the manager is stopped: the process that takes over continues the change; cache="
                + cache));
    return ownership.resign();
  }

  /**
   * Takes the change over, if {@code seen} is still the record. Fails with {@link CatalogException}
   * of {@link CatalogException.Reason#CHANGED}, without effect, if it is not.
   */
  public CompletionStage<StoredDefinition> takeOver(StoredDefinition seen) {
    return ownership.takeOver(seen);
  }

  /**
   * Makes this mover the owner of the change, whichever the present owner is. Fails without effect:
   * with {@link CatalogException} when the record keeps changing, and with {@link
   * io.ensemble.ChangeInProgressException} when the change in progress is not the one for which
   * this mover was made.
   *
   * @return the record as it is then
   */
  public CompletionStage<StoredDefinition> takeOver() {
    return ownership.takeOver();
  }

  /**
   * Restarts the change from the former configuration, with other new stores and this mover as its
   * owner, whichever the present owner is. Data that only the new stores had is lost, except for
   * the data in those that are left. For a change whose new stores have lost their majority.
   *
   * @return the record as it is then. Fails with {@link IllegalStateException}, without effect,
   *     when the stores for which this mover was made no longer serve
   */
  public CompletionStage<StoredDefinition> restart() {
    return ownership.restart();
  }

  /**
   * Cancels the change, if it can be cancelled and is not over.
   *
   * @return the record as it is then. Fails with {@link IllegalStateException} naming the step when
   *     it is too late
   */
  public CompletionStage<StoredDefinition> cancel() {
    return ownership.cancel();
  }

  /** Whether this mover owns the change. */
  public boolean has(ConfigurationChange change) {
    return ownership.isOwnerOf(change);
  }

  /** Grows while this mover comes further than before, in keys and batches of scans. */
  public long progress() {
    return copyProgress.progress();
  }

  /** How many keys this mover has compared or copied. */
  public long copied() {
    return copyProgress.totalKeys();
  }

  private CompletionStage<Boolean> step() {
    if (stopped) {
      return CompletableFuture.completedFuture(false);
    }
    return ownership
        .readCurrent()
        .thenCompose(now -> moverContext.sites().learn(now.allSites()).thenApply(done -> now))
        .thenCompose(this::performNext);
  }

  private CompletionStage<Boolean> performNext(StoredDefinition now) {
    ConfigurationChange change = now.change().orElse(null);
    if (change == null || !ownership.isOf(now)) { // Any later change belongs to another mover.
      finish(now);
      return CompletableFuture.completedFuture(false);
    }
    if (!ownership.isOwnerOf(change)) {
      return watchOwner(now, change);
    }
    copyRateLimiter.set(change.rate());
    Turn currentTurn = turnOf(now, change);
    ChangeAction action = currentTurn.stateMachine.next(change, moverContext.scheduler().nanos());
    moverContext.actionListener().accept(action);
    LOG.debug("mover action; cache={} step={} action={}", cache, change.step(), action);
    return perform(now, change, action, currentTurn.executor);
  }

  /** Waits for the end of the change, or takes over when its owner is silent. */
  private CompletionStage<Boolean> watchOwner(StoredDefinition now, ConfigurationChange change) {
    long silence = moverContext.rules().silenceNanos(change.step());
    if (!ownerFailureDetector.isSilent(change.sign(), silence, moverContext.scheduler().nanos())) {
      return retryLoop.continueAfter(INTERVAL.toNanos());
    }
    LOG.info("the mover of a change sends no heartbeat; cache={} owner={}", cache, change.owner());
    return ownership.takeOver(now).thenApply(done -> true);
  }

  private Turn turnOf(StoredDefinition now, ConfigurationChange change) {
    Turn currentTurn = turn;
    if (currentTurn != null && currentTurn.number == change.turn()) {
      return currentTurn;
    }
    closeTurn();
    copyProgress.restarted();
    ChangeStateMachine stateMachine =
        new ChangeStateMachine(
            moverContext.rules(),
            now.definition().sites().size(),
            ChangeExecutor.endsAtEachSite(now));
    Turn next =
        new Turn(
            change.turn(),
            stateMachine,
            new ChangeExecutor(
                moverContext, writer, now, stateMachine, copyProgress, copyRateLimiter));
    turn = next;
    return next;
  }

  private CompletionStage<Boolean> perform(
      StoredDefinition now,
      ConfigurationChange change,
      ChangeAction action,
      ChangeExecutor executor) {
    if (action instanceof ChangeAction.Make) {
      return executor
          .createStores()
          .handle((done, failure) -> handleCreated(now, failure))
          .thenCompose(stage -> stage);
    } else if (action instanceof ChangeAction.Copy copy) {
      return executor
          .copy(copy.last())
          .handle((done, failure) -> handleCopied(now, change, failure))
          .thenCompose(stage -> stage);
    } else if (action instanceof ChangeAction.TakeOver) {
      return executor.takeOver().thenApply(done -> true);
    } else if (action instanceof ChangeAction.Seal seal) {
      return executor.sealSites(seal.sites()).thenApply(done -> true);
    } else if (action instanceof ChangeAction.Fence) {
      return executor.fence().thenApply(done -> true);
    } else if (action instanceof ChangeAction.Salvage) {
      return executor
          .salvage()
          .handle((done, failure) -> handleCopied(now, change, failure))
          .thenCompose(stage -> stage);
    } else if (action instanceof ChangeAction.AwaitLeaseExpiry wait) {
      return retryLoop.continueAfter(
          Math.max(1, wait.untilNanos() - moverContext.scheduler().nanos()));
    } else if (action instanceof ChangeAction.Remove remove) {
      return executor.remove(remove.remains()).thenApply(done -> true);
    } else if (action instanceof ChangeAction.Advance advance) {
      LOG.info("change; cache={} step={}", cache, advance.step());
      return publish(
          advance.step() == ChangePhase.CLOSING
              ? now.switched()
              : now.with(Optional.of(change.at(advance.step()))));
    }
    ChangeAction.Finish finish = (ChangeAction.Finish) action;
    StoredDefinition finalDefinition =
        now.with(
            finish.left().isEmpty()
                ? Optional.empty()
                : Optional.of(change.leaving(finish.left())));
    return publish(finalDefinition)
        .thenApply(
            done -> {
              finish(finalDefinition);
              return false;
            });
  }

  private CompletionStage<Boolean> publish(StoredDefinition next) {
    return ownership.publish(next).thenApply(done -> true);
  }

  /** A site that refuses a store will always refuse it: the change is cancelled while it can be. */
  private CompletionStage<Boolean> handleCreated(
      StoredDefinition now, @Nullable Throwable failure) {
    if (failure == null) {
      return CompletableFuture.completedFuture(true);
    }
    Throwable cause = CompletionCause.of(failure);
    if (cause instanceof ChangeExecutor.NewStoreLostException) {
      return restartWithNewStores(now, now.change().orElseThrow());
    }
    ConfigurationChange change = now.change().orElseThrow();
    if (cause instanceof SiteException exception && isUnreachable(exception)) {
      Optional<String> incarnation = findOtherNode(exception.site(), change);
      if (incarnation.isPresent()) {
        relocations++;
        LOG.info(
            "moving a new store to another node; cache={} replica={}", cache, exception.site());
        return relocate(now, change, exception.site(), incarnation.get());
      }
    }
    boolean canCancel = moverContext.rules().canCancel(change.step());
    if (canCancel
        && cause instanceof SiteException exception
        && (exception.reason() == Reason.UNSUITABLE || exception.reason() == Reason.NOT_ALLOWED)) {
      refusal = exception;
      return ownership.cancel(now).thenApply(done -> true);
    }
    throw new CompletionException(cause);
  }

  private static boolean isUnreachable(SiteException exception) {
    return exception.reason() == Reason.UNREACHABLE || exception.reason() == Reason.TIMED_OUT;
  }

  /**
   * An incarnation for a new store at another node that is not known to be silent; limited in
   * number.
   */
  private Optional<String> findOtherNode(String replica, ConfigurationChange change) {
    String currentIncarnation = change.incarnations().get(replica);
    if (currentIncarnation == null || relocations >= MOST_RELOCATIONS) {
      return Optional.empty();
    }
    try {
      String next =
          moverContext
              .sites()
              .life(replica, change.to(), change.incarnations(), moverContext.tokens());
      boolean isSilent =
          moverContext
              .sites()
              .find(replica)
              .filter(site -> site.isSilent(StoredDefinition.nodeOf(next)))
              .isPresent();
      return Optional.of(next)
          .filter(
              incarnation ->
                  !isSilent && !StoredDefinition.isOneNode(currentIncarnation, incarnation));
    } catch (SiteException exception) {
      LOG.debug("no other node is free; cache={} replica={}", cache, replica, exception);
      return Optional.empty();
    }
  }

  /** Moves one new store to another node and keeps the others. */
  private CompletionStage<Boolean> relocate(
      StoredDefinition now, ConfigurationChange change, String replica, String incarnation) {
    Map<String, String> incarnations = new TreeMap<>(change.incarnations());
    incarnations.put(replica, incarnation);
    Set<ObsoleteStore> obsoleteStores =
        now.newStores().stream()
            .filter(store -> store.site().equals(replica))
            .collect(Collectors.toSet());
    ConfigurationChange next = change.takenOver(ownership.owner(), incarnations, obsoleteStores);
    return publish(now.with(Optional.of(next)))
        .thenCompose(done -> retryLoop.continueAfter(INTERVAL.toNanos()));
  }

  /**
   * Continues after a copy. If a new store is lost, this mover begins again with other new stores.
   */
  private CompletionStage<Boolean> handleCopied(
      StoredDefinition now, ConfigurationChange change, @Nullable Throwable failure) {
    if (failure == null) {
      return CompletableFuture.completedFuture(true);
    }
    Throwable cause = CompletionCause.of(failure);
    if (cause instanceof ChangeExecutor.NewStoreLostException) {
      return restartWithNewStores(now, change);
    }
    throw new CompletionException(cause);
  }

  private CompletionStage<Boolean> restartWithNewStores(
      StoredDefinition now, ConfigurationChange change) {
    ConfigurationChange restartedChange =
        change.takenOver(
            ownership.owner(), ownership.newIncarnations(change.to()), now.newStores());
    return publish(now.with(Optional.of(restartedChange)));
  }

  private void finish(StoredDefinition finalDefinition) {
    SiteException exception = refusal;
    if (exception != null) {
      result.completeExceptionally(exception);
    } else {
      result.complete(finalDefinition);
    }
  }

  private void close() {
    heartbeatSender.close();
    closeTurn();
  }

  private void closeTurn() {
    Turn openTurn = turn;
    if (openTurn != null) {
      openTurn.executor.close();
    }
  }
}

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
public final class Mover implements Movers.Working {

  private static final Logger LOG = LoggerFactory.getLogger(Mover.class);
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  /**
   * How many times a new store is moved to another node: each time a store is left to be removed.
   */
  private static final int MOST_RELOCATIONS = 8;

  /** The state of one turn of this mover. */
  private record Turn(long number, ChangeStateMachine course, ChangeExecutor errands) {}

  private final MoverContext moverContext;
  private final WriterId writer;
  private final String cache;
  private final ChangeOwnership own;
  private final CopyProgress copyProgress = new CopyProgress();
  private final RetryLoop retryLoop;
  private final CopyRateLimiter copyRateLimiter;
  private final OwnerFailureDetector ownerFailureDetector;
  private final HeartbeatSender heartbeatSender;
  private final CompletableFuture<StoredDefinition> over = new CompletableFuture<>();

  private volatile boolean stopped;

  // The fields below belong to the one step in progress.
  private volatile @Nullable Turn turn;
  private @Nullable SiteException refused;
  private int relocations;

  /**
   * @param writer never used before; the source of the owner's name
   * @param stored the cache, with a change that this mover owns or will own
   */
  public Mover(MoverContext moverContext, WriterId writer, StoredDefinition stored) {
    this.moverContext = moverContext;
    this.writer = writer;
    this.cache = stored.definition().name();
    own = new ChangeOwnership(moverContext, writer, stored);
    retryLoop = new RetryLoop(moverContext.scheduler(), cache);
    copyRateLimiter = new CopyRateLimiter(moverContext.scheduler());
    ownerFailureDetector = new OwnerFailureDetector(moverContext.rules().blindNanos());
    heartbeatSender =
        new HeartbeatSender(own, copyProgress, change -> copyRateLimiter.set(change.rate()));
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
  public CompletionStage<StoredDefinition> over() {
    return over.copy();
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
                over.completeExceptionally(CompletionCause.of(failure));
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
    over.completeExceptionally(
        new IllegalStateException(
            "the manager is stopped: the process that takes over continues the change; cache="
                + cache));
    return own.resign();
  }

  /**
   * Takes the change over, if {@code seen} is still the record. Fails with {@link CatalogException}
   * of {@link CatalogException.Reason#CHANGED}, without effect, if it is not.
   */
  public CompletionStage<StoredDefinition> takeOver(StoredDefinition seen) {
    return own.takeOver(seen);
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
    return own.takeOver();
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
    return own.restart();
  }

  /**
   * Cancels the change, if it can be cancelled and is not over.
   *
   * @return the record as it is then. Fails with {@link IllegalStateException} naming the step when
   *     it is too late
   */
  public CompletionStage<StoredDefinition> cancel() {
    return own.cancel();
  }

  /** Whether this mover owns the change. */
  public boolean has(ConfigurationChange change) {
    return own.has(change);
  }

  /** Grows while this mover comes further than before, in keys and batches of scans. */
  public long progress() {
    return copyProgress.progress();
  }

  /** How many keys this mover has compared or copied. */
  public long copied() {
    return copyProgress.all();
  }

  private CompletionStage<Boolean> step() {
    if (stopped) {
      return CompletableFuture.completedFuture(false);
    }
    return own.present()
        .thenCompose(now -> moverContext.sites().learn(now.allSites()).thenApply(learnt -> now))
        .thenCompose(this::next);
  }

  private CompletionStage<Boolean> next(StoredDefinition now) {
    ConfigurationChange change = now.change().orElse(null);
    if (change == null || !own.isOf(now)) { // Any later change belongs to another mover.
      end(now);
      return CompletableFuture.completedFuture(false);
    }
    if (!own.has(change)) {
      return othersTurn(now, change);
    }
    copyRateLimiter.set(change.rate());
    Turn mine = turn(now, change);
    ChangeAction errand = mine.course.next(change, moverContext.scheduler().nanos());
    moverContext.told().accept(errand);
    LOG.debug("mover action; cache={} step={} action={}", cache, change.step(), errand);
    return perform(now, change, errand, mine.errands);
  }

  /** Waits for the end of the change, or takes over when its owner is silent. */
  private CompletionStage<Boolean> othersTurn(StoredDefinition now, ConfigurationChange change) {
    long silence = moverContext.rules().silenceNanos(change.step());
    if (!ownerFailureDetector.isSilent(change.sign(), silence, moverContext.scheduler().nanos())) {
      return retryLoop.later(INTERVAL.toNanos());
    }
    LOG.info("the mover of a change sends no heartbeat; cache={} owner={}", cache, change.owner());
    return own.takeOver(now).thenApply(mine -> true);
  }

  private Turn turn(StoredDefinition now, ConfigurationChange change) {
    Turn present = turn;
    if (present != null && present.number == change.turn()) {
      return present;
    }
    closeTurn();
    copyProgress.restarted();
    ChangeStateMachine course =
        new ChangeStateMachine(
            moverContext.rules(), now.definition().sites().size(), ChangeExecutor.each(now));
    Turn next =
        new Turn(
            change.turn(),
            course,
            new ChangeExecutor(moverContext, writer, now, course, copyProgress, copyRateLimiter));
    turn = next;
    return next;
  }

  private CompletionStage<Boolean> perform(
      StoredDefinition now, ConfigurationChange change, ChangeAction errand, ChangeExecutor hands) {
    if (errand instanceof ChangeAction.Make) {
      return hands.make().handle((done, failure) -> made(now, failure)).thenCompose(s -> s);
    } else if (errand instanceof ChangeAction.Copy copy) {
      return hands
          .copy(copy.last())
          .handle((done, failure) -> copied(now, change, failure))
          .thenCompose(stage -> stage);
    } else if (errand instanceof ChangeAction.TakeOver) {
      return hands.takeOver().thenApply(done -> true);
    } else if (errand instanceof ChangeAction.Seal seal) {
      return hands.seal(seal.sites()).thenApply(done -> true);
    } else if (errand instanceof ChangeAction.Fence) {
      return hands.fence().thenApply(done -> true);
    } else if (errand instanceof ChangeAction.Salvage) {
      return hands
          .salvage()
          .handle((done, failure) -> copied(now, change, failure))
          .thenCompose(stage -> stage);
    } else if (errand instanceof ChangeAction.Outwait wait) {
      return retryLoop.later(Math.max(1, wait.untilNanos() - moverContext.scheduler().nanos()));
    } else if (errand instanceof ChangeAction.Remove remove) {
      return hands.remove(remove.remains()).thenApply(done -> true);
    } else if (errand instanceof ChangeAction.Advance advance) {
      LOG.info("change; cache={} step={}", cache, advance.step());
      return publish(
          advance.step() == ChangePhase.CLOSING
              ? now.switched()
              : now.with(Optional.of(change.at(advance.step()))));
    }
    ChangeAction.Finish finish = (ChangeAction.Finish) errand;
    StoredDefinition last =
        now.with(
            finish.left().isEmpty()
                ? Optional.empty()
                : Optional.of(change.leaving(finish.left())));
    return publish(last)
        .thenApply(
            done -> {
              end(last);
              return false;
            });
  }

  private CompletionStage<Boolean> publish(StoredDefinition next) {
    return DefinitionUpdate.of(moverContext.definitions(), next).thenApply(done -> true);
  }

  /** A site that refuses a store will always refuse it: the change is cancelled while it can be. */
  private CompletionStage<Boolean> made(StoredDefinition now, @Nullable Throwable thrown) {
    if (thrown == null) {
      return CompletableFuture.completedFuture(true);
    }
    Throwable cause = CompletionCause.of(thrown);
    if (cause instanceof ChangeExecutor.NewStoreLost) {
      return anew(now, now.change().orElseThrow());
    }
    ConfigurationChange change = now.change().orElseThrow();
    if (cause instanceof SiteException silent && isSilence(silent)) {
      Optional<String> life = elsewhere(silent.site(), change);
      if (life.isPresent()) {
        relocations++;
        LOG.info("moving a new store to another node; cache={} replica={}", cache, silent.site());
        return relocated(now, change, silent.site(), life.get());
      }
    }
    boolean gives = moverContext.rules().canCancel(change.step());
    if (gives
        && cause instanceof SiteException why
        && (why.reason() == Reason.UNSUITABLE || why.reason() == Reason.NOT_ALLOWED)) {
      refused = why;
      return own.cancel(now).thenApply(done -> true);
    }
    throw new CompletionException(cause);
  }

  private static boolean isSilence(SiteException why) {
    return why.reason() == Reason.UNREACHABLE || why.reason() == Reason.TIMED_OUT;
  }

  /**
   * An incarnation for a new store at another node that is not known to be silent; limited in
   * number.
   */
  private Optional<String> elsewhere(String replica, ConfigurationChange change) {
    String present = change.incarnations().get(replica);
    if (present == null || relocations >= MOST_RELOCATIONS) {
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
          .filter(life -> !isSilent && !StoredDefinition.isOneNode(present, life));
    } catch (SiteException noNode) {
      LOG.debug("no other node is free; cache={} replica={}", cache, replica, noNode);
      return Optional.empty();
    }
  }

  /** Moves one new store to another node and keeps the others. */
  private CompletionStage<Boolean> relocated(
      StoredDefinition now, ConfigurationChange change, String replica, String life) {
    Map<String, String> lives = new TreeMap<>(change.incarnations());
    lives.put(replica, life);
    Set<ObsoleteStore> former =
        now.newStores().stream()
            .filter(store -> store.site().equals(replica))
            .collect(Collectors.toSet());
    ConfigurationChange next = change.takenOver(own.owner(), lives, former);
    return publish(now.with(Optional.of(next)))
        .thenCompose(done -> retryLoop.later(INTERVAL.toNanos()));
  }

  /**
   * Continues after a copy. If a new store is lost, this mover begins again with other new stores.
   */
  private CompletionStage<Boolean> copied(
      StoredDefinition now, ConfigurationChange change, @Nullable Throwable thrown) {
    if (thrown == null) {
      return CompletableFuture.completedFuture(true);
    }
    Throwable cause = CompletionCause.of(thrown);
    if (cause instanceof ChangeExecutor.NewStoreLost) {
      return anew(now, change);
    }
    throw new CompletionException(cause);
  }

  private CompletionStage<Boolean> anew(StoredDefinition now, ConfigurationChange change) {
    ConfigurationChange anew =
        change.takenOver(own.owner(), own.lives(change.to()), now.newStores());
    return publish(now.with(Optional.of(anew)));
  }

  private void end(StoredDefinition last) {
    SiteException why = refused;
    if (why != null) {
      over.completeExceptionally(why);
    } else {
      over.complete(last);
    }
  }

  private void close() {
    heartbeatSender.close();
    closeTurn();
  }

  private void closeTurn() {
    Turn had = turn;
    if (had != null) {
      had.errands.close();
    }
  }
}

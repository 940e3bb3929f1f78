package io.ensemble.cache.lease;

import io.ensemble.CacheDefinition;
import io.ensemble.InDoubtWrites;
import io.ensemble.QuorumFailure;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.ChangeSource;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.Payload;
import io.ensemble.cache.WindowedEngine;
import io.ensemble.cache.quorum.SiteResponses;
import io.ensemble.register.Update;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.schedule.Scheduler.Timer;
import io.ensemble.sibling.SiblingUpdate;
import io.ensemble.sibling.Siblings;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A cache across its configurations: calls go to the engine of the present configuration. Between
 * the end of one configuration and the start of the next, calls wait within their deadlines, at
 * most {@value #MOST_WAITING} of them. Calls that certainly had no effect are then retried. A scan
 * keeps to the configuration that it began in, and fails after that configuration's end.
 * Thread-safe.
 */
public final class ReconfigurableEngine implements CacheEngine, WindowedEngine {

  /** How many calls may wait for the next configuration. */
  static final int MOST_WAITING = 1_024;

  private static final String LOST = SiteException.Reason.STORE_LOST.name();
  private static final long LOOK_NANOS = Duration.ofMillis(250).toNanos();

  private final Scheduler scheduler;
  private final Runnable look;
  private final Supplier<? extends CompletionStage<?>> found;
  private final InDoubtListeners listeners;
  private volatile ServingConfiguration servingConfiguration;
  private volatile boolean holding;

  // The fields below are guarded by this object's lock.
  private final List<Runnable> waiting = new ArrayList<>();
  private @Nullable Timer looking;
  private boolean closed;

  /**
   * @param first the configuration that serves now; closed with this engine
   * @param look starts a read of the cache's record
   * @param found completes when this process has adopted the present record, or cannot read it
   */
  public ReconfigurableEngine(
      ServingConfiguration first,
      Scheduler scheduler,
      Runnable look,
      Supplier<? extends CompletionStage<?>> found) {
    this.servingConfiguration = first;
    this.listeners = new InDoubtListeners(first.inner());
    this.scheduler = scheduler;
    this.look = look;
    this.found = found;
  }

  /** The present definition of the cache. */
  public CacheDefinition definition() {
    return servingConfiguration.definition();
  }

  /** The engine of the mode that serves now. */
  public CacheEngine inner() {
    return servingConfiguration.inner();
  }

  /** The number of the configuration that serves now, or served last. */
  public long number() {
    return servingConfiguration.number();
  }

  /** Makes calls wait from now on, because configuration {@code number} ends. */
  public void hold(long number) {
    synchronized (this) {
      if (closed || holding || servingConfiguration.number() != number) {
        return;
      }
      holding = true;
    }
    lookAgain();
  }

  /**
   * Makes the next configuration serve; closes the former engine, with the calls under way there.
   */
  public void serve(ServingConfiguration next) {
    replace(next).run();
  }

  /**
   * As {@link #serve}, but returns the second half for the caller to run without a lock. The second
   * half closes the former engine and releases the calls that waited; continuations of these calls
   * are foreign code.
   */
  public Runnable replace(ServingConfiguration next) {
    ServingConfiguration former;
    List<Runnable> released;
    synchronized (this) {
      boolean takes = !closed && next.number() > servingConfiguration.number();
      former = takes ? servingConfiguration : next;
      if (takes) {
        listeners.follow(next.inner());
        servingConfiguration = next;
        holding = false;
      }
      released = List.copyOf(waiting);
      waiting.clear();
    }
    return () -> {
      former.engine().close();
      released.forEach(Runnable::run);
    };
  }

  private void lookAgain() {
    synchronized (this) {
      if (closed || !holding) {
        return;
      }
      try {
        looking = scheduler.after(LOOK_NANOS, this::lookAgain);
      } catch (RejectedExecutionException ended) {
        return;
      }
    }
    look.run();
  }

  @Override
  public CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline) {
    return reading(engine -> engine.read(key, deadline), deadline);
  }

  @Override
  public CompletionStage<WriteOutcome<Void>> write(
      Bytes key, @Nullable Payload value, Deadline deadline) {
    return writing(engine -> engine.write(key, value, deadline), deadline);
  }

  @Override
  public <R> CompletionStage<WriteOutcome<R>> update(
      Bytes key, Update<Payload, R> update, Deadline deadline) {
    return writing(engine -> engine.update(key, update, deadline), deadline);
  }

  private <T> CompletionStage<T> reading(
      Function<CacheEngine, CompletionStage<T>> request, Deadline deadline) {
    return call(
        request,
        (read, failure) ->
            failure != null
                    && CompletionCause.of(failure) instanceof QuorumUnavailableException none
                ? Optional.of(none.shortfall())
                : Optional.empty(),
        why -> {
          throw new QuorumUnavailableException(definition().name(), why);
        },
        deadline);
  }

  private <R> CompletionStage<WriteOutcome<R>> writing(
      Function<CacheEngine, CompletionStage<WriteOutcome<R>>> request, Deadline deadline) {
    return call(
        request,
        (outcome, failure) ->
            outcome instanceof WriteOutcome.Refused<R> refused
                ? Optional.of(refused.why())
                : Optional.empty(),
        WriteOutcome.Refused::new,
        deadline);
  }

  @Override
  public EntryScan scan(int batchSize) {
    return askServing(engine -> engine.scan(batchSize));
  }

  @Override
  public EntryScan scanKeys(int batchSize) {
    return askServing(engine -> engine.scanKeys(batchSize));
  }

  @Override
  public EntryScan scan(int batchSize, Function<Siblings<Payload>, @Nullable Payload> shown) {
    return askServing(engine -> engine.scan(batchSize, shown));
  }

  @Override
  public Optional<ChangeSource> changes() {
    ServingConfiguration now = servingConfiguration;
    return holding
        ? Optional.empty()
        : now.engine().changes().map(source -> source.inConfiguration(now.number()));
  }

  /**
   * Applies {@code request} to the engine that serves. An engine replaced between its lookup and
   * the request is closed and fails immediately, although the cache is open. The request then goes
   * to the new engine.
   */
  private <T> T askServing(Function<CacheEngine, T> request) {
    while (true) {
      ServingConfiguration now = servingConfiguration;
      try {
        return request.apply(now.engine());
      } catch (IllegalStateException closed) {
        if (servingConfiguration == now || isClosed()) {
          throw closed;
        }
      }
    }
  }

  @Override
  public CompletionStage<Siblings<Payload>> siblings(Bytes key, Deadline deadline) {
    return reading(engine -> engine.siblings(key, deadline), deadline);
  }

  @Override
  public <R> CompletionStage<WriteOutcome<R>> amend(
      Bytes key, SiblingUpdate<Payload, R> siblingUpdate, Deadline deadline) {
    return writing(engine -> engine.amend(key, siblingUpdate, deadline), deadline);
  }

  @Override
  public State window() {
    return inner() instanceof WindowedEngine windowedEngine
        ? windowedEngine.window()
        : new State(0, Duration.ZERO, 0);
  }

  @Override
  public Runnable listen(Consumer<InDoubtWrites<Bytes>> listener) {
    return listeners.listen(listener);
  }

  /**
   * Calls the engine that serves, when there is one.
   *
   * @param inVain the missing sites, for a call that certainly had no effect
   * @param refused the answer of a call for which no engine served in time
   */
  private <T> CompletionStage<T> call(
      Function<CacheEngine, CompletionStage<T>> request,
      BiFunction<@Nullable T, @Nullable Throwable, Optional<QuorumFailure>> inVain,
      Function<QuorumFailure, T> refused,
      Deadline deadline) {
    Supplier<CompletionStage<T>> again =
        () -> held(() -> call(request, inVain, refused, deadline), refused, deadline);
    if (holding) {
      return again.get();
    }
    ServingConfiguration now = servingConfiguration;
    CompletionStage<T> asked;
    try {
      asked = request.apply(now.engine());
    } catch (IllegalStateException closed) { // As in askServing.
      if (servingConfiguration == now || isClosed()) {
        throw closed;
      }
      return call(request, inVain, refused, deadline);
    }
    return asked
        .handle(
            (answer, failure) -> {
              CompletableFuture<T> told =
                  failure == null
                      ? CompletableFuture.completedFuture(answer)
                      : CompletableFuture.failedFuture(CompletionCause.of(failure));
              Optional<QuorumFailure> missing = inVain.apply(answer, failure);
              if (missing.isEmpty()) {
                return told;
              }
              return over(now, missing.get(), deadline)
                  .thenCompose(
                      over -> {
                        if (over && !deadline.hasPassed(scheduler)) {
                          hold(now.number());
                          return again.get();
                        }
                        return told;
                      });
            })
        .thenCompose(stage -> stage);
  }

  /**
   * Whether {@code asked} is over, as known to this process. If a site has lost its store, the
   * record is read first: the store may have been removed with the configuration.
   */
  private CompletionStage<Boolean> over(
      ServingConfiguration asked, QuorumFailure missing, Deadline deadline) {
    if (isOver(asked) || missing.silent().values().stream().noneMatch(LOST::equalsIgnoreCase)) {
      return CompletableFuture.completedFuture(isOver(asked));
    }
    CompletableFuture<Boolean> known = new CompletableFuture<>();
    try {
      Timer late =
          scheduler.after(
              Math.max(0, deadline.remainingNanos(scheduler)), () -> known.complete(isOver(asked)));
      known.whenComplete((over, failure) -> late.cancel());
    } catch (RejectedExecutionException ended) {
      known.complete(isOver(asked));
    }
    found.get().whenComplete((record, failure) -> known.complete(isOver(asked)));
    return known;
  }

  private boolean isOver(ServingConfiguration asked) {
    return !isClosed()
        && (servingConfiguration.number() != asked.number() || asked.ending().getAsBoolean());
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  /** Waits until an engine serves, until the deadline at most. */
  private <T> CompletionStage<T> held(
      Supplier<CompletionStage<T>> again, Function<QuorumFailure, T> refused, Deadline deadline) {
    CompletableFuture<Boolean> served = new CompletableFuture<>();
    Runnable release = () -> served.complete(true);
    synchronized (this) {
      if (!closed && !holding) {
        served.complete(true);
      } else if (closed || waiting.size() >= MOST_WAITING) {
        served.complete(false);
      } else {
        waiting.add(release);
      }
    }
    if (!served.isDone()) {
      Timer late =
          scheduler.after(
              Math.max(0, deadline.remainingNanos(scheduler)),
              () -> {
                synchronized (this) {
                  waiting.remove(release);
                }
                served.complete(false);
              });
      served.whenComplete((yes, failure) -> late.cancel());
    }
    return served.thenCompose(
        yes ->
            yes
                ? again.get()
                : CompletableFuture.supplyAsync(
                    () ->
                        refused.apply(
                            SiteResponses.notAsked(definition().sites(), LeasedEngine.ENDING)),
                    scheduler));
  }

  @Override
  public void close() {
    List<Runnable> ended;
    Timer timer;
    synchronized (this) {
      closed = true;
      ended = List.copyOf(waiting);
      waiting.clear();
      timer = looking;
    }
    if (timer != null) {
      timer.cancel();
    }
    servingConfiguration.engine().close();
    ended.forEach(Runnable::run);
  }
}

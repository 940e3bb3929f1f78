package io.ensemble.cache.lease;

import io.ensemble.CacheDefinition;
import io.ensemble.InDoubtWrites;
import io.ensemble.QuorumFailure;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
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
 * A cache over all its configurations: calls go to the engine of the present one. While one has
 * ended and the next does not serve yet, they wait, within their deadlines, no more than {@value
 * #MOST_WAITING} of them; what has certainly had no effect is tried again then. A walk over entries
 * keeps to the configuration that it began in, and fails after its end. Thread-safe.
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

  // All below belongs to this object's lock.
  private final List<Runnable> waiting = new ArrayList<>();
  private @Nullable Timer looking;
  private boolean closed;

  /**
   * @param first what serves now; closed with this
   * @param look has the cache's record looked at, soon
   * @param found completes when what the record says is known here, or cannot be
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

  /** What the cache is now. */
  public CacheDefinition definition() {
    return servingConfiguration.definition();
  }

  /** The mode's own engine, which serves now. */
  public CacheEngine inner() {
    return servingConfiguration.inner();
  }

  /** The number of the configuration that serves now, or did last. */
  public long number() {
    return servingConfiguration.number();
  }

  /** Calls wait from now on: configuration {@code number} ends. */
  public void hold(long number) {
    synchronized (this) {
      if (closed || holding || servingConfiguration.number() != number) {
        return;
      }
      holding = true;
    }
    lookAgain();
  }

  /** The next configuration serves; the former engine is closed, with what is under way there. */
  public void serve(ServingConfiguration next) {
    replace(next).run();
  }

  /**
   * As {@link #serve}, of which the second half is left to the caller, to be run without a lock:
   * what closes the former engine and makes the calls that waited, whose completions are anybody's.
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
  public EntryScan scan(int batchSize, Function<Siblings<Payload>, @Nullable Payload> shown) {
    return askServing(engine -> engine.scan(batchSize, shown));
  }

  /**
   * What {@code request} gives of the engine that serves. One that the next configuration replaced
   * between the look for it and the request is closed, and says so at once; the cache is not.
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
   * Calls the engine that serves, when one does.
   *
   * @param inVain who was missing, of what certainly had no effect
   * @param refused what a call is told that nobody served in time
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
   * Whether {@code asked} is over, by what is known here; where a site has lost the store, by what
   * the record says: it may have been removed with the configuration.
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

  /** Waits until something serves, for no longer than the deadline. */
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

package io.ensemble.cache.listen;

import io.ensemble.ChangeEvent;
import io.ensemble.ChangeEvent.Change;
import io.ensemble.ChangeEvent.Gap;
import io.ensemble.ChangeEvent.GapReason;
import io.ensemble.ChangeStamp;
import io.ensemble.PartsChangedException;
import io.ensemble.schedule.Scheduler;
import io.ensemble.schedule.Scheduler.Timer;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The changes of a distributed cache: a stream for each part, read in turn. A change of a key that
 * does not belong to its part is left out, as in every walk over the cache. The stream follows one
 * assignment of keys to parts, and ends when that is another one. A position names the assignment;
 * a stream that resumes under another one begins anew, with a gap of reason {@code RETENTION}. One
 * reader at a time; thread-safe.
 */
public final class PartedChangeStream<K, V> implements PolledChangeStream<K, V> {

  /**
   * A part of the cache.
   *
   * @param holds whether a key belongs to the part
   */
  public record Part<K, V>(PolledChangeStream<K, V> stream, Predicate<K> holds) {}

  private static final Duration LOOK = Duration.ofSeconds(1);

  private final Scheduler scheduler;
  private final LongSupplier generation;
  private final long cache;
  private final long opened;
  private final List<Part<K, V>> parts;

  // All fields below are guarded by this object's lock, except for the two that a poll uses: polls
  // exclude each other.
  private int turn;
  private @Nullable PartedPosition outdated;
  private @Nullable CompletableFuture<Optional<ChangeEvent<K, V>>> reader;
  private boolean isPolling;
  private boolean hasArrivals;
  private boolean isLate;
  private @Nullable Timer timer;
  private Runnable arrival = () -> {};

  /**
   * @param cache a number of the cache, different for another cache of the same name
   * @param generation the present number of the assignment of keys to parts
   * @param opened the number when the parts were opened
   * @param outdated a position under another assignment, from which the stream should have resumed;
   *     null for none
   */
  public PartedChangeStream(
      Scheduler scheduler,
      long cache,
      LongSupplier generation,
      long opened,
      List<Part<K, V>> parts,
      @Nullable PartedPosition outdated) {
    this.scheduler = scheduler;
    this.cache = cache;
    this.generation = generation;
    this.opened = opened;
    this.parts = List.copyOf(parts);
    this.outdated = outdated;
    this.parts.forEach(part -> part.stream().onArrival(this::arrived));
  }

  @Override
  public synchronized void onArrival(Runnable arrival) {
    this.arrival = arrival;
  }

  private void arrived() {
    Runnable told;
    synchronized (this) {
      told = arrival;
    }
    deliver();
    told.run();
  }

  @Override
  public Optional<ChangeEvent<K, V>> poll() {
    if (generation.getAsLong() != opened) {
      throw new PartsChangedException();
    }
    if (outdated != null) {
      synchronized (this) {
        outdated = null;
      }
      ChangeStamp now = new ChangeStamp(0, new Stamp(scheduler.epochMicros(), WriterId.NONE));
      return Optional.of(
          new Gap<>(
              GapReason.RETENTION, Optional.empty(), ChangeStamp.NONE, now, OptionalLong.empty()));
    }
    for (int tried = 0; tried < parts.size(); tried++) {
      Part<K, V> part = parts.get(turn);
      turn = (turn + 1) % parts.size();
      for (Optional<ChangeEvent<K, V>> event = part.stream().poll();
          event.isPresent();
          event = part.stream().poll()) {
        if (isOfPart(event.get(), part)) {
          return event;
        }
      }
    }
    return Optional.empty();
  }

  private static <K, V> boolean isOfPart(ChangeEvent<K, V> event, Part<K, V> part) {
    if (event instanceof Change<K, V> change) {
      return part.holds().test(change.key());
    }
    return !(event instanceof Gap<K, V> gap) || gap.key().map(part.holds()::test).orElse(true);
  }

  @Override
  public Optional<ChangeEvent<K, V>> next(Duration timeout) {
    return WithdrawableRead.result(() -> nextAsync(timeout), this::withdraw, timeout, scheduler);
  }

  @Override
  public CompletionStage<Optional<ChangeEvent<K, V>>> nextAsync(Duration timeout) {
    CompletableFuture<Optional<ChangeEvent<K, V>>> mine = new CompletableFuture<>();
    long nanos = ChangeBuffer.nanos(timeout);
    synchronized (this) {
      if (reader != null) {
        throw new IllegalStateException("a stream of changes must have one reader at a time");
      }
      reader = mine;
      isPolling = true; // So that this thread polls, and without a timeout the stage is complete.
      isLate = nanos <= 0;
    }
    pollForReader();
    waitFor(mine, nanos);
    return mine;
  }

  /** Looks now and then whether the assignment of keys is another one, until the call is late. */
  private void waitFor(CompletableFuture<Optional<ChangeEvent<K, V>>> call, long remainingNanos) {
    if (call.isDone()) {
      return;
    }
    if (remainingNanos <= 0) {
      endLate(call);
      return;
    }
    long pause = Math.min(remainingNanos, LOOK.toNanos());
    Runnable look =
        () -> {
          deliver();
          waitFor(call, remainingNanos - pause);
        };
    try {
      Timer next = scheduler.after(pause, look);
      synchronized (this) {
        timer = reader == call ? next : timer;
        if (reader == call) {
          return;
        }
      }
      next.cancel();
    } catch (RejectedExecutionException ended) {
      endLate(call);
    }
  }

  private void endLate(CompletableFuture<Optional<ChangeEvent<K, V>>> late) {
    if (withdraw(late)) {
      late.complete(Optional.empty());
    }
  }

  /**
   * Ends a call of {@link #nextAsync}.
   *
   * @return false if it has ended, or ends soon
   */
  private synchronized boolean withdraw(CompletionStage<Optional<ChangeEvent<K, V>>> call) {
    if (reader != call) {
      return false;
    }
    if (isPolling) {
      isLate = true;
      return false;
    }
    reader = null;
    cancelTimer();
    return true;
  }

  /** Requires the lock. */
  private void cancelTimer() {
    if (timer != null) {
      timer.cancel();
      timer = null;
    }
  }

  /** Gives the reader what has come; calls of parts and decoders are made without the lock. */
  private void deliver() {
    synchronized (this) {
      if (reader == null) {
        return;
      }
      if (isPolling) {
        hasArrivals = true;
        return;
      }
      isPolling = true;
    }
    pollForReader();
  }

  /** Requires {@link #isPolling}, which it ends. */
  private void pollForReader() {
    while (true) {
      Optional<ChangeEvent<K, V>> event = Optional.empty();
      Throwable failure = null;
      try {
        event = poll();
      } catch (RuntimeException | Error thrown) {
        failure = thrown;
      }
      CompletableFuture<Optional<ChangeEvent<K, V>>> ended;
      synchronized (this) {
        if (event.isEmpty() && failure == null && hasArrivals && !isLate) {
          hasArrivals = false;
          continue;
        }
        isPolling = false;
        hasArrivals = false;
        if (event.isEmpty() && failure == null && !isLate) {
          return;
        }
        ended = reader;
        reader = null;
        cancelTimer();
      }
      if (ended != null && failure == null) {
        ended.complete(event);
      } else if (ended != null) {
        ended.completeExceptionally(failure);
      }
      return;
    }
  }

  @Override
  public String position() {
    PartedPosition waiting;
    synchronized (this) {
      waiting = outdated;
    }
    return waiting == null
        ? new PartedPosition(
                cache, opened, parts.stream().map(part -> part.stream().position()).toList())
            .toText()
        : waiting.toText();
  }

  @Override
  public void close() {
    parts.forEach(part -> part.stream().close());
  }
}

package io.ensemble.cache.listen;

import io.ensemble.ChangeEvent;
import io.ensemble.ChangeEvent.Gap;
import io.ensemble.ChangeEvent.GapReason;
import io.ensemble.ChangeStamp;
import io.ensemble.cache.Payload;
import io.ensemble.listen.ListenOutput;
import io.ensemble.listen.ListenPosition;
import io.ensemble.listen.ListenProgress;
import io.ensemble.schedule.Scheduler;
import io.ensemble.schedule.Scheduler.Timer;
import io.ensemble.site.Bytes;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The events of a stream that wait for its reader, within bounds of number and size. If the buffer
 * is full, further events are dropped until half of it has been read; one gap then stands for all
 * dropped events. One reader at a time; thread-safe.
 */
final class ChangeBuffer {

  private static final Duration LONGEST = Duration.ofDays(10_000);

  private final Scheduler scheduler;
  private final int maxEvents;
  private final long maxBytes;

  // All fields below are guarded by this object's lock.
  private final ListenProgress progress;
  private final Deque<ListenOutput<Bytes, Payload>> waiting = new ArrayDeque<>();
  private long waitingBytes;
  private long dropped;
  private ChangeStamp firstDropped = ChangeStamp.NONE;
  private ChangeStamp lastDropped = ChangeStamp.NONE;
  private ListenOutput.@Nullable Covered<Bytes, Payload> droppedCover;
  private @Nullable CompletableFuture<Optional<ChangeEvent<Bytes, Payload>>> reader;
  private @Nullable Throwable failure;
  private @Nullable Runnable arrival;

  ChangeBuffer(Scheduler scheduler, ListenLimits limits, ListenProgress progress) {
    this.scheduler = scheduler;
    this.maxEvents = limits.maxBufferedEvents();
    this.maxBytes = limits.maxBufferedBytes();
    this.progress = progress;
  }

  void add(List<ListenOutput<Bytes, Payload>> outputs) {
    synchronized (this) {
      if (failure != null) {
        return;
      }
      outputs.forEach(this::add);
    }
    deliver();
  }

  /** Requires the lock. */
  private void add(ListenOutput<Bytes, Payload> output) {
    if (output instanceof ListenOutput.Recorded<Bytes, Payload>) {
      progress.received(output); // Precedes all events.
      return;
    }
    if (output instanceof ListenOutput.Covered<Bytes, Payload> covered) {
      cover(covered);
      return;
    }
    boolean isFull = waiting.size() >= maxEvents || waitingBytes >= maxBytes;
    if (dropped == 0 && !isFull) {
      waiting.add(output);
      waitingBytes += sizeOf(output);
    } else {
      ChangeStamp first;
      ChangeStamp last;
      if (output instanceof ListenOutput.Shown<Bytes, Payload> shown) {
        first = shown.change().stamp();
        last = first;
        dropped++;
      } else {
        Gap<Bytes, Payload> gap = ((ListenOutput.Missing<Bytes, Payload>) output).gap();
        first = gap.after();
        last = gap.before();
        dropped += Math.max(1, gap.missed().orElse(1));
      }
      boolean isFirst = firstDropped.equals(ChangeStamp.NONE);
      firstDropped = isFirst || firstDropped.isAfter(first) ? first : firstDropped;
      lastDropped = last.isAfter(lastDropped) ? last : lastDropped;
    }
  }

  /** Requires the lock. A mark replaces the one before it, unless an event is in between. */
  private void cover(ListenOutput.Covered<Bytes, Payload> covered) {
    if (dropped > 0) {
      droppedCover = covered; // It follows the gap.
      return;
    }
    if (waiting.peekLast() instanceof ListenOutput.Covered<Bytes, Payload>) {
      waiting.removeLast();
    }
    waiting.add(covered);
  }

  /** How many bytes of key and value an output has. */
  static long sizeOf(ListenOutput<Bytes, Payload> output) {
    if (output instanceof ListenOutput.Shown<Bytes, Payload> shown) {
      Payload value = shown.change().value();
      return shown.change().key().size() + (value == null ? 0 : value.value().size());
    }
    return 0;
  }

  /** Requires the lock. Ends the dropping of events once half of the buffer has been read. */
  private void endDropping() {
    boolean hasRoom = waiting.size() <= maxEvents / 2 && waitingBytes <= maxBytes / 2;
    if (dropped == 0 || !hasRoom) {
      return;
    }
    waiting.add(
        new ListenOutput.Missing<>(
            Gap.between(GapReason.OVERFLOW, Optional.empty(), firstDropped, lastDropped, dropped)));
    dropped = 0;
    firstDropped = ChangeStamp.NONE;
    lastDropped = ChangeStamp.NONE;
    ListenOutput.Covered<Bytes, Payload> cover = droppedCover;
    if (cover != null) {
      waiting.add(cover);
      droppedCover = null;
    }
  }

  /** Requires the lock. The next event that is ready; absorbs other outputs before it. */
  private Optional<ChangeEvent<Bytes, Payload>> take() {
    absorb();
    ListenOutput<Bytes, Payload> next = waiting.poll();
    if (next == null) {
      return Optional.empty();
    }
    waitingBytes -= sizeOf(next);
    progress.received(next);
    endDropping();
    absorb();
    return Optional.of(
        next instanceof ListenOutput.Shown<Bytes, Payload> shown
            ? shown.change()
            : ((ListenOutput.Missing<Bytes, Payload>) next).gap());
  }

  private void absorb() {
    while (waiting.peek() instanceof ListenOutput.Covered<Bytes, Payload> covered) {
      progress.received(covered);
      waiting.poll();
    }
    endDropping();
  }

  /**
   * The next event; empty if none comes within {@code timeout}. Completes on the scheduler, or
   * immediately.
   */
  CompletionStage<Optional<ChangeEvent<Bytes, Payload>>> next(Duration timeout) {
    CompletableFuture<Optional<ChangeEvent<Bytes, Payload>>> mine;
    long nanos = nanos(timeout);
    synchronized (this) {
      if (reader != null) {
        throw new IllegalStateException("a stream of changes must have one reader at a time");
      }
      Optional<ChangeEvent<Bytes, Payload>> ready = take();
      if (ready.isPresent() || failure == null && nanos <= 0) {
        return CompletableFuture.completedFuture(ready);
      }
      if (failure != null) {
        return CompletableFuture.failedFuture(failure);
      }
      mine = new CompletableFuture<>();
      reader = mine;
    }
    try {
      Timer late = scheduler.after(nanos, () -> end(mine));
      mine.whenComplete((event, thrown) -> late.cancel());
    } catch (RejectedExecutionException ended) {
      end(mine);
    }
    return mine;
  }

  /** The next event, if one waits; throws the failure that has ended the stream. */
  synchronized Optional<ChangeEvent<Bytes, Payload>> poll() {
    if (reader != null) {
      throw new IllegalStateException("a stream of changes must have one reader at a time");
    }
    Optional<ChangeEvent<Bytes, Payload>> ready = take();
    if (ready.isEmpty() && failure != null) {
      throw failure instanceof RuntimeException ended ? ended : new IllegalStateException(failure);
    }
    return ready;
  }

  /** The time in nanoseconds, or the longest that a timer takes. */
  static long nanos(Duration timeout) {
    return timeout.compareTo(LONGEST) < 0 ? timeout.toNanos() : LONGEST.toNanos();
  }

  private void end(CompletableFuture<Optional<ChangeEvent<Bytes, Payload>>> late) {
    if (withdraw(late)) {
      late.complete(Optional.empty());
    }
  }

  /**
   * Ends a call of {@link #next} whose caller was interrupted.
   *
   * @return false if the call has received an event, or the end of the stream, with which its stage
   *     completes
   */
  synchronized boolean withdraw(CompletionStage<Optional<ChangeEvent<Bytes, Payload>>> call) {
    if (reader != call) {
      return false;
    }
    reader = null;
    return true;
  }

  /** Runs {@code told} on the scheduler when an event may have come, or the end of the stream. */
  synchronized void onArrival(Runnable told) {
    arrival = told;
  }

  private void deliver() {
    CompletableFuture<Optional<ChangeEvent<Bytes, Payload>>> waitingReader;
    Optional<ChangeEvent<Bytes, Payload>> event;
    Throwable why;
    Runnable told;
    synchronized (this) {
      waitingReader = reader;
      told = arrival;
    }
    if (told != null) {
      execute(told);
    }
    synchronized (this) {
      if (waitingReader == null || waitingReader != reader) {
        return;
      }
      event = take();
      why = failure;
      if (event.isEmpty() && why == null) {
        return;
      }
      reader = null;
    }
    Runnable completion =
        () -> {
          if (event.isPresent()) {
            waitingReader.complete(event);
          } else {
            waitingReader.completeExceptionally(why);
          }
        };
    execute(completion);
  }

  private void execute(Runnable action) {
    try {
      scheduler.execute(action);
    } catch (RejectedExecutionException ended) {
      action.run();
    }
  }

  /** The position after the last event that the reader has received. */
  synchronized ListenPosition position() {
    absorb();
    return progress.position();
  }

  /** How many events wait, for tests. */
  synchronized int size() {
    return waiting.size();
  }

  /** Ends the stream: the reader receives what waits, and then this failure. */
  void fail(Throwable why) {
    synchronized (this) {
      failure = failure == null ? why : failure;
    }
    deliver();
  }
}

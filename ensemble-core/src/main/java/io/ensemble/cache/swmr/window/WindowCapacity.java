package io.ensemble.cache.swmr.window;

import io.ensemble.CopyWindow;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;

/**
 * The slots of a window. Their number is limited, in-doubt writes included. None is free while the
 * oldest is too old, or while the values behind them exceed {@link #MOST_BYTES}; one value may
 * always exceed it. A writer without a slot waits in turn, until its deadline. The number of
 * waiting writers is limited. Thread-safe.
 */
public final class WindowCapacity implements AutoCloseable {

  /** How many writers may wait. */
  static final int MOST_WAITING = 1_024;

  /** The largest size of all copies that wait, in bytes. */
  static final long MOST_BYTES = 64 << 20;

  private record Waiter(
      CompletableFuture<Optional<WindowSlot>> place, CompletableFuture<Scheduler.Timer> timer) {

    void give(Optional<WindowSlot> given) {
      timer.thenAccept(Scheduler.Timer::cancel);
      place.complete(given);
    }
  }

  private final CopyWindow bounds;
  private final Scheduler scheduler;

  // The fields below are guarded by this object's lock.
  private final Set<WindowSlot> taken = new LinkedHashSet<>();
  private final Deque<Waiter> waiters = new ArrayDeque<>();
  private int doubtful;
  private long bytes;
  private boolean closed;

  public WindowCapacity(CopyWindow bounds, Scheduler scheduler) {
    this.bounds = bounds;
    this.scheduler = scheduler;
  }

  /** A slot, immediately or by the deadline; empty if none was free. */
  CompletionStage<Optional<WindowSlot>> enter(Deadline deadline) {
    Waiter waiter = new Waiter(new CompletableFuture<>(), new CompletableFuture<>());
    synchronized (this) {
      if (closed || waiters.size() >= MOST_WAITING) {
        return CompletableFuture.completedFuture(Optional.empty());
      }
      if (waiters.isEmpty() && hasRoom()) {
        return CompletableFuture.completedFuture(Optional.of(take()));
      }
      waiters.add(waiter);
    }
    long left = Math.max(0, deadline.remainingNanos(scheduler));
    waiter.timer.complete(scheduler.after(left, () -> timeOut(waiter)));
    return waiter.place;
  }

  private boolean hasRoom() {
    Iterator<WindowSlot> oldest = taken.iterator();
    boolean young =
        !oldest.hasNext()
            || scheduler.nanos() - oldest.next().sinceNanos() < bounds.age().toNanos();
    return young && taken.size() + doubtful < bounds.writes() && bytes < MOST_BYTES;
  }

  private WindowSlot take() {
    WindowSlot place = new WindowSlot(scheduler.nanos());
    taken.add(place);
    return place;
  }

  private void timeOut(Waiter waiter) {
    boolean waits;
    synchronized (this) {
      waits = waiters.remove(waiter);
    }
    if (waits) {
      waiter.give(Optional.empty());
    }
  }

  /**
   * Frees slots: their writes are held by a majority, are no longer waited for, or were never made.
   */
  void leave(Collection<WindowSlot> places) {
    synchronized (this) {
      taken.removeAll(places);
    }
    letIn();
  }

  /** Changes the number of writes of unknown fate by {@code more}, which may be negative. */
  public void doubt(int more) {
    synchronized (this) {
      doubtful += more;
    }
    if (more < 0) {
      letIn();
    }
  }

  /** Changes the number of bytes that wait to be copied by {@code more}, which may be negative. */
  synchronized void weigh(long more) {
    bytes += more;
  }

  private void letIn() {
    List<Runnable> let = new ArrayList<>();
    synchronized (this) {
      while (!waiters.isEmpty() && hasRoom()) {
        Waiter next = waiters.remove();
        Optional<WindowSlot> place = Optional.of(take());
        let.add(() -> next.give(place));
      }
    }
    for (Runnable one : let) {
      try {
        scheduler.execute(one); // Not here: each may end immediately, and admit the next.
      } catch (RejectedExecutionException ended) {
        one.run();
      }
    }
  }

  /** How many slots are taken. */
  public synchronized int size() {
    return taken.size();
  }

  /** How many writers wait. */
  synchronized int waiting() {
    return waiters.size();
  }

  /** How many writes are of unknown fate. */
  public synchronized int doubtful() {
    return doubtful;
  }

  /** The age of the oldest slot; 0 when there is none. */
  public synchronized long oldestNanos() {
    return taken.isEmpty() ? 0 : scheduler.nanos() - taken.iterator().next().sinceNanos();
  }

  /** Admits no further writer. */
  @Override
  public void close() {
    List<Waiter> waiting;
    synchronized (this) {
      closed = true;
      waiting = new ArrayList<>(waiters);
      waiters.clear();
    }
    waiting.forEach(waiter -> waiter.give(Optional.empty()));
  }
}

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
      CompletableFuture<Optional<WindowSlot>> slot, CompletableFuture<Scheduler.Timer> timer) {

    void complete(Optional<WindowSlot> result) {
      timer.thenAccept(Scheduler.Timer::cancel);
      slot.complete(result);
    }
  }

  private final CopyWindow copyWindow;
  private final Scheduler scheduler;

  // The fields below are guarded by this object's lock.
  private final Set<WindowSlot> usedSlots = new LinkedHashSet<>();
  private final Deque<Waiter> waiters = new ArrayDeque<>();
  private int doubtfulWrites;
  private long bytes;
  private boolean closed;

  public WindowCapacity(CopyWindow copyWindow, Scheduler scheduler) {
    this.copyWindow = copyWindow;
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
        return CompletableFuture.completedFuture(Optional.of(takeSlot()));
      }
      waiters.add(waiter);
    }
    long remainingNanos = Math.max(0, deadline.remainingNanos(scheduler));
    waiter.timer.complete(scheduler.after(remainingNanos, () -> timeOut(waiter)));
    return waiter.slot;
  }

  private boolean hasRoom() {
    Iterator<WindowSlot> oldest = usedSlots.iterator();
    boolean isYoung =
        !oldest.hasNext()
            || scheduler.nanos() - oldest.next().sinceNanos() < copyWindow.age().toNanos();
    return isYoung && usedSlots.size() + doubtfulWrites < copyWindow.writes() && bytes < MOST_BYTES;
  }

  private WindowSlot takeSlot() {
    WindowSlot slot = new WindowSlot(scheduler.nanos());
    usedSlots.add(slot);
    return slot;
  }

  private void timeOut(Waiter waiter) {
    boolean wasWaiting;
    synchronized (this) {
      wasWaiting = waiters.remove(waiter);
    }
    if (wasWaiting) {
      waiter.complete(Optional.empty());
    }
  }

  /**
   * Frees slots: their writes are held by a majority, are no longer waited for, or were never made.
   */
  void leave(Collection<WindowSlot> slots) {
    synchronized (this) {
      usedSlots.removeAll(slots);
    }
    admitWaiters();
  }

  /** Changes the number of writes of unknown fate by {@code change}, which may be negative. */
  public void doubt(int change) {
    synchronized (this) {
      doubtfulWrites += change;
    }
    if (change < 0) {
      admitWaiters();
    }
  }

  /**
   * Changes the number of bytes that wait to be copied by {@code change}, which may be negative.
   */
  synchronized void addBytes(long change) {
    bytes += change;
  }

  private void admitWaiters() {
    List<Runnable> admissions = new ArrayList<>();
    synchronized (this) {
      while (!waiters.isEmpty() && hasRoom()) {
        Waiter waiter = waiters.remove();
        Optional<WindowSlot> slot = Optional.of(takeSlot());
        admissions.add(() -> waiter.complete(slot));
      }
    }
    for (Runnable admission : admissions) {
      try {
        scheduler.execute(admission); // Not here: each may end immediately, and admit the next.
      } catch (RejectedExecutionException rejection) {
        admission.run();
      }
    }
  }

  /** How many slots are taken. */
  public synchronized int size() {
    return usedSlots.size();
  }

  /** How many writers wait. */
  synchronized int waiting() {
    return waiters.size();
  }

  /** How many writes are of unknown fate. */
  public synchronized int doubtful() {
    return doubtfulWrites;
  }

  /** The age of the oldest slot; 0 when there is none. */
  public synchronized long oldestNanos() {
    return usedSlots.isEmpty() ? 0 : scheduler.nanos() - usedSlots.iterator().next().sinceNanos();
  }

  /** Admits no further writer. */
  @Override
  public void close() {
    List<Waiter> waitingCallers;
    synchronized (this) {
      closed = true;
      waitingCallers = new ArrayList<>(waiters);
      waiters.clear();
    }
    waitingCallers.forEach(waiter -> waiter.complete(Optional.empty()));
  }
}

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
 * The places of a window: so many, those in doubt among them, none while the oldest is too old, and
 * no more than {@link #MOST_BYTES} of values behind them, but for one value. Who finds none waits,
 * in turn, until its deadline; so many may wait. Thread-safe.
 */
public final class WindowCapacity implements AutoCloseable {

  /** How many writers may wait. */
  static final int MOST_WAITING = 1_024;

  /** How large the copies that wait may be in all. */
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

  // All below belongs to this object's lock.
  private final Set<WindowSlot> taken = new LinkedHashSet<>();
  private final Deque<Waiter> waiters = new ArrayDeque<>();
  private int doubtful;
  private long bytes;
  private boolean closed;

  public WindowCapacity(CopyWindow bounds, Scheduler scheduler) {
    this.bounds = bounds;
    this.scheduler = scheduler;
  }

  /** A place, at once or by the deadline; none when there was none. */
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
    waiter.timer.complete(scheduler.after(left, () -> giveUp(waiter)));
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

  private void giveUp(Waiter waiter) {
    boolean waits;
    synchronized (this) {
      waits = waiters.remove(waiter);
    }
    if (waits) {
      waiter.give(Optional.empty());
    }
  }

  /** Their writes are held by a majority, or no longer to be waited for, or were never made. */
  void leave(Collection<WindowSlot> places) {
    synchronized (this) {
      taken.removeAll(places);
    }
    letIn();
  }

  /** So many more, or fewer, writes are of unknown fate. */
  public void doubt(int more) {
    synchronized (this) {
      doubtful += more;
    }
    if (more < 0) {
      letIn();
    }
  }

  /** So many more, or fewer, bytes wait to be copied. */
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
        scheduler.execute(one); // Not here: each may end at once, and let in the next.
      } catch (RejectedExecutionException ended) {
        one.run();
      }
    }
  }

  /** How many places are taken. */
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

  /** How old the oldest place is; 0 when there is none. */
  public synchronized long oldestNanos() {
    return taken.isEmpty() ? 0 : scheduler.nanos() - taken.iterator().next().sinceNanos();
  }

  /** Lets nobody in any more. */
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

package io.ensemble.cache.swmr.window;

import io.ensemble.cache.Payload;
import io.ensemble.cache.swmr.window.WindowSlot.Write;
import io.ensemble.primary.Copy;
import io.ensemble.primary.LeasedTerm;
import io.ensemble.primary.Term;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The writes of this process that the primary alone has acknowledged, until a majority holds them.
 *
 * <p>Each key's last write is copied, one copy of a key at a time, a few keys at a time. Sites
 * accept a copy only over an earlier copy of its key, so a key's order is kept. A copy of its last
 * write covers the writes before. Between keys there is no order.
 *
 * <p>A write leaves the window when a majority holds it at a moment in which its epoch is known to
 * last. Either the lease is valid, or the term was read after that and was the same. No process has
 * recovered the key into a later epoch then, so a later recovery finds the write. Writes in the
 * window when a later epoch is seen are {@linkplain InDoubtTracker in doubt}. Thread-safe.
 */
public final class ReplicationWindow implements AutoCloseable {

  /** How many keys are copied at a time. */
  static final int COPIES_AT_ONCE = 64;

  private static final long PAUSE_NANOS = 20_000_000;

  /** Brings a copy to a majority; true when a majority holds it. */
  public interface Copier {
    CompletionStage<Boolean> copy(Bytes key, Term term, Copy<Payload> copy);
  }

  private record Task(Bytes key, Term term, Copy<Payload> copy) {}

  private final Scheduler scheduler;
  private final WindowCapacity windowCapacity;
  private final Copier copier;
  private final LongPredicate lasts;
  private final Consumer<List<Write>> inDoubt;

  // The fields below are guarded by this object's lock.
  private final Map<Bytes, KeyLog> logs = new HashMap<>();
  private final Set<Bytes> ready = new LinkedHashSet<>();
  private final Set<Bytes> arrived = new LinkedHashSet<>();
  private final List<CompletableFuture<Boolean>> drains = new ArrayList<>();
  private int copying;
  private long epoch;
  private boolean closed;

  /**
   * @param lasts whether an epoch is known to last at this moment
   * @param inDoubt receives the writes that were in the window when their epoch ended, or the cache
   *     was closed; called under this window's lock
   */
  public ReplicationWindow(
      Scheduler scheduler,
      WindowCapacity windowCapacity,
      Copier copier,
      LongPredicate lasts,
      Consumer<List<Write>> inDoubt) {
    this.scheduler = scheduler;
    this.windowCapacity = windowCapacity;
    this.copier = copier;
    this.lasts = lasts;
    this.inDoubt = inDoubt;
  }

  /** A slot for a write that is about to begin; empty when the window stays full. */
  public CompletionStage<Optional<WindowSlot>> enter(Deadline deadline) {
    return windowCapacity.enter(deadline);
  }

  /** The write for which {@code windowSlot} was taken was not made, or has an unknown outcome. */
  public void leave(WindowSlot windowSlot) {
    windowCapacity.leave(List.of(windowSlot));
  }

  /** The primary has the write, which is copied from now on. */
  public void written(WindowSlot windowSlot, Write write, Term term, Copy<Payload> copy) {
    List<WindowSlot> left;
    synchronized (this) {
      left = advance(write.epoch());
      if (write.epoch() < epoch || closed) {
        inDoubt.accept(List.of(write));
        left.add(windowSlot);
      } else {
        KeyLog log = logs.computeIfAbsent(write.key(), key -> new KeyLog(term, copy));
        windowCapacity.weigh(KeyLog.size(copy) - (log.isEmpty() ? 0 : KeyLog.size(log.newest)));
        log.add(new KeyLog.Waiting(windowSlot, write), copy);
        if (!log.copying) {
          ready.add(write.key());
        }
      }
    }
    gone(left);
    copyMore();
  }

  /**
   * If {@code seen} is a later epoch, the writes of former epochs are in doubt when this method
   * returns.
   */
  public void advanceTo(long seen) {
    List<WindowSlot> left;
    synchronized (this) {
      left = advance(seen);
    }
    gone(left);
  }

  /** Frees the slots of writes that are in doubt or held by a majority. */
  private void gone(List<WindowSlot> left) {
    if (!left.isEmpty()) {
      windowCapacity.leave(left);
      drained();
    }
  }

  private List<WindowSlot> advance(long seen) {
    if (seen <= epoch) {
      return new ArrayList<>();
    }
    epoch = seen;
    return doubtAll();
  }

  /** Under the lock: a writer of the next epoch finds all earlier writes in doubt. */
  private List<WindowSlot> doubtAll() {
    Map<WindowSlot, Write> all = takeAll();
    if (!all.isEmpty()) {
      inDoubt.accept(List.copyOf(all.values()));
    }
    return new ArrayList<>(all.keySet());
  }

  private void copyMore() {
    for (Task task = next(); task != null; task = next()) {
      Task taken = task;
      copier
          .copy(task.key(), task.term(), task.copy())
          .whenComplete((held, failure) -> ended(taken, failure == null && held));
    }
  }

  private synchronized @Nullable Task next() {
    Iterator<Bytes> first = ready.iterator();
    if (closed || copying == COPIES_AT_ONCE || !first.hasNext()) {
      return null;
    }
    Bytes key = first.next();
    first.remove();
    KeyLog log = logs.get(key);
    if (log == null) {
      throw new AssertionError("a write to copy must be in the window");
    }
    copying++;
    log.copying = true;
    return new Task(key, log.term, log.newest);
  }

  private void ended(Task task, boolean held) {
    List<WindowSlot> left = List.of();
    boolean again = false;
    synchronized (this) {
      copying--;
      KeyLog log = logs.get(task.key());
      if (log != null && log.term.epoch() == task.term().epoch()) {
        log.copying = false;
        if (held) {
          log.arrived = task.copy().mark();
          log.arrivedAtNanos = scheduler.nanos();
          arrived.add(task.key());
          left = lasts.test(log.term.epoch()) ? settled(task.key(), log) : left;
        }
        again = log.hasMore();
        if (again && held) {
          ready.add(task.key());
        }
      }
    }
    windowCapacity.leave(left);
    if (again && !held) {
      retrySoon(task);
    }
    drained();
    copyMore();
  }

  /** A majority holds the arrived copy, and the epoch lasts. */
  private List<WindowSlot> settled(Bytes key, KeyLog log) {
    arrived.remove(key);
    List<WindowSlot> left = log.arrived == null ? List.of() : log.removeUpTo(log.arrived);
    if (log.isEmpty()) {
      windowCapacity.weigh(-KeyLog.size(log.newest));
      logs.remove(key);
      ready.remove(key);
    }
    return left;
  }

  private void retrySoon(Task task) {
    try {
      scheduler.after(PAUSE_NANOS, () -> retry(task));
    } catch (RejectedExecutionException ended) {
      close();
    }
  }

  private void retry(Task task) {
    synchronized (this) {
      KeyLog log = logs.get(task.key());
      if (log != null && log.term.epoch() == task.term().epoch() && !log.copying) {
        ready.add(task.key());
      }
    }
    copyMore();
  }

  /** Called with the present lease on a term. */
  public void seen(LeasedTerm leasedTerm) {
    List<WindowSlot> left;
    synchronized (this) {
      left = advance(leasedTerm.term().epoch());
      if (leasedTerm.term().epoch() == epoch && leasedTerm.term().active()) {
        for (Bytes key : List.copyOf(arrived)) {
          KeyLog log = logs.get(key);
          if (log != null && leasedTerm.sinceNanos() - log.arrivedAtNanos >= 0) {
            left.addAll(settled(key, log));
          }
        }
      }
    }
    gone(left);
  }

  private Map<WindowSlot, Write> takeAll() {
    Map<WindowSlot, Write> all = new LinkedHashMap<>();
    for (KeyLog log : logs.values()) {
      all.putAll(log.all());
      windowCapacity.weigh(-KeyLog.size(log.newest));
    }
    logs.clear();
    ready.clear();
    arrived.clear();
    return all;
  }

  /** Completes with true when nothing is to be copied, with false at the deadline. */
  public CompletionStage<Boolean> drain(Deadline deadline) {
    CompletableFuture<Boolean> drain = new CompletableFuture<>();
    long left = Math.max(0, deadline.remainingNanos(scheduler));
    Scheduler.Timer late = scheduler.after(left, () -> drain.complete(false));
    synchronized (this) {
      drains.add(drain);
    }
    drained();
    return drain.whenComplete(
        (done, failure) -> {
          late.cancel();
          synchronized (this) {
            drains.remove(drain);
          }
        });
  }

  private void drained() {
    List<CompletableFuture<Boolean>> ends;
    synchronized (this) {
      ends = logs.isEmpty() ? List.copyOf(drains) : List.of();
    }
    ends.forEach(end -> end.complete(true));
  }

  /** Ends the copying; the remaining writes are in doubt. */
  @Override
  public void close() {
    List<WindowSlot> left;
    synchronized (this) {
      closed = true;
      left = doubtAll();
    }
    windowCapacity.close();
    gone(left);
    drained();
  }
}

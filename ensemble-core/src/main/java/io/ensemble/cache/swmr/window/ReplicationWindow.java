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

  private record CopyTask(Bytes key, Term term, Copy<Payload> copy) {}

  private final Scheduler scheduler;
  private final WindowCapacity windowCapacity;
  private final Copier copier;
  private final LongPredicate isLeased;
  private final Consumer<List<Write>> inDoubt;

  // The fields below are guarded by this object's lock.
  private final Map<Bytes, KeyLog> logs = new HashMap<>();
  private final Set<Bytes> readyKeys = new LinkedHashSet<>();
  private final Set<Bytes> arrivedKeys = new LinkedHashSet<>();
  private final List<CompletableFuture<Boolean>> openDrains = new ArrayList<>();
  private int activeCopies;
  private long epoch;
  private boolean closed;

  /**
   * @param isLeased whether an epoch is known to last at this moment
   * @param inDoubt receives the writes that were in the window when their epoch ended, or the cache
   *     was closed; called under this window's lock
   */
  public ReplicationWindow(
      Scheduler scheduler,
      WindowCapacity windowCapacity,
      Copier copier,
      LongPredicate isLeased,
      Consumer<List<Write>> inDoubt) {
    this.scheduler = scheduler;
    this.windowCapacity = windowCapacity;
    this.copier = copier;
    this.isLeased = isLeased;
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
    List<WindowSlot> freedSlots;
    synchronized (this) {
      freedSlots = advanceEpoch(write.epoch());
      if (write.epoch() < epoch || closed) {
        inDoubt.accept(List.of(write));
        freedSlots.add(windowSlot);
      } else {
        KeyLog log = logs.computeIfAbsent(write.key(), key -> new KeyLog(term, copy));
        windowCapacity.addBytes(KeyLog.size(copy) - (log.isEmpty() ? 0 : KeyLog.size(log.newest)));
        log.add(new KeyLog.WaitingWrite(windowSlot, write), copy);
        if (!log.copying) {
          readyKeys.add(write.key());
        }
      }
    }
    releaseSlots(freedSlots);
    startCopies();
  }

  /**
   * If {@code latestEpoch} is a later epoch, the writes of former epochs are in doubt when this
   * method returns.
   */
  public void advanceTo(long latestEpoch) {
    List<WindowSlot> freedSlots;
    synchronized (this) {
      freedSlots = advanceEpoch(latestEpoch);
    }
    releaseSlots(freedSlots);
  }

  /** Frees the slots of writes that are in doubt or held by a majority. */
  private void releaseSlots(List<WindowSlot> freedSlots) {
    if (!freedSlots.isEmpty()) {
      windowCapacity.leave(freedSlots);
      completeDrains();
    }
  }

  private List<WindowSlot> advanceEpoch(long latestEpoch) {
    if (latestEpoch <= epoch) {
      return new ArrayList<>();
    }
    epoch = latestEpoch;
    return markAllInDoubt();
  }

  /** Under the lock: a writer of the next epoch finds all earlier writes in doubt. */
  private List<WindowSlot> markAllInDoubt() {
    Map<WindowSlot, Write> writes = removeAllWrites();
    if (!writes.isEmpty()) {
      inDoubt.accept(List.copyOf(writes.values()));
    }
    return new ArrayList<>(writes.keySet());
  }

  private void startCopies() {
    for (CopyTask task = takeTask(); task != null; task = takeTask()) {
      CopyTask currentTask = task;
      copier
          .copy(task.key(), task.term(), task.copy())
          .whenComplete(
              (isCopied, failure) -> finishCopy(currentTask, failure == null && isCopied));
    }
  }

  private synchronized @Nullable CopyTask takeTask() {
    Iterator<Bytes> keys = readyKeys.iterator();
    if (closed || activeCopies == COPIES_AT_ONCE || !keys.hasNext()) {
      return null;
    }
    Bytes key = keys.next();
    keys.remove();
    KeyLog log = logs.get(key);
    if (log == null) {
      throw new AssertionError("a write to copy must be in the window");
    }
    activeCopies++;
    log.copying = true;
    return new CopyTask(key, log.term, log.newest);
  }

  private void finishCopy(CopyTask task, boolean isCopied) {
    List<WindowSlot> freedSlots = List.of();
    boolean mustCopyAgain = false;
    synchronized (this) {
      activeCopies--;
      KeyLog log = logs.get(task.key());
      if (log != null && log.term.epoch() == task.term().epoch()) {
        log.copying = false;
        if (isCopied) {
          log.arrivedPosition = task.copy().mark();
          log.arrivedAtNanos = scheduler.nanos();
          arrivedKeys.add(task.key());
          freedSlots = isLeased.test(log.term.epoch()) ? removeCopied(task.key(), log) : freedSlots;
        }
        mustCopyAgain = log.hasUncopiedWrite();
        if (mustCopyAgain && isCopied) {
          readyKeys.add(task.key());
        }
      }
    }
    windowCapacity.leave(freedSlots);
    if (mustCopyAgain && !isCopied) {
      scheduleRetry(task);
    }
    completeDrains();
    startCopies();
  }

  /** A majority holds the arrived copy, and the epoch lasts. */
  private List<WindowSlot> removeCopied(Bytes key, KeyLog log) {
    arrivedKeys.remove(key);
    List<WindowSlot> freedSlots =
        log.arrivedPosition == null ? List.of() : log.removeUpTo(log.arrivedPosition);
    if (log.isEmpty()) {
      windowCapacity.addBytes(-KeyLog.size(log.newest));
      logs.remove(key);
      readyKeys.remove(key);
    }
    return freedSlots;
  }

  private void scheduleRetry(CopyTask task) {
    try {
      scheduler.after(PAUSE_NANOS, () -> retry(task));
    } catch (RejectedExecutionException rejection) {
      close();
    }
  }

  private void retry(CopyTask task) {
    synchronized (this) {
      KeyLog log = logs.get(task.key());
      if (log != null && log.term.epoch() == task.term().epoch() && !log.copying) {
        readyKeys.add(task.key());
      }
    }
    startCopies();
  }

  /** Called with the present lease on a term. */
  public void seen(LeasedTerm leasedTerm) {
    List<WindowSlot> freedSlots;
    synchronized (this) {
      freedSlots = advanceEpoch(leasedTerm.term().epoch());
      if (leasedTerm.term().epoch() == epoch && leasedTerm.term().active()) {
        for (Bytes key : List.copyOf(arrivedKeys)) {
          KeyLog log = logs.get(key);
          if (log != null && leasedTerm.sinceNanos() - log.arrivedAtNanos >= 0) {
            freedSlots.addAll(removeCopied(key, log));
          }
        }
      }
    }
    releaseSlots(freedSlots);
  }

  private Map<WindowSlot, Write> removeAllWrites() {
    Map<WindowSlot, Write> writes = new LinkedHashMap<>();
    for (KeyLog log : logs.values()) {
      writes.putAll(log.writesBySlot());
      windowCapacity.addBytes(-KeyLog.size(log.newest));
    }
    logs.clear();
    readyKeys.clear();
    arrivedKeys.clear();
    return writes;
  }

  /** Completes with true when nothing is to be copied, with false at the deadline. */
  public CompletionStage<Boolean> drain(Deadline deadline) {
    CompletableFuture<Boolean> drain = new CompletableFuture<>();
    long remainingNanos = Math.max(0, deadline.remainingNanos(scheduler));
    Scheduler.Timer timer = scheduler.after(remainingNanos, () -> drain.complete(false));
    synchronized (this) {
      openDrains.add(drain);
    }
    completeDrains();
    return drain.whenComplete(
        (done, failure) -> {
          timer.cancel();
          synchronized (this) {
            openDrains.remove(drain);
          }
        });
  }

  private void completeDrains() {
    List<CompletableFuture<Boolean>> completedDrains;
    synchronized (this) {
      completedDrains = logs.isEmpty() ? List.copyOf(openDrains) : List.of();
    }
    completedDrains.forEach(end -> end.complete(true));
  }

  /** Ends the copying; the remaining writes are in doubt. */
  @Override
  public void close() {
    List<WindowSlot> freedSlots;
    synchronized (this) {
      closed = true;
      freedSlots = markAllInDoubt();
    }
    windowCapacity.close();
    releaseSlots(freedSlots);
    completeDrains();
  }
}

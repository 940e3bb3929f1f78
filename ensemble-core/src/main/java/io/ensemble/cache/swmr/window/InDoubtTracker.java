package io.ensemble.cache.swmr.window;

import io.ensemble.InDoubtWrites.Fate;
import io.ensemble.cache.quorum.AsyncLoop;
import io.ensemble.cache.swmr.window.WindowSlot.Write;
import io.ensemble.primary.LeasedTerm;
import io.ensemble.primary.Term;
import io.ensemble.primary.TermLeaseRules;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The writes that were in the window when their epoch ended, until their fate is known. When this
 * process writes the key again, the replaced value decides. Otherwise the value that a later
 * epoch's primary holds decides, once all keys were recovered into that epoch; from then on only
 * another write changes it. Thread-safe.
 */
public final class InDoubtTracker implements AutoCloseable {

  /**
   * Finds the stamp of the value at the primary; empty when the value could not be read under the
   * term.
   */
  public interface StampFinder {
    CompletionStage<Optional<Stamp>> find(Bytes key, LeasedTerm leasedTerm);
  }

  /** Receives writes and their fate; only acknowledged writes are reported. */
  public interface FateListener {
    void report(Fate fate, List<Write> writes);
  }

  private final Scheduler scheduler;
  private final TermLeaseRules termLeaseRules;
  private final StampFinder finder;
  private final Supplier<CompletionStage<LeasedTerm>> look;
  private final IntConsumer countListener;
  private final FateListener fateListener;

  /**
   * For each key its in-doubt writes in order. They belong to one epoch, or to several if the next
   * epoch ended before their fates were known. Guarded by this object's lock.
   */
  private final Map<Bytes, List<Write>> writesByKey = new LinkedHashMap<>();

  private boolean isSettling;
  private boolean closed;
  private Scheduler.@Nullable Timer timer;

  /**
   * @param look reads the record of terms
   * @param countListener receives how many more writes are in doubt, or how many fewer
   */
  public InDoubtTracker(
      Scheduler scheduler,
      TermLeaseRules termLeaseRules,
      StampFinder finder,
      Supplier<CompletionStage<LeasedTerm>> look,
      IntConsumer countListener,
      FateListener fateListener) {
    this.scheduler = scheduler;
    this.termLeaseRules = termLeaseRules;
    this.finder = finder;
    this.look = look;
    this.countListener = countListener;
    this.fateListener = fateListener;
  }

  /** Adds {@code writes} of an epoch that is over. */
  public void add(List<Write> writes) {
    fateListener.report(Fate.UNKNOWN, writes);
    synchronized (this) {
      if (closed) {
        return;
      }
      writes.forEach(
          write -> writesByKey.computeIfAbsent(write.key(), key -> new ArrayList<>()).add(write));
    }
    countListener.accept(writes.size());
    scheduleLook();
  }

  /**
   * In a later epoch than the in-doubt writes, this process has perhaps made {@code write}. If its
   * value is found, the value that it replaced decides the fate of those writes. Counts as one of
   * them.
   */
  public void addPossible(Write write) {
    synchronized (this) {
      List<Write> keyWrites = writesByKey.get(write.key());
      if (keyWrites == null || keyWrites.get(keyWrites.size() - 1).epoch() >= write.epoch()) {
        return; // Later writes of this epoch need no record.
      }
      keyWrites.add(write);
    }
    countListener.accept(1);
  }

  /** In {@code epoch} this process has written {@code key}, and replaced {@code replaced}. */
  public void written(Bytes key, long epoch, Stamp replaced) {
    Map<Fate, List<Write>> fates = new EnumMap<>(Fate.class);
    int settledWrites = settleKey(key, epoch, replaced, fates);
    fates.forEach(fateListener::report);
    if (settledWrites > 0) {
      countListener.accept(-settledWrites);
    }
  }

  /**
   * In {@code epoch} the value of {@code key} was that of {@code foundStamp}.
   *
   * @param fates receives the writes of former epochs, by their fate
   * @return how many writes are no longer in doubt
   */
  private int settleKey(Bytes key, long epoch, Stamp foundStamp, Map<Fate, List<Write>> fates) {
    List<Write> keyWrites;
    List<Write> laterWrites;
    synchronized (this) {
      keyWrites = writesByKey.get(key);
      if (keyWrites == null || keyWrites.get(0).epoch() >= epoch) {
        return 0;
      }
      laterWrites =
          new ArrayList<>(keyWrites.stream().filter(write -> write.epoch() >= epoch).toList());
      if (laterWrites.stream().anyMatch(Write::acknowledged)) {
        writesByKey.put(key, laterWrites);
      } else {
        writesByKey.remove(key);
        laterWrites = List.of();
      }
    }
    assignFates(keyWrites, foundStamp, epoch, fates);
    return keyWrites.size() - laterWrites.size();
  }

  /**
   * Determines the fates of the writes of {@code keyWrites} in epochs before {@code untilEpoch}.
   * Within one epoch, each write of a key by this process replaces the one before. So a found stamp
   * of this process belongs to the latest epoch in which the process had begun to write. The stamp
   * that this epoch's first write replaced then decides the writes of earlier epochs.
   */
  private static void assignFates(
      List<Write> keyWrites, Stamp foundStamp, long untilEpoch, Map<Fate, List<Write>> fates) {
    NavigableMap<Long, List<Write>> writesByEpoch =
        keyWrites.stream()
            .collect(Collectors.groupingBy(Write::epoch, TreeMap::new, Collectors.toList()));
    Stamp lastStamp = foundStamp;
    for (Map.Entry<Long, List<Write>> epochEntry : writesByEpoch.descendingMap().entrySet()) {
      long epoch = epochEntry.getKey();
      List<Write> writes = epochEntry.getValue();
      Write firstWrite = writes.get(0);
      boolean isOwn = lastStamp.writer().equals(firstWrite.stamp().writer());
      boolean isIncluded = isOwn && !firstWrite.stamp().isAfter(lastStamp);
      boolean isOlderStamp =
          isOwn || isReplacedBy(lastStamp, writesByEpoch.headMap(epoch, true).values());
      for (Write write : writes) {
        boolean isKept = isIncluded && !write.stamp().isAfter(lastStamp);
        Fate lostFate = isIncluded || isOlderStamp ? Fate.LOST : Fate.OVERWRITTEN;
        if (epoch < untilEpoch) {
          fates.computeIfAbsent(isKept ? Fate.KEPT : lostFate, one -> new ArrayList<>()).add(write);
        }
      }
      lastStamp = isIncluded ? firstWrite.replaced() : lastStamp;
    }
  }

  private static boolean isReplacedBy(Stamp stamp, Collection<List<Write>> writesByEpoch) {
    return writesByEpoch.stream().anyMatch(writes -> writes.get(0).replaced().equals(stamp));
  }

  /** Called with the present lease on a term. */
  public void seen(LeasedTerm leasedTerm) {
    Term term = leasedTerm.term();
    Deque<Bytes> keys = new ArrayDeque<>();
    synchronized (this) {
      if (isSettling || closed || !term.active() || !term.isWhole()) {
        return;
      }
      writesByKey.forEach(
          (key, keyWrites) -> {
            if (keyWrites.get(0).epoch() < term.epoch()) {
              keys.add(key);
            }
          });
      if (keys.isEmpty()) {
        return;
      }
      isSettling = true;
    }
    Map<Fate, List<Write>> fates = new EnumMap<>(Fate.class);
    AtomicInteger settledWrites = new AtomicInteger();
    AsyncLoop.whileTrue(scheduler, () -> settleNext(keys, leasedTerm, fates, settledWrites))
        .whenComplete((done, failure) -> finishSettling(fates, settledWrites.get()));
  }

  private CompletionStage<Boolean> settleNext(
      Deque<Bytes> keys,
      LeasedTerm leasedTerm,
      Map<Fate, List<Write>> fates,
      AtomicInteger settledWrites) {
    Bytes key = keys.poll();
    if (key == null) {
      return CompletableFuture.completedFuture(false);
    }
    return finder
        .find(key, leasedTerm)
        .handle(
            (foundStamp, failure) -> {
              if (failure != null || foundStamp.isEmpty()) {
                return false; // The others would fail too; the next look retries.
              }
              settledWrites.addAndGet(
                  settleKey(key, leasedTerm.term().epoch(), foundStamp.get(), fates));
              return true;
            });
  }

  private void finishSettling(Map<Fate, List<Write>> fates, int settledWrites) {
    synchronized (this) {
      isSettling = false;
    }
    fates.forEach(fateListener::report);
    if (settledWrites > 0) {
      countListener.accept(-settledWrites);
    }
  }

  /** Whether the fate of any write is not known yet. */
  public synchronized boolean hasWrites() {
    return !writesByKey.isEmpty();
  }

  /** Reads the terms until nothing is in doubt. */
  private synchronized void scheduleLook() {
    if (timer != null || closed || writesByKey.isEmpty()) {
      return;
    }
    try {
      timer = scheduler.after(termLeaseRules.renewalNanos(), this::refreshTerm);
    } catch (RejectedExecutionException rejection) {
      closed = true;
    }
  }

  private void refreshTerm() {
    look.get()
        .whenComplete(
            (leasedTerm, failure) -> {
              synchronized (this) {
                timer = null;
              }
              scheduleLook();
            });
  }

  /** Ends the tracking; further fates are not determined. */
  @Override
  public synchronized void close() {
    closed = true;
    writesByKey.clear();
    Scheduler.Timer currentTimer = timer;
    if (currentTimer != null) {
      currentTimer.cancel();
    }
  }
}

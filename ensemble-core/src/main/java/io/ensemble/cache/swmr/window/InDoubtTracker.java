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
  public interface Finder {
    CompletionStage<Optional<Stamp>> find(Bytes key, LeasedTerm leasedTerm);
  }

  /** Receives writes and their fate; only acknowledged writes are reported. */
  public interface Report {
    void of(Fate fate, List<Write> writes);
  }

  private final Scheduler scheduler;
  private final TermLeaseRules termLeaseRules;
  private final Finder finder;
  private final Supplier<CompletionStage<LeasedTerm>> look;
  private final IntConsumer more;
  private final Report report;

  /**
   * For each key its in-doubt writes in order. They belong to one epoch, or to several if the next
   * epoch ended before their fates were known. Guarded by this object's lock.
   */
  private final Map<Bytes, List<Write>> chains = new LinkedHashMap<>();

  private boolean settling;
  private boolean closed;
  private Scheduler.@Nullable Timer timer;

  /**
   * @param look reads the record of terms
   * @param more receives how many more writes are in doubt, or how many fewer
   */
  public InDoubtTracker(
      Scheduler scheduler,
      TermLeaseRules termLeaseRules,
      Finder finder,
      Supplier<CompletionStage<LeasedTerm>> look,
      IntConsumer more,
      Report report) {
    this.scheduler = scheduler;
    this.termLeaseRules = termLeaseRules;
    this.finder = finder;
    this.look = look;
    this.more = more;
    this.report = report;
  }

  /** Adds {@code writes} of an epoch that is over. */
  public void add(List<Write> writes) {
    report.of(Fate.UNKNOWN, writes);
    synchronized (this) {
      if (closed) {
        return;
      }
      writes.forEach(
          write -> chains.computeIfAbsent(write.key(), key -> new ArrayList<>()).add(write));
    }
    more.accept(writes.size());
    lookSoon();
  }

  /**
   * In a later epoch than the in-doubt writes, this process has perhaps made {@code write}. If its
   * value is found, the value that it replaced decides the fate of those writes. Counts as one of
   * them.
   */
  public void perhaps(Write write) {
    synchronized (this) {
      List<Write> chain = chains.get(write.key());
      if (chain == null || chain.get(chain.size() - 1).epoch() >= write.epoch()) {
        return; // Later writes of this epoch need no record.
      }
      chain.add(write);
    }
    more.accept(1);
  }

  /** In {@code epoch} this process has written {@code key}, and replaced {@code replaced}. */
  public void written(Bytes key, long epoch, Stamp replaced) {
    Map<Fate, List<Write>> fates = new EnumMap<>(Fate.class);
    int fewer = settle(key, epoch, replaced, fates);
    fates.forEach(report::of);
    if (fewer > 0) {
      more.accept(-fewer);
    }
  }

  /**
   * In {@code epoch} the value of {@code key} was that of {@code found}.
   *
   * @param fates receives the writes of former epochs, by their fate
   * @return how many writes are no longer in doubt
   */
  private int settle(Bytes key, long epoch, Stamp found, Map<Fate, List<Write>> fates) {
    List<Write> chain;
    List<Write> later;
    synchronized (this) {
      chain = chains.get(key);
      if (chain == null || chain.get(0).epoch() >= epoch) {
        return 0;
      }
      later = new ArrayList<>(chain.stream().filter(one -> one.epoch() >= epoch).toList());
      if (later.stream().anyMatch(Write::acknowledged)) {
        chains.put(key, later);
      } else {
        chains.remove(key);
        later = List.of();
      }
    }
    tell(chain, found, epoch, fates);
    return chain.size() - later.size();
  }

  /**
   * Determines the fates of the writes of {@code chain} in epochs before {@code until}. Within one
   * epoch, each write of a key by this process replaces the one before. So a found stamp of this
   * process belongs to the latest epoch in which the process had begun to write. The stamp that
   * this epoch's first write replaced then decides the writes of earlier epochs.
   */
  private static void tell(
      List<Write> chain, Stamp found, long until, Map<Fate, List<Write>> fates) {
    NavigableMap<Long, List<Write>> epochs =
        chain.stream()
            .collect(Collectors.groupingBy(Write::epoch, TreeMap::new, Collectors.toList()));
    Stamp last = found;
    for (Map.Entry<Long, List<Write>> each : epochs.descendingMap().entrySet()) {
      long epoch = each.getKey();
      List<Write> writes = each.getValue();
      Write first = writes.get(0);
      boolean isOwn = last.writer().equals(first.stamp().writer());
      boolean isHere = isOwn && !first.stamp().isAfter(last);
      boolean isFromBefore = isOwn || areBegunWith(last, epochs.headMap(epoch, true).values());
      for (Write write : writes) {
        boolean isKept = isHere && !write.stamp().isAfter(last);
        Fate lost = isHere || isFromBefore ? Fate.LOST : Fate.OVERWRITTEN;
        if (epoch < until) {
          fates.computeIfAbsent(isKept ? Fate.KEPT : lost, one -> new ArrayList<>()).add(write);
        }
      }
      last = isHere ? first.replaced() : last;
    }
  }

  private static boolean areBegunWith(Stamp stamp, Collection<List<Write>> epochs) {
    return epochs.stream().anyMatch(writes -> writes.get(0).replaced().equals(stamp));
  }

  /** Called with the present lease on a term. */
  public void seen(LeasedTerm leasedTerm) {
    Term term = leasedTerm.term();
    Deque<Bytes> keys = new ArrayDeque<>();
    synchronized (this) {
      if (settling || closed || !term.active() || !term.isWhole()) {
        return;
      }
      chains.forEach(
          (key, chain) -> {
            if (chain.get(0).epoch() < term.epoch()) {
              keys.add(key);
            }
          });
      if (keys.isEmpty()) {
        return;
      }
      settling = true;
    }
    Map<Fate, List<Write>> fates = new EnumMap<>(Fate.class);
    AtomicInteger fewer = new AtomicInteger();
    AsyncLoop.whileTrue(scheduler, () -> settleNext(keys, leasedTerm, fates, fewer))
        .whenComplete((done, failure) -> settled(fates, fewer.get()));
  }

  private CompletionStage<Boolean> settleNext(
      Deque<Bytes> keys, LeasedTerm leasedTerm, Map<Fate, List<Write>> fates, AtomicInteger fewer) {
    Bytes key = keys.poll();
    if (key == null) {
      return CompletableFuture.completedFuture(false);
    }
    return finder
        .find(key, leasedTerm)
        .handle(
            (found, failure) -> {
              if (failure != null || found.isEmpty()) {
                return false; // The others would fail too; the next look retries.
              }
              fewer.addAndGet(settle(key, leasedTerm.term().epoch(), found.get(), fates));
              return true;
            });
  }

  private void settled(Map<Fate, List<Write>> fates, int fewer) {
    synchronized (this) {
      settling = false;
    }
    fates.forEach(report::of);
    if (fewer > 0) {
      more.accept(-fewer);
    }
  }

  /** Whether the fate of any write is not known yet. */
  public synchronized boolean isAny() {
    return !chains.isEmpty();
  }

  /** Reads the terms until nothing is in doubt. */
  private synchronized void lookSoon() {
    if (timer != null || closed || chains.isEmpty()) {
      return;
    }
    try {
      timer = scheduler.after(termLeaseRules.renewalNanos(), this::look);
    } catch (RejectedExecutionException ended) {
      closed = true;
    }
  }

  private void look() {
    look.get()
        .whenComplete(
            (leasedTerm, failure) -> {
              synchronized (this) {
                timer = null;
              }
              lookSoon();
            });
  }

  /** Ends the tracking; further fates are not determined. */
  @Override
  public synchronized void close() {
    closed = true;
    chains.clear();
    Scheduler.Timer present = timer;
    if (present != null) {
      present.cancel();
    }
  }
}

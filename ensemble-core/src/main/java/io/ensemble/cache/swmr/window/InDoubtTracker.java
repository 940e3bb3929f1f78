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
 * The writes that were in the window when their epoch ended, until it is known what came of them:
 * when this process writes the key again, from what that takes the place of; otherwise from what a
 * later epoch's primary holds once all keys were recovered into it, which nothing changes but
 * another write. Thread-safe.
 */
public final class InDoubtTracker implements AutoCloseable {

  /** Reads whose value the primary has; empty when it could not be read under the term. */
  public interface Finder {
    CompletionStage<Optional<Stamp>> find(Bytes key, LeasedTerm leasedTerm);
  }

  /** Told of writes and their fate; only of what was acknowledged. */
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
   * For each key its doubtful writes in order, of one epoch or, where the next ended before their
   * fates were known, of several. This object's lock guards all.
   */
  private final Map<Bytes, List<Write>> chains = new LinkedHashMap<>();

  private boolean settling;
  private boolean closed;
  private Scheduler.@Nullable Timer timer;

  /**
   * @param look reads the record of terms
   * @param more told how many more writes are in doubt, or how many fewer
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

  /** The epoch of {@code writes} is over. */
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
   * In a later epoch than those in doubt this process has perhaps made {@code write}: if that is
   * found, what it took the place of tells what came of those. Takes a place as they do.
   */
  public void perhaps(Write write) {
    synchronized (this) {
      List<Write> chain = chains.get(write.key());
      if (chain == null || chain.get(chain.size() - 1).epoch() >= write.epoch()) {
        return; // What else it writes in an epoch comes after, and needs no telling.
      }
      chain.add(write);
    }
    more.accept(1);
  }

  /** In {@code epoch} this process has written {@code key}, in the place of {@code replaced}. */
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
   * @param fates what came of the writes of former epochs goes there
   * @return how many writes are in doubt no longer
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
   * What came of those of {@code chain} that are of epochs before {@code until}. A key's writes of
   * one process in one epoch each take the place of the one before; so a stamp of its own is of the
   * latest epoch that it had begun to write in, and what that epoch began with tells of those
   * before.
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

  /** What is known of the terms. */
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
                return false; // The rest would fail too; the next look tries again.
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

  /** Looks at the terms until nothing is in doubt. */
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

  /** Settles nothing more. */
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

package io.ensemble.cache.swmr;

import io.ensemble.DoubtfulWrites.Fate;
import io.ensemble.cache.call.Steps;
import io.ensemble.cache.swmr.Place.Write;
import io.ensemble.primary.Leases;
import io.ensemble.primary.Term;
import io.ensemble.primary.Trust;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The writes that were in the window when their epoch ended, until it is known what came of them:
 * when this process writes the key again, from what that takes the place of; otherwise from what a
 * later epoch's primary holds once all keys were recovered into it, which nothing changes but
 * another write. Thread-safe.
 */
final class Doubts implements AutoCloseable {

  /** Reads whose value the primary has; empty when it could not be read under the term. */
  interface Finder {
    CompletionStage<Optional<Stamp>> find(Bytes key, Trust trust);
  }

  /** Told of writes and their fate; only of what was acknowledged. */
  interface Report {
    void of(Fate fate, List<Write> writes);
  }

  private final Scheduler scheduler;
  private final Leases leases;
  private final Finder finder;
  private final Supplier<CompletionStage<Trust>> look;
  private final IntConsumer more;
  private final Report report;

  /** For each key its doubtful writes, of one epoch, in order. This object's lock guards all. */
  private final Map<Bytes, List<Write>> chains = new LinkedHashMap<>();

  private boolean settling;
  private boolean closed;
  private Scheduler.@Nullable Timer timer;

  /**
   * @param look reads the record of terms
   * @param more told how many more writes are in doubt, or how many fewer
   */
  Doubts(
      Scheduler scheduler,
      Leases leases,
      Finder finder,
      Supplier<CompletionStage<Trust>> look,
      IntConsumer more,
      Report report) {
    this.scheduler = scheduler;
    this.leases = leases;
    this.finder = finder;
    this.look = look;
    this.more = more;
    this.report = report;
  }

  /** The epoch of {@code writes} is over. */
  void add(List<Write> writes) {
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

  /** In a later epoch this process has written {@code key}, in the place of {@code replaced}. */
  void written(Bytes key, long epoch, Stamp replaced) {
    List<Write> chain;
    synchronized (this) {
      chain = chains.get(key);
      if (chain == null || chain.get(0).epoch() >= epoch) {
        return;
      }
      chains.remove(key);
    }
    Map<Fate, List<Write>> fates = new EnumMap<>(Fate.class);
    tell(chain, replaced, fates);
    fates.forEach(report::of);
    more.accept(-chain.size());
  }

  private static void tell(List<Write> chain, Stamp found, Map<Fate, List<Write>> fates) {
    boolean isOfChain = chain.stream().anyMatch(write -> write.stamp().equals(found));
    boolean isFromBefore = chain.get(0).replaced().equals(found);
    boolean kept = isOfChain;
    for (Write write : chain) {
      Fate fate = kept ? Fate.KEPT : isOfChain || isFromBefore ? Fate.LOST : Fate.OVERWRITTEN;
      fates.computeIfAbsent(fate, one -> new ArrayList<>()).add(write);
      kept &= !write.stamp().equals(found);
    }
  }

  /** What is known of the terms. */
  void seen(Trust trust) {
    Term term = trust.term();
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
    Steps.whileTrue(scheduler, () -> settleNext(keys, trust, fates))
        .whenComplete((done, failure) -> settled(fates));
  }

  private CompletionStage<Boolean> settleNext(
      Deque<Bytes> keys, Trust trust, Map<Fate, List<Write>> fates) {
    Bytes key = keys.poll();
    if (key == null) {
      return CompletableFuture.completedFuture(false);
    }
    return finder
        .find(key, trust)
        .handle(
            (found, failure) -> {
              if (failure != null || found.isEmpty()) {
                return false; // The rest would fail too; the next look tries again.
              }
              List<Write> chain;
              synchronized (this) {
                chain = chains.remove(key);
              }
              if (chain != null) {
                tell(chain, found.get(), fates);
              }
              return true;
            });
  }

  private void settled(Map<Fate, List<Write>> fates) {
    synchronized (this) {
      settling = false;
    }
    fates.forEach(report::of);
    int fewer = fates.values().stream().mapToInt(List::size).sum();
    if (fewer > 0) {
      more.accept(-fewer);
    }
  }

  /** Whether the fate of any write is not known yet. */
  synchronized boolean isAny() {
    return !chains.isEmpty();
  }

  /** Looks at the terms until nothing is in doubt. */
  private synchronized void lookSoon() {
    if (timer != null || closed || chains.isEmpty()) {
      return;
    }
    try {
      timer = scheduler.after(leases.renewalNanos(), this::look);
    } catch (RejectedExecutionException ended) {
      closed = true;
    }
  }

  private void look() {
    look.get()
        .whenComplete(
            (trust, failure) -> {
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

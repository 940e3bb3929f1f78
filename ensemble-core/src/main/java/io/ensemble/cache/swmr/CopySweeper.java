package io.ensemble.cache.swmr;

import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.Payload;
import io.ensemble.cache.SiteFailureLog;
import io.ensemble.cache.quorum.PerKeyQueue;
import io.ensemble.cache.quorum.StoreSet;
import io.ensemble.cache.quorum.StoreWalk;
import io.ensemble.cache.swmr.copy.CopyCodec;
import io.ensemble.cache.swmr.copy.KeyCall;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.primary.Copy;
import io.ensemble.primary.LeasedTerm;
import io.ensemble.primary.Term;
import io.ensemble.primary.VersionedCopy;
import io.ensemble.register.Update.Decision;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.PeriodicTask;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore.Scan.Item;
import io.ensemble.site.StoredEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends expired values that no call reads, removes the entries of removed keys, and removes void
 * copies. Only the writer sweeps, in a term of its own that has been whole for a while; without
 * writes nothing is swept.
 *
 * <p>An expired value is ended by a write, and so becomes a tombstone. The entries of a key are
 * removed when every site answers and shows only void copies and old tombstones. Old means older
 * than the cache's grace, and older than any operation may last that could bring an older value
 * back. Then no such value is left for a recovery to find, and none is on its way.
 *
 * <p>Sites remove their entries one by one, each only if it is unchanged, the primary last. If the
 * term ends half-way, absent and removed mean the same. A site may still hold a value, because it
 * was away when the key was removed. The tombstone is then written anew at all sites, and removed
 * once old again. Writes of this process to the key wait meanwhile.
 *
 * <p><b>Operations that could bring an older value back.</b> (1) Calls of former terms. They may be
 * very old, because a caller may wait for a day. Their writes are void once the present term is
 * whole, so there are no sweeps before.
 *
 * <p>(2) Recoveries of the present term, by any process, that were decided before the term was
 * whole, and lost their responses. They end within two of {@link KeyCall#REQUEST_NANOS}, if the
 * requests sent are performed by then. There is an exception. The nodes of a site may stand still
 * for longer, with such a request in their sockets, and answer the sweep first. Such a site could
 * bring a removed value back. A recovered tombstone may be young although its removal is old. So
 * the term must have been whole for as long as a tombstone must be old.
 *
 * <p>(3) Writes of this process in the present term. The tombstone was written after they were
 * over. The remaining requests of such a write are repeated a few times, each with a limit of two
 * seconds. A minute is far more than (2) and (3) last.
 *
 * <p>Each sweep scans another site, has at most one batch of keys under way, processes a bounded
 * number of keys, and ends by its deadline.
 */
final class CopySweeper implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(CopySweeper.class);
  private static final int MOST_KEYS = 65_536;

  /** Longer than any operation lasts that could bring an older value back. */
  static final Duration LEAST_AGE = Duration.ofMinutes(1);

  private final EngineContext cache;
  private final TermRecord termRecord;
  private final PerKeyQueue perKeyQueue;
  private final CacheEngine engine;
  private final Duration age;
  private final SiteFailureLog siteFailureLog;
  private final AtomicInteger sweeps = new AtomicInteger();

  private final PeriodicTask periodicSweeps;
  private volatile boolean closed;

  /**
   * @param perKeyQueue of the engine: the queue for changes of a key
   */
  CopySweeper(
      EngineContext cache, TermRecord termRecord, PerKeyQueue perKeyQueue, CacheEngine engine) {
    this(cache, termRecord, perKeyQueue, engine, LEAST_AGE);
  }

  /**
   * The same with another age, for tests.
   *
   * @param leastAge the least age of a tombstone, and of its term since the term was whole
   */
  CopySweeper(
      EngineContext cache,
      TermRecord termRecord,
      PerKeyQueue perKeyQueue,
      CacheEngine engine,
      Duration leastAge) {
    this.cache = cache;
    this.termRecord = termRecord;
    this.perKeyQueue = perKeyQueue;
    this.engine = engine;
    siteFailureLog = new SiteFailureLog(LOG, "sweep", cache.definition().name());
    Duration grace = cache.definition().tombstoneGrace();
    age = grace.compareTo(leastAge) > 0 ? grace : leastAge;
    periodicSweeps =
        new PeriodicTask(
            "sweep of " + cache.definition().name(), cache.scheduler(), age, this::sweepAndLog);
  }

  /** Sweeps periodically. */
  void start() {
    periodicSweeps.start();
  }

  private CompletionStage<?> sweepAndLog() {
    return sweep(Deadline.after(age, cache.scheduler()))
        .whenComplete(
            (removedKeys, failure) -> {
              if (failure == null) {
                siteFailureLog.succeeded("*");
              } else if (!closed) {
                siteFailureLog.failed("*", CompletionCause.of(failure));
              }
            });
  }

  /** A scan: how many keys it removed. */
  private final class Sweep {

    final Term term;
    final StoreSet storeSet;
    final Deadline deadline;
    final AtomicInteger removedKeys = new AtomicInteger();
    int remainingKeys = MOST_KEYS;

    Sweep(Term term, Deadline deadline) {
      this.term = term;
      this.storeSet = StoreSet.of(termRecord.voterSets().contextOf(term).stores(), deadline);
      this.deadline = deadline;
    }
  }

  /**
   * Scans one site, and processes the keys found there at all sites; returns how many keys were
   * removed.
   */
  CompletionStage<Integer> sweep(Deadline deadline) {
    Optional<Term> ownTerm = ownTerm();
    if (ownTerm.isEmpty()) {
      return CompletableFuture.completedFuture(0);
    }
    Sweep sweep = new Sweep(ownTerm.get(), deadline);
    int site = Math.floorMod(sweeps.getAndIncrement(), sweep.storeSet.size());
    return sweep
        .storeSet
        .store(site)
        .thenCompose(
            store ->
                StoreWalk.over(
                    cache.scheduler(),
                    store,
                    StoreWalk.BATCH,
                    scan -> scan.next(sweep.deadline),
                    items -> removeObsolete(items, sweep)))
        .thenApply(done -> logRemoved(sweep));
  }

  private int logRemoved(Sweep sweep) {
    int removedKeys = sweep.removedKeys.get();
    if (removedKeys > 0) {
      LOG.info(
          "removed tombstones; cache={} tombstones={}", cache.definition().name(), removedKeys);
    }
    return removedKeys;
  }

  private Optional<Term> ownTerm() {
    return termRecord
        .last()
        .filter(termRecord::isLeaseValid)
        .map(LeasedTerm::term)
        .filter(termRecord::isOwn)
        .filter(term -> termRecord.hasBeenWhole(term, age.toNanos()));
  }

  private CompletionStage<Boolean> removeObsolete(List<Item> items, Sweep sweep) {
    CompletionStage<Boolean> all = CompletableFuture.completedFuture(true);
    for (Item item : items) {
      if (sweep.remainingKeys > 0) {
        all = all.thenCombine(removeObsolete(item, sweep), (before, done) -> true);
      }
    }
    return all.thenApply(done -> sweep.remainingKeys > 0 && !closed);
  }

  /** A failure with one key is left to the next sweep. */
  private CompletionStage<Boolean> removeObsolete(Item item, Sweep sweep) {
    Copy<Payload> copy;
    try {
      copy = CopyCodec.decode(item.value());
    } catch (MalformedEnvelopeException malformed) {
      return CompletableFuture.completedFuture(false);
    }
    CompletionStage<Boolean> done;
    if (canRemove(copy, sweep.term)) {
      done = purge(item.key(), sweep);
    } else if (copy.value() != null && isExpired(copy.value())) {
      done = writeTombstone(item.key(), sweep);
    } else {
      return CompletableFuture.completedFuture(false);
    }
    sweep.remainingKeys--;
    return done.exceptionally(failure -> false);
  }

  /** Whether a copy means the same as no copy. */
  private boolean canRemove(Copy<Payload> copy, Term term) {
    long oldest = cache.clock().physicalMicros() - age.toNanos() / 1000;
    return copy.isAbsent()
        || copy.mark().epoch() < term.floor()
        || (copy.value() == null && copy.origin().micros() < oldest);
  }

  private boolean isExpired(Payload value) {
    return value.isOver(cache.clock().physicalMicros());
  }

  /** Writes a tombstone to all sites, unless there is a live value. */
  private CompletionStage<Boolean> writeTombstone(Bytes key, Sweep sweep) {
    if (ownTerm().isEmpty()) {
      return CompletableFuture.completedFuture(false);
    }
    Deadline ownDeadline = Deadline.after(cache.definition().deadline(), cache.scheduler());
    Deadline limit =
        ownDeadline.atNanos() - sweep.deadline.atNanos() < 0 ? ownDeadline : sweep.deadline;
    return engine
        .<Boolean>update(
            key, live -> live == null ? Decision.write(null, true) : Decision.keep(false), limit)
        .thenApply(WriteOutcome.Applied.class::isInstance);
  }

  private enum PurgeOutcome {
    GONE,
    VALUE_LEFT,
    STAYS
  }

  private CompletionStage<Boolean> purge(Bytes key, Sweep sweep) {
    return perKeyQueue
        .take(key, sweep.deadline, () -> purgeInQueue(key, sweep), why -> PurgeOutcome.STAYS)
        .thenCompose(
            outcome -> {
              if (outcome == PurgeOutcome.GONE) {
                sweep.removedKeys.incrementAndGet();
              }
              return outcome == PurgeOutcome.VALUE_LEFT
                  ? writeTombstone(key, sweep)
                  : CompletableFuture.completedFuture(true);
            });
  }

  private CompletionStage<PurgeOutcome> purgeInQueue(Bytes key, Sweep sweep) {
    CompletionStage<List<VersionedCopy<Payload>>> all =
        CompletableFuture.completedFuture(new ArrayList<>());
    for (int site = 0; site < sweep.storeSet.size(); site++) {
      CompletionStage<Optional<StoredEntry>> entry =
          sweep.storeSet.ask(site, store -> store.read(key, requestDeadline(sweep)));
      all =
          all.thenCombine(
              entry,
              (copies, next) -> {
                copies.add(CopyCodec.toVersionedCopy(next));
                return copies;
              });
    }
    return all.thenCompose(copies -> decide(key, copies, sweep))
        .exceptionally(failure -> PurgeOutcome.STAYS); // The queue of the key must continue.
  }

  private CompletionStage<PurgeOutcome> decide(
      Bytes key, List<VersionedCopy<Payload>> copies, Sweep sweep) {
    if (copies.stream().allMatch(copy -> canRemove(copy.copy(), sweep.term))) {
      return remove(key, copies, sweep)
          .thenApply(removed -> removed ? PurgeOutcome.GONE : PurgeOutcome.STAYS);
    }
    boolean valueLeft =
        copies.stream()
            .map(VersionedCopy::copy)
            .anyMatch(copy -> copy.value() != null && !canRemove(copy, sweep.term));
    return CompletableFuture.completedFuture(
        valueLeft ? PurgeOutcome.VALUE_LEFT : PurgeOutcome.STAYS);
  }

  private CompletionStage<Boolean> remove(
      Bytes key, List<VersionedCopy<Payload>> copies, Sweep sweep) {
    List<String> sites = termRecord.voterSets().contextOf(sweep.term).definition().sites();
    int primary = sites.indexOf(sweep.term.primary());
    List<Integer> order = new ArrayList<>();
    for (int site = 0; site < copies.size(); site++) {
      if (site != primary && !copies.get(site).copy().isAbsent()) {
        order.add(site);
      }
    }
    if (!copies.get(primary).copy().isAbsent()) {
      order.add(primary);
    }
    CompletionStage<Boolean> removed = CompletableFuture.completedFuture(!order.isEmpty());
    for (int site : order) {
      removed =
          removed.thenCompose(
              isRemoved ->
                  isRemoved
                      ? sweep.storeSet.ask(
                          site,
                          store ->
                              store.remove(key, copies.get(site).token(), requestDeadline(sweep)))
                      : CompletableFuture.completedFuture(false));
    }
    return removed;
  }

  private Deadline requestDeadline(Sweep sweep) {
    long limit = cache.scheduler().nanos() + KeyCall.REQUEST_NANOS;
    return limit - sweep.deadline.atNanos() < 0 ? new Deadline(limit) : sweep.deadline;
  }

  @Override
  public void close() {
    closed = true;
    periodicSweeps.close();
  }
}

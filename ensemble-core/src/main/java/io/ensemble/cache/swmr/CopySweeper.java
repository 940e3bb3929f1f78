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
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore.Scan.Item;
import io.ensemble.site.StoredEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends values whose time is over and that nobody reads, forgets removed keys, and throws void
 * copies away. Done by the writer only, in a term of its own that has been whole for a while; where
 * nobody writes, nothing is swept.
 *
 * <p>An expired value is ended by a write, and so becomes a tombstone. A key is forgotten when
 * every site answers and shows nothing but tombstones older than the cache's grace and than any
 * operation may last that could bring an older value back, or void copies: then no such value is
 * left that a recovery could find, and none is on its way. Sites drop their entries one by one,
 * each only if it is unchanged, the primary last; should the term end half-way, absent and removed
 * mean the same. Where a site still holds a value, because it was away when the key was removed,
 * the tombstone is written anew at all of them, and goes when it has grown old again. Writes of
 * this process to the key wait meanwhile.
 *
 * <p><b>What could bring an older value back.</b> (1) Calls of former terms, which may be very old,
 * for a caller may wait for a day: what they store is void once the present term is whole, so there
 * are no sweeps before. (2) Recoveries of the present term, by anybody, which were decided before
 * it was whole and lost: they end, whoever asked, within two of {@link KeyCall#REQUEST_NANOS}, if
 * what was sent is performed by then: a site whose nodes stand still for longer, with such a
 * request in their sockets, and answer the sweep first, could bring a removed value back. A
 * recovered tombstone may be young though what it tells is old, so the term must have been whole as
 * long as a tombstone of its own must be old. (3) Writes of this process in the present term: the
 * tombstone was written after they were over, and what is left of one is asked for a few times, by
 * requests of two seconds. A minute is far more than (2) and (3) last.
 *
 * <p>Each sweep walks over another site, has a batch of keys under way at most, sees to so many at
 * most, and ends by its deadline.
 */
final class CopySweeper implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(CopySweeper.class);
  private static final int MOST_KEYS = 65_536;

  /** Longer than anything lasts that could bring an older value back. */
  static final Duration LEAST_AGE = Duration.ofMinutes(1);

  private final EngineContext cache;
  private final TermRecord termRecord;
  private final PerKeyQueue perKeyQueue;
  private final CacheEngine engine;
  private final Duration age;
  private final SiteFailureLog siteFailureLog;
  private final AtomicInteger sweeps = new AtomicInteger();

  // Both belong to this object's lock.
  private Scheduler.@Nullable Timer timer;
  private boolean closed;

  /**
   * @param perKeyQueue of the engine: whose turn it is to change a key
   */
  CopySweeper(
      EngineContext cache, TermRecord termRecord, PerKeyQueue perKeyQueue, CacheEngine engine) {
    this(cache, termRecord, perKeyQueue, engine, LEAST_AGE);
  }

  /**
   * The same, with another age, to be tried.
   *
   * @param leastAge how old a tombstone, and its term since it was whole, must be at least
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
  }

  /** Sweeps now and then. */
  synchronized void start() {
    if (closed) {
      return;
    }
    try {
      timer = cache.scheduler().after(age.toNanos(), this::sweepAndStart);
    } catch (RejectedExecutionException ended) {
      LOG.debug("the scheduler has ended; cache={}", cache.definition().name());
    }
  }

  private void sweepAndStart() {
    CompletionStage<Integer> sweep;
    try {
      sweep = sweep(Deadline.after(age, cache.scheduler()));
    } catch (RuntimeException | Error broken) { // Later sweeps may do better.
      sweep = CompletableFuture.failedFuture(broken);
    }
    sweep.whenComplete(
        (forgotten, failure) -> {
          if (failure == null) {
            siteFailureLog.succeeded("*");
          } else if (!isClosed()) {
            siteFailureLog.failed("*", CompletionCause.of(failure));
          }
          start();
        });
  }

  /** One walk: how many keys it forgot. */
  private final class Sweep {

    final Term term;
    final StoreSet replicas;
    final Deadline deadline;
    final AtomicInteger forgotten = new AtomicInteger();
    int left = MOST_KEYS;

    Sweep(Term term, Deadline deadline) {
      this.term = term;
      this.replicas = StoreSet.of(termRecord.rolls().of(term).stores(), deadline);
      this.deadline = deadline;
    }
  }

  /** Walks over one site, and sees to what it finds there at all of them; how many keys went. */
  CompletionStage<Integer> sweep(Deadline deadline) {
    Optional<Term> own = ownTerm();
    if (own.isEmpty()) {
      return CompletableFuture.completedFuture(0);
    }
    Sweep sweep = new Sweep(own.get(), deadline);
    int site = Math.floorMod(sweeps.getAndIncrement(), sweep.replicas.size());
    return sweep
        .replicas
        .store(site)
        .thenCompose(
            store ->
                StoreWalk.over(
                    cache.scheduler(),
                    store,
                    StoreWalk.BATCH,
                    scan -> scan.next(sweep.deadline),
                    items -> seeTo(items, sweep)))
        .thenApply(done -> told(sweep));
  }

  private int told(Sweep sweep) {
    int forgotten = sweep.forgotten.get();
    if (forgotten > 0) {
      LOG.info("forgot removed keys; cache={} forgotten={}", cache.definition().name(), forgotten);
    }
    return forgotten;
  }

  private Optional<Term> ownTerm() {
    return termRecord
        .last()
        .filter(termRecord::holds)
        .map(LeasedTerm::term)
        .filter(termRecord::isOwn)
        .filter(term -> termRecord.hasBeenWhole(term, age.toNanos()));
  }

  private CompletionStage<Boolean> seeTo(List<Item> items, Sweep sweep) {
    CompletionStage<Boolean> all = CompletableFuture.completedFuture(true);
    for (Item item : items) {
      if (sweep.left > 0) {
        all = all.thenCombine(seeTo(item, sweep), (before, done) -> true);
      }
    }
    return all.thenApply(done -> sweep.left > 0 && !isClosed());
  }

  /** Whatever goes wrong with one key is for the next sweep. */
  private CompletionStage<Boolean> seeTo(Item item, Sweep sweep) {
    Copy<Payload> copy;
    try {
      copy = CopyCodec.decode(item.value());
    } catch (MalformedEnvelopeException strange) {
      return CompletableFuture.completedFuture(false);
    }
    CompletionStage<Boolean> done;
    if (mayGo(copy, sweep.term)) {
      done = forget(item.key(), sweep);
    } else if (copy.value() != null && isOver(copy.value())) {
      done = bury(item.key(), sweep);
    } else {
      return CompletableFuture.completedFuture(false);
    }
    sweep.left--;
    return done.exceptionally(failure -> false);
  }

  /** Whether a copy says no more than none would. */
  private boolean mayGo(Copy<Payload> copy, Term term) {
    long oldest = cache.clock().physicalMicros() - age.toNanos() / 1000;
    return copy.isAbsent()
        || copy.mark().epoch() < term.floor()
        || (copy.value() == null && copy.origin().micros() < oldest);
  }

  private boolean isOver(Payload value) {
    return value.isOver(cache.clock().physicalMicros());
  }

  /** Writes a tombstone to all sites, unless there is a value that lives. */
  private CompletionStage<Boolean> bury(Bytes key, Sweep sweep) {
    if (ownTerm().isEmpty()) {
      return CompletableFuture.completedFuture(false);
    }
    Deadline own = Deadline.after(cache.definition().deadline(), cache.scheduler());
    Deadline limit = own.atNanos() - sweep.deadline.atNanos() < 0 ? own : sweep.deadline;
    return engine
        .<Boolean>update(
            key, live -> live == null ? Decision.write(null, true) : Decision.keep(false), limit)
        .thenApply(WriteOutcome.Applied.class::isInstance);
  }

  private enum Found {
    GONE,
    VALUE_LEFT,
    STAYS
  }

  private CompletionStage<Boolean> forget(Bytes key, Sweep sweep) {
    return perKeyQueue
        .take(key, sweep.deadline, () -> forgetInTurn(key, sweep), why -> Found.STAYS)
        .thenCompose(
            found -> {
              if (found == Found.GONE) {
                sweep.forgotten.incrementAndGet();
              }
              return found == Found.VALUE_LEFT
                  ? bury(key, sweep)
                  : CompletableFuture.completedFuture(true);
            });
  }

  private CompletionStage<Found> forgetInTurn(Bytes key, Sweep sweep) {
    CompletionStage<List<VersionedCopy<Payload>>> all =
        CompletableFuture.completedFuture(new ArrayList<>());
    for (int site = 0; site < sweep.replicas.size(); site++) {
      CompletionStage<Optional<StoredEntry>> entry =
          sweep.replicas.ask(site, store -> store.read(key, soon(sweep)));
      all =
          all.thenCombine(
              entry,
              (shown, next) -> {
                shown.add(CopyCodec.shown(next));
                return shown;
              });
    }
    return all.thenCompose(shown -> decide(key, shown, sweep))
        .exceptionally(failure -> Found.STAYS); // The lane must go on.
  }

  private CompletionStage<Found> decide(
      Bytes key, List<VersionedCopy<Payload>> shown, Sweep sweep) {
    if (shown.stream().allMatch(one -> mayGo(one.copy(), sweep.term))) {
      return remove(key, shown, sweep).thenApply(removed -> removed ? Found.GONE : Found.STAYS);
    }
    boolean valueLeft =
        shown.stream()
            .map(VersionedCopy::copy)
            .anyMatch(copy -> copy.value() != null && !mayGo(copy, sweep.term));
    return CompletableFuture.completedFuture(valueLeft ? Found.VALUE_LEFT : Found.STAYS);
  }

  private CompletionStage<Boolean> remove(
      Bytes key, List<VersionedCopy<Payload>> shown, Sweep sweep) {
    List<String> sites = termRecord.rolls().of(sweep.term).definition().sites();
    int primary = sites.indexOf(sweep.term.primary());
    List<Integer> order = new ArrayList<>();
    for (int site = 0; site < shown.size(); site++) {
      if (site != primary && !shown.get(site).copy().isAbsent()) {
        order.add(site);
      }
    }
    if (!shown.get(primary).copy().isAbsent()) {
      order.add(primary);
    }
    CompletionStage<Boolean> removed = CompletableFuture.completedFuture(!order.isEmpty());
    for (int site : order) {
      removed =
          removed.thenCompose(
              before ->
                  before
                      ? sweep.replicas.ask(
                          site, store -> store.remove(key, shown.get(site).token(), soon(sweep)))
                      : CompletableFuture.completedFuture(false));
    }
    return removed;
  }

  private Deadline soon(Sweep sweep) {
    long limit = cache.scheduler().nanos() + KeyCall.REQUEST_NANOS;
    return limit - sweep.deadline.atNanos() < 0 ? new Deadline(limit) : sweep.deadline;
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (timer != null) {
      timer.cancel();
    }
  }
}

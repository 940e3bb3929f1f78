package io.ensemble.cache.mwmr;

import io.ensemble.CacheDefinition;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.Payload;
import io.ensemble.cache.SiteFailureLog;
import io.ensemble.cache.mwmr.RegisterExecution.Ended;
import io.ensemble.cache.quorum.StoreSet;
import io.ensemble.cache.quorum.StoreWalk;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.register.Cell;
import io.ensemble.register.VersionedCell;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteStore.Scan.Item;
import io.ensemble.site.StoredEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends values whose time is over and that nobody reads, and forgets removed keys.
 *
 * <p>An expired value is ended as a reader who found it would end it: by an operation that replaces
 * it by a tombstone, if it is still what is there. Its entry cannot simply be dropped, for a site
 * that was down could bring back what the key held before.
 *
 * <p>A tombstone goes when every site holds the same one, promised to nobody, and it is older than
 * the cache's grace and than any operation may last. Sites drop it one by one, each only if its
 * entry is unchanged. Rounds are times, so whatever is written later is above a tombstone that a
 * site still holds; this relies on clocks that differ by less than the grace. One that ended an
 * expired value is as old as its writing, not as the value's end.
 *
 * <p>An old tombstone that sites hold differently, because one of them was down when the key was
 * removed, is settled anew at all of them, and goes when it has grown old again. Each sweep walks
 * over another site, for one may lack what the others hold.
 *
 * <p>A sweep has at most a batch of keys under way, sees to so many at most, and ends by its
 * deadline; one that left some over is followed sooner.
 */
final class TombstoneSweeper implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(TombstoneSweeper.class);
  private static final int MOST_KEYS = 65_536;
  private static final Duration LEAST_INTERVAL = Duration.ofMinutes(1);

  private final EngineContext cache;
  private final Function<Bytes, CompletionStage<Ended<Payload>>> settle;
  private final BiFunction<Bytes, Deadline, CompletionStage<Boolean>> end;
  private final int mostKeys;
  private final Duration age;
  private final AtomicInteger sweeps = new AtomicInteger();
  private final SiteFailureLog siteFailureLog;
  private Scheduler.@Nullable Timer timer;
  private boolean closed;

  /** One sweep: what it has done, and how many keys it may still see to. */
  private final class Sweep {

    final StoreSet replicas;
    final Deadline deadline;
    final AtomicInteger ended = new AtomicInteger();
    final AtomicInteger forgotten = new AtomicInteger();
    final AtomicBoolean looked = new AtomicBoolean();
    final Map<String, Throwable> lost = new ConcurrentHashMap<>();
    int left = mostKeys;

    Sweep(StoreSet replicas, Deadline deadline) {
      this.replicas = replicas;
      this.deadline = deadline;
    }
  }

  /**
   * @param settle leaves a key's content the same at every site
   * @param end replaces a key's value by a tombstone if its time is over; answers whether it did
   */
  TombstoneSweeper(
      EngineContext cache,
      Function<Bytes, CompletionStage<Ended<Payload>>> settle,
      BiFunction<Bytes, Deadline, CompletionStage<Boolean>> end) {
    this(cache, settle, end, MOST_KEYS);
  }

  TombstoneSweeper(
      EngineContext cache,
      Function<Bytes, CompletionStage<Ended<Payload>>> settle,
      BiFunction<Bytes, Deadline, CompletionStage<Boolean>> end,
      int mostKeys) {
    this.cache = cache;
    this.settle = settle;
    this.end = end;
    this.mostKeys = mostKeys;
    siteFailureLog = new SiteFailureLog(LOG, "sweep", cache.definition().name());
    Duration grace = cache.definition().tombstoneGrace();
    Duration longest = CacheDefinition.MAX_DEADLINE;
    age = grace.compareTo(longest) > 0 ? grace : longest;
  }

  void start() {
    start(longestInterval());
  }

  private Duration longestInterval() {
    return age.compareTo(LEAST_INTERVAL) > 0 ? age : LEAST_INTERVAL;
  }

  private synchronized void start(Duration interval) {
    if (closed) {
      return;
    }
    try {
      timer = cache.scheduler().after(interval.toNanos(), this::sweepAndStart);
    } catch (RejectedExecutionException ended) {
      LOG.debug("the scheduler has ended; cache={}", cache.definition().name());
    }
  }

  private void sweepAndStart() {
    try {
      Sweep sweep = begin(Deadline.after(longestInterval(), cache.scheduler()));
      run(sweep).whenComplete((swept, failure) -> start(untilNext(sweep)));
    } catch (RuntimeException | Error broken) { // Later sweeps may do better.
      siteFailureLog.failed("*", broken);
      start();
    }
  }

  /** What was seen to counts, whatever came of it: one that had enough of that left some over. */
  private Duration untilNext(Sweep sweep) {
    return sweep.left == 0 ? LEAST_INTERVAL : longestInterval();
  }

  /** Walks over one site, and sees to what it finds there, at all of them. */
  CompletionStage<SweepResult> sweep(Deadline deadline) {
    return run(begin(deadline));
  }

  private Sweep begin(Deadline deadline) {
    return new Sweep(StoreSet.of(cache.stores(), deadline), deadline);
  }

  private CompletionStage<SweepResult> run(Sweep sweep) {
    int site = Math.floorMod(sweeps.getAndIncrement(), sweep.replicas.size());
    return walk(site, sweep).whenComplete((swept, failure) -> tell(site, sweep, failure));
  }

  private void tell(int walked, Sweep sweep, @Nullable Throwable failure) {
    List<String> sites = cache.definition().sites();
    if (failure != null && !isClosed()) {
      sweep.lost.putIfAbsent(sites.get(walked), CompletionCause.of(failure));
    }
    sweep.lost.forEach(siteFailureLog::failed);
    for (String site : sites) {
      boolean asked = sweep.looked.get() || site.equals(sites.get(walked));
      if (asked && !sweep.lost.containsKey(site)) {
        siteFailureLog.succeeded(site);
      }
    }
    if (failure == null) {
      siteFailureLog.succeeded("*");
    }
  }

  /** The sites where the last sweep failed. */
  Set<String> failing() {
    return siteFailureLog.failing();
  }

  private CompletionStage<SweepResult> walk(int site, Sweep sweep) {
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
        .thenApply(
            done -> {
              SweepResult swept = new SweepResult(sweep.ended.get(), sweep.forgotten.get());
              if (swept.ended() + swept.forgotten() > 0) {
                LOG.info(
                    "ended what had expired and forgot removed keys; cache={} ended={} forgotten={}",
                    cache.definition().name(),
                    swept.ended(),
                    swept.forgotten());
              }
              return swept;
            });
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

  private synchronized boolean isClosed() {
    return closed;
  }

  /** Whatever goes wrong with one key is for the next sweep. */
  private CompletionStage<Boolean> seeTo(Item item, Sweep sweep) {
    Cell<Payload> cell;
    try {
      cell = CellCodec.decode(item.value());
    } catch (MalformedEnvelopeException strange) {
      return CompletableFuture.completedFuture(false);
    }
    CompletionStage<Boolean> done;
    if (isOldTombstone(cell)) {
      done = forget(item.key(), sweep);
    } else if (isOver(cell)) {
      done = end(item.key(), sweep);
    } else {
      return CompletableFuture.completedFuture(false);
    }
    sweep.left--;
    return done.exceptionally(
        failure -> {
          Throwable why = CompletionCause.of(failure);
          sweep.lost.put(why instanceof SiteException lost ? lost.site() : "*", why);
          return false;
        });
  }

  private boolean isOldTombstone(Cell<Payload> cell) {
    long oldest = cache.clock().physicalMicros() - age.toNanos() / 1000;
    return cell.content().value() == null && cell.promised().round() < oldest;
  }

  private boolean isOver(Cell<Payload> cell) {
    Payload value = cell.content().value();
    return value != null && value.isOver(cache.clock().physicalMicros());
  }

  private CompletionStage<Boolean> end(Bytes key, Sweep sweep) {
    Deadline own = Deadline.after(cache.definition().deadline(), cache.scheduler());
    boolean earlier = own.atNanos() - sweep.deadline.atNanos() < 0;
    return end.apply(key, earlier ? own : sweep.deadline)
        .thenApply(done -> done && sweep.ended.incrementAndGet() > 0);
  }

  private CompletionStage<Boolean> forget(Bytes key, Sweep sweep) {
    CompletionStage<List<VersionedCell<Payload>>> all =
        CompletableFuture.completedFuture(new ArrayList<>());
    CellCache cells = new CellCache();
    for (int site = 0; site < sweep.replicas.size(); site++) {
      CompletionStage<Optional<StoredEntry>> entry =
          sweep.replicas.ask(site, store -> store.read(key, soon(sweep.deadline)));
      all =
          all.thenCombine(
              entry,
              (seen, next) -> {
                seen.add(cells.seen(next));
                return seen;
              });
    }
    return all.thenCompose(
        seen -> {
          sweep.looked.set(true);
          return decide(key, seen, sweep);
        });
  }

  private CompletionStage<Boolean> decide(
      Bytes key, List<VersionedCell<Payload>> seen, Sweep sweep) {
    Cell<Payload> top = seen.get(0).cell();
    boolean same = true;
    for (VersionedCell<Payload> one : seen) {
      same &= one.cell().equals(top);
      top = one.cell().accepted().compareTo(top.accepted()) > 0 ? one.cell() : top;
    }
    if (top.isAbsent() || !isOldTombstone(top)) {
      return CompletableFuture.completedFuture(false);
    }
    return same && top.promised().equals(top.accepted())
        ? remove(key, seen, sweep.replicas, sweep.deadline)
            .thenApply(gone -> gone && sweep.forgotten.incrementAndGet() > 0)
        : settle.apply(key).thenApply(settled -> false);
  }

  private CompletionStage<Boolean> remove(
      Bytes key, List<VersionedCell<Payload>> seen, StoreSet replicas, Deadline deadline) {
    CompletionStage<Boolean> removed = CompletableFuture.completedFuture(true);
    for (int i = 0; i < seen.size(); i++) {
      int site = i;
      removed =
          removed.thenCompose(
              before ->
                  before
                      ? replicas.ask(
                          site, store -> store.remove(key, seen.get(site).token(), soon(deadline)))
                      : CompletableFuture.completedFuture(false));
    }
    return removed;
  }

  /** When one request is given up. */
  private Deadline soon(Deadline deadline) {
    long limit = cache.scheduler().nanos() + RegisterExecution.REQUEST_NANOS;
    return limit - deadline.atNanos() < 0 ? new Deadline(limit) : deadline;
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (timer != null) {
      timer.cancel();
    }
  }
}

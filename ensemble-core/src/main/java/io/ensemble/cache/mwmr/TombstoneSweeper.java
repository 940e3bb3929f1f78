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
import io.ensemble.schedule.PeriodicTask;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces expired values that no call reads by tombstones, and removes old tombstones.
 *
 * <p>An expired value is ended as a reader would end it: an operation replaces the value by a
 * tombstone, if the value is still present. The entry cannot simply be removed, because a site that
 * was down could bring back the key's earlier value.
 *
 * <p>A tombstone is removed when every site holds the same one, without a promise to a later
 * ballot. The tombstone must also be older than the cache's grace and than any operation may last.
 * The sites remove it one by one, each only if its entry is unchanged. Rounds are times, so a later
 * write has a higher ballot than a tombstone that a site still holds. The rule relies on clocks
 * that differ by less than the grace. The age of a tombstone of an expired value counts from its
 * writing, not from the value's expiry.
 *
 * <p>Sites may hold an old tombstone differently, because one of them was down when the key was
 * removed. Such a key is settled anew at all sites, and its tombstone is removed once old again.
 * Each sweep scans another site, because one site may lack entries of the others.
 *
 * <p>A sweep has at most one batch of keys under way, processes a bounded number of keys, and ends
 * by its deadline. If a sweep reaches its bound, the next one starts sooner.
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
  private final PeriodicTask sweepsByTime;
  private volatile Duration interval;
  private volatile boolean closed;

  /** A sweep: its results, and how many keys it may still process. */
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
   * @param end replaces a key's value by a tombstone if the value has expired; returns whether it
   *     did
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
    interval = longestInterval();
    sweepsByTime =
        new PeriodicTask(
            "sweep of " + cache.definition().name(),
            cache.scheduler(),
            () -> interval,
            this::sweepOnce);
  }

  void start() {
    sweepsByTime.start();
  }

  private Duration longestInterval() {
    return age.compareTo(LEAST_INTERVAL) > 0 ? age : LEAST_INTERVAL;
  }

  private CompletionStage<?> sweepOnce() {
    interval = longestInterval();
    Sweep sweep = begin(Deadline.after(interval, cache.scheduler()));
    return run(sweep).whenComplete((swept, failure) -> interval = untilNext(sweep));
  }

  /**
   * Every processed key counts, whatever the result. A sweep that reached its bound has left some
   * keys.
   */
  private Duration untilNext(Sweep sweep) {
    return sweep.left == 0 ? LEAST_INTERVAL : longestInterval();
  }

  /** Scans one site, and processes the keys found there at all sites. */
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
    if (failure != null && !closed) {
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
                    "removed expired entries and tombstones; cache={} expired={} tombstones={}",
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
    return all.thenApply(done -> sweep.left > 0 && !closed);
  }

  /** A failure with one key is left to the next sweep. */
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

  /** The deadline of one request. */
  private Deadline soon(Deadline deadline) {
    long limit = cache.scheduler().nanos() + RegisterExecution.REQUEST_NANOS;
    return limit - deadline.atNanos() < 0 ? new Deadline(limit) : deadline;
  }

  @Override
  public void close() {
    closed = true;
    sweepsByTime.close();
  }
}

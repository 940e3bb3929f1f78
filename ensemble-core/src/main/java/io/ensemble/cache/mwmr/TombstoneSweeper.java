package io.ensemble.cache.mwmr;

import io.ensemble.CacheDefinition;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.Payload;
import io.ensemble.cache.SiteFailureLog;
import io.ensemble.cache.mwmr.RegisterExecution.ExecutionResult;
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
  private final Function<Bytes, CompletionStage<ExecutionResult<Payload>>> keySettler;
  private final BiFunction<Bytes, Deadline, CompletionStage<Boolean>> expiredRemoval;
  private final int mostKeys;
  private final Duration age;
  private final AtomicInteger sweeps = new AtomicInteger();
  private final SiteFailureLog siteFailureLog;
  private final PeriodicTask sweepsByTime;
  private volatile Duration interval;
  private volatile boolean closed;

  /** A sweep: its results, and how many keys it may still process. */
  private final class Sweep {

    final StoreSet storeSet;
    final Deadline deadline;
    final AtomicInteger expiredKeys = new AtomicInteger();
    final AtomicInteger purgedKeys = new AtomicInteger();
    final AtomicBoolean hasReadAllSites = new AtomicBoolean();
    final Map<String, Throwable> failures = new ConcurrentHashMap<>();
    int remainingKeys = mostKeys;

    Sweep(StoreSet storeSet, Deadline deadline) {
      this.storeSet = storeSet;
      this.deadline = deadline;
    }
  }

  /**
   * @param keySettler leaves a key's content the same at every site
   * @param expiredRemoval replaces a key's value by a tombstone if the value has expired; returns
   *     whether it did
   */
  TombstoneSweeper(
      EngineContext cache,
      Function<Bytes, CompletionStage<ExecutionResult<Payload>>> keySettler,
      BiFunction<Bytes, Deadline, CompletionStage<Boolean>> expiredRemoval) {
    this(cache, keySettler, expiredRemoval, MOST_KEYS);
  }

  TombstoneSweeper(
      EngineContext cache,
      Function<Bytes, CompletionStage<ExecutionResult<Payload>>> keySettler,
      BiFunction<Bytes, Deadline, CompletionStage<Boolean>> expiredRemoval,
      int mostKeys) {
    this.cache = cache;
    this.keySettler = keySettler;
    this.expiredRemoval = expiredRemoval;
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

  /** How long a removal stays visible in the stores at least. */
  long retainedMicros() {
    return age.toNanos() / 1000;
  }

  void start() {
    sweepsByTime.start();
  }

  private Duration longestInterval() {
    return age.compareTo(LEAST_INTERVAL) > 0 ? age : LEAST_INTERVAL;
  }

  private CompletionStage<?> sweepOnce() {
    interval = longestInterval();
    Sweep sweep = createSweep(Deadline.after(interval, cache.scheduler()));
    return run(sweep).whenComplete((result, failure) -> interval = nextInterval(sweep));
  }

  /**
   * Every processed key counts, whatever the result. A sweep that reached its bound has left some
   * keys.
   */
  private Duration nextInterval(Sweep sweep) {
    return sweep.remainingKeys == 0 ? LEAST_INTERVAL : longestInterval();
  }

  /** Scans one site, and processes the keys found there at all sites. */
  CompletionStage<SweepResult> sweep(Deadline deadline) {
    return run(createSweep(deadline));
  }

  private Sweep createSweep(Deadline deadline) {
    return new Sweep(StoreSet.of(cache.stores(), deadline), deadline);
  }

  private CompletionStage<SweepResult> run(Sweep sweep) {
    int site = Math.floorMod(sweeps.getAndIncrement(), sweep.storeSet.size());
    return scanSite(site, sweep)
        .whenComplete((result, failure) -> recordOutcome(site, sweep, failure));
  }

  private void recordOutcome(int scannedSite, Sweep sweep, @Nullable Throwable failure) {
    List<String> sites = cache.definition().sites();
    if (failure != null && !closed) {
      sweep.failures.putIfAbsent(sites.get(scannedSite), CompletionCause.of(failure));
    }
    sweep.failures.forEach(siteFailureLog::failed);
    for (String site : sites) {
      boolean isChecked = sweep.hasReadAllSites.get() || site.equals(sites.get(scannedSite));
      if (isChecked && !sweep.failures.containsKey(site)) {
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

  private CompletionStage<SweepResult> scanSite(int site, Sweep sweep) {
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
                    items -> process(items, sweep)))
        .thenApply(
            done -> {
              SweepResult result = new SweepResult(sweep.expiredKeys.get(), sweep.purgedKeys.get());
              if (result.ended() + result.forgotten() > 0) {
                LOG.info(
                    "removed expired entries and tombstones; cache={} expired={} tombstones={}",
                    cache.definition().name(),
                    result.ended(),
                    result.forgotten());
              }
              return result;
            });
  }

  private CompletionStage<Boolean> process(List<Item> items, Sweep sweep) {
    CompletionStage<Boolean> all = CompletableFuture.completedFuture(true);
    for (Item item : items) {
      if (sweep.remainingKeys > 0) {
        all = all.thenCombine(process(item, sweep), (isRemoved, done) -> true);
      }
    }
    return all.thenApply(done -> sweep.remainingKeys > 0 && !closed);
  }

  /** A failure with one key is left to the next sweep. */
  private CompletionStage<Boolean> process(Item item, Sweep sweep) {
    Cell<Payload> cell;
    try {
      cell = CellCodec.decode(item.value());
    } catch (MalformedEnvelopeException exception) {
      return CompletableFuture.completedFuture(false);
    }
    CompletionStage<Boolean> done;
    if (isOldTombstone(cell)) {
      done = purge(item.key(), sweep);
    } else if (isExpired(cell)) {
      done = removeExpired(item.key(), sweep);
    } else {
      return CompletableFuture.completedFuture(false);
    }
    sweep.remainingKeys--;
    return done.exceptionally(
        failure -> {
          Throwable cause = CompletionCause.of(failure);
          sweep.failures.put(
              cause instanceof SiteException siteException ? siteException.site() : "*", cause);
          return false;
        });
  }

  private boolean isOldTombstone(Cell<Payload> cell) {
    long oldest = cache.clock().physicalMicros() - age.toNanos() / 1000;
    return cell.content().value() == null && cell.promised().round() < oldest;
  }

  private boolean isExpired(Cell<Payload> cell) {
    Payload value = cell.content().value();
    return value != null && value.isOver(cache.clock().physicalMicros());
  }

  private CompletionStage<Boolean> removeExpired(Bytes key, Sweep sweep) {
    Deadline ownDeadline = Deadline.after(cache.definition().deadline(), cache.scheduler());
    boolean isEarlier = ownDeadline.atNanos() - sweep.deadline.atNanos() < 0;
    return expiredRemoval
        .apply(key, isEarlier ? ownDeadline : sweep.deadline)
        .thenApply(done -> done && sweep.expiredKeys.incrementAndGet() > 0);
  }

  private CompletionStage<Boolean> purge(Bytes key, Sweep sweep) {
    CompletionStage<List<VersionedCell<Payload>>> all =
        CompletableFuture.completedFuture(new ArrayList<>());
    CellCache cellCache = new CellCache();
    for (int site = 0; site < sweep.storeSet.size(); site++) {
      CompletionStage<Optional<StoredEntry>> entry =
          sweep.storeSet.ask(site, store -> store.read(key, requestDeadline(sweep.deadline)));
      all =
          all.thenCombine(
              entry,
              (cells, next) -> {
                cells.add(cellCache.decode(next));
                return cells;
              });
    }
    return all.thenCompose(
        cells -> {
          sweep.hasReadAllSites.set(true);
          return decide(key, cells, sweep);
        });
  }

  private CompletionStage<Boolean> decide(
      Bytes key, List<VersionedCell<Payload>> cells, Sweep sweep) {
    Cell<Payload> highest = cells.get(0).cell();
    boolean areEqual = true;
    for (VersionedCell<Payload> versionedCell : cells) {
      areEqual &= versionedCell.cell().equals(highest);
      highest =
          versionedCell.cell().accepted().compareTo(highest.accepted()) > 0
              ? versionedCell.cell()
              : highest;
    }
    if (highest.isAbsent() || !isOldTombstone(highest)) {
      return CompletableFuture.completedFuture(false);
    }
    return areEqual && highest.promised().equals(highest.accepted())
        ? remove(key, cells, sweep.storeSet, sweep.deadline)
            .thenApply(isRemoved -> isRemoved && sweep.purgedKeys.incrementAndGet() > 0)
        : keySettler.apply(key).thenApply(done -> false);
  }

  private CompletionStage<Boolean> remove(
      Bytes key, List<VersionedCell<Payload>> cells, StoreSet storeSet, Deadline deadline) {
    CompletionStage<Boolean> removed = CompletableFuture.completedFuture(true);
    for (int i = 0; i < cells.size(); i++) {
      int site = i;
      removed =
          removed.thenCompose(
              isRemoved ->
                  isRemoved
                      ? storeSet.ask(
                          site,
                          store ->
                              store.remove(key, cells.get(site).token(), requestDeadline(deadline)))
                      : CompletableFuture.completedFuture(false));
    }
    return removed;
  }

  /** The deadline of one request. */
  private Deadline requestDeadline(Deadline deadline) {
    long limit = cache.scheduler().nanos() + RegisterExecution.REQUEST_NANOS;
    return limit - deadline.atNanos() < 0 ? new Deadline(limit) : deadline;
  }

  @Override
  public void close() {
    closed = true;
    sweepsByTime.close();
  }
}

package io.ensemble.cache.mwmr;

import io.ensemble.CacheDefinition;
import io.ensemble.cache.OpenCache;
import io.ensemble.cache.Payload;
import io.ensemble.cache.Troubles;
import io.ensemble.cache.Unwrapped;
import io.ensemble.cache.mwmr.RegisterCall.Ended;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.register.Cell;
import io.ensemble.register.Seen;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteStore;
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
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forgets removed keys. A tombstone goes when every site holds the same one, promised to nobody,
 * and it is older than the cache's grace and than any operation may last. Sites drop it one by one,
 * each only if its entry is unchanged. Rounds are times, so whatever is written later is above a
 * tombstone that a site still holds; this relies on clocks that differ by less than the grace.
 *
 * <p>An old tombstone that sites hold differently, because one of them was down when the key was
 * removed, is settled anew at all of them, and goes when it has grown old again. Each sweep walks
 * over another site, for one may lack what the others hold.
 */
final class TombstoneSweeper implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(TombstoneSweeper.class);
  private static final int BATCH = 64;
  private static final Duration LEAST_INTERVAL = Duration.ofMinutes(1);

  private final OpenCache cache;
  private final Function<Bytes, CompletionStage<Ended<Payload>>> settle;
  private final Duration age;
  private final AtomicInteger sweeps = new AtomicInteger();
  private final Troubles troubles;
  private Scheduler.@Nullable Timer timer;
  private boolean closed;

  TombstoneSweeper(OpenCache cache, Function<Bytes, CompletionStage<Ended<Payload>>> settle) {
    this.cache = cache;
    this.settle = settle;
    troubles = new Troubles(LOG, "tombstone sweep", cache.definition().name());
    Duration grace = cache.definition().tombstoneGrace();
    Duration longest = CacheDefinition.MAX_DEADLINE;
    age = grace.compareTo(longest) > 0 ? grace : longest;
  }

  synchronized void start() {
    if (closed) {
      return;
    }
    Duration interval = age.compareTo(LEAST_INTERVAL) > 0 ? age : LEAST_INTERVAL;
    try {
      timer = cache.scheduler().after(interval.toNanos(), () -> sweepAndStart(interval));
    } catch (RejectedExecutionException ended) {
      LOG.debug("the scheduler has ended; cache={}", name());
    }
  }

  private void sweepAndStart(Duration interval) {
    Deadline deadline = Deadline.after(interval, cache.scheduler());
    try {
      sweep(deadline).whenComplete((removed, failure) -> start());
    } catch (RuntimeException | Error broken) { // Later sweeps may do better.
      troubles.failed("*", broken);
      start();
    }
  }

  /** What one sweep has come across. */
  private record Findings(
      AtomicInteger removed, AtomicBoolean looked, Map<String, Throwable> lost) {

    Findings() {
      this(new AtomicInteger(), new AtomicBoolean(), new ConcurrentHashMap<>());
    }
  }

  /** Walks over one site and removes what may go; answers how many keys went. */
  CompletionStage<Integer> sweep(Deadline deadline) {
    Replicas replicas = Replicas.of(cache.stores(), deadline);
    int site = Math.floorMod(sweeps.getAndIncrement(), replicas.size());
    Findings findings = new Findings();
    return walk(replicas, site, findings, deadline)
        .whenComplete((removed, failure) -> tell(site, findings, failure));
  }

  private void tell(int walked, Findings findings, @Nullable Throwable failure) {
    List<String> sites = cache.definition().sites();
    if (failure != null && !isClosed()) {
      findings.lost().putIfAbsent(sites.get(walked), Unwrapped.of(failure));
    }
    findings.lost().forEach(troubles::failed);
    for (String site : sites) {
      boolean asked = findings.looked().get() || site.equals(sites.get(walked));
      if (asked && !findings.lost().containsKey(site)) {
        troubles.succeeded(site);
      }
    }
    if (failure == null) {
      troubles.succeeded("*");
    }
  }

  /** The sites where the last sweep failed. */
  Set<String> failing() {
    return troubles.failing();
  }

  private CompletionStage<Integer> walk(
      Replicas replicas, int site, Findings findings, Deadline deadline) {
    AtomicInteger removed = findings.removed();
    return replicas
        .store(site)
        .thenCompose(
            store -> {
              SiteStore.Scan scan = store.scan(BATCH);
              return Steps.whileTrue(
                      cache.scheduler(), () -> sweepBatch(scan, replicas, findings, deadline))
                  .whenComplete((done, failure) -> scan.close());
            })
        .thenApply(
            done -> {
              if (removed.get() > 0) {
                LOG.info("forgot removed keys; cache={} keys={}", name(), removed);
              }
              return removed.get();
            });
  }

  private String name() {
    return cache.definition().name();
  }

  private CompletionStage<Boolean> sweepBatch(
      SiteStore.Scan scan, Replicas replicas, Findings findings, Deadline deadline) {
    return scan.next(deadline)
        .thenCompose(
            items -> {
              CompletionStage<Boolean> all =
                  CompletableFuture.completedFuture(!items.isEmpty() && !isClosed());
              for (SiteStore.Scan.Item item : items) {
                if (mayGo(item)) {
                  all =
                      all.thenCombine(
                          forget(item.key(), replicas, findings, deadline), (more, done) -> more);
                }
              }
              return all;
            });
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private boolean mayGo(SiteStore.Scan.Item item) {
    try {
      return isOldTombstone(CellCodec.decode(item.value()));
    } catch (MalformedEnvelopeException strange) {
      return false;
    }
  }

  private boolean isOldTombstone(Cell<Payload> cell) {
    long oldest = cache.clock().physicalMicros() - age.toNanos() / 1000;
    return cell.content().value() == null && cell.promised().round() < oldest;
  }

  /** Whatever goes wrong with one key is for the next sweep. */
  private CompletionStage<Boolean> forget(
      Bytes key, Replicas replicas, Findings findings, Deadline deadline) {
    CompletionStage<List<Seen<Payload>>> all = CompletableFuture.completedFuture(new ArrayList<>());
    CellCache cells = new CellCache();
    for (int site = 0; site < replicas.size(); site++) {
      CompletionStage<Optional<StoredEntry>> entry =
          replicas.ask(site, store -> store.read(key, soon(deadline)));
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
              findings.looked().set(true);
              return decide(key, seen, replicas, findings.removed(), deadline);
            })
        .exceptionally(
            failure -> {
              Throwable why = Unwrapped.of(failure);
              findings.lost().put(why instanceof SiteException lost ? lost.site() : "*", why);
              return false;
            });
  }

  private CompletionStage<Boolean> decide(
      Bytes key,
      List<Seen<Payload>> seen,
      Replicas replicas,
      AtomicInteger removed,
      Deadline deadline) {
    Cell<Payload> top = seen.get(0).cell();
    boolean same = true;
    for (Seen<Payload> one : seen) {
      same &= one.cell().equals(top);
      top = one.cell().accepted().compareTo(top.accepted()) > 0 ? one.cell() : top;
    }
    if (top.isAbsent() || !isOldTombstone(top)) {
      return CompletableFuture.completedFuture(false);
    }
    return same && top.promised().equals(top.accepted())
        ? remove(key, seen, replicas, deadline)
            .thenApply(gone -> gone && removed.incrementAndGet() > 0)
        : settle.apply(key).thenApply(settled -> false);
  }

  private CompletionStage<Boolean> remove(
      Bytes key, List<Seen<Payload>> seen, Replicas replicas, Deadline deadline) {
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
    long limit = cache.scheduler().nanos() + RegisterCall.REQUEST_NANOS;
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

package io.ensemble.cache.mwmr;

import io.ensemble.CacheDefinition;
import io.ensemble.cache.OpenCache;
import io.ensemble.cache.Payload;
import io.ensemble.register.Cell;
import io.ensemble.register.Seen;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forgets removed keys. A tombstone goes when every site holds the same one, promised to nobody,
 * and it is older than the cache's grace and than any operation may last. Sites drop it one by one,
 * each only if its entry is unchanged. Rounds are times, so whatever is written later is above a
 * tombstone that a site still holds; this relies on clocks that differ by less than the grace.
 */
final class TombstoneSweeper implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(TombstoneSweeper.class);
  private static final int BATCH = 64;
  private static final Duration LEAST_INTERVAL = Duration.ofMinutes(1);

  private final OpenCache cache;
  private final Duration age;
  private Scheduler.@Nullable Timer timer;
  private boolean closed;

  TombstoneSweeper(OpenCache cache) {
    this.cache = cache;
    Duration grace = cache.definition().tombstoneGrace();
    Duration longest = CacheDefinition.MAX_DEADLINE;
    age = grace.compareTo(longest) > 0 ? grace : longest;
  }

  synchronized void start() {
    if (closed) {
      return;
    }
    Duration interval = age.compareTo(LEAST_INTERVAL) > 0 ? age : LEAST_INTERVAL;
    timer =
        cache
            .scheduler()
            .after(
                interval.toNanos(),
                () -> {
                  Deadline deadline = Deadline.after(interval, cache.scheduler());
                  sweep(deadline).whenComplete((removed, failure) -> start());
                });
  }

  /** Walks over one site and removes what may go; answers how many keys went. */
  CompletionStage<Integer> sweep(Deadline deadline) {
    Replicas replicas = Replicas.of(cache.stores(), deadline);
    return replicas
        .store(0)
        .thenCompose(
            store -> {
              SiteStore.Scan scan = store.scan(BATCH);
              return sweep(scan, replicas, 0, deadline)
                  .whenComplete((removed, failure) -> scan.close());
            })
        .whenComplete(
            (removed, failure) -> {
              if (failure == null && removed > 0) {
                LOG.info(
                    "forgot removed keys; cache={} keys={}", cache.definition().name(), removed);
              }
            });
  }

  private CompletionStage<Integer> sweep(
      SiteStore.Scan scan, Replicas replicas, int removed, Deadline deadline) {
    return scan.next(deadline)
        .thenCompose(
            items -> {
              if (items.isEmpty() || isClosed()) {
                return CompletableFuture.completedFuture(removed);
              }
              CompletionStage<Integer> total = CompletableFuture.completedFuture(removed);
              for (SiteStore.Scan.Item item : items) {
                if (mayGo(CellCodec.decode(item.value()))) {
                  total = total.thenCombine(forget(item.key(), replicas, deadline), Integer::sum);
                }
              }
              return total.thenComposeAsync(
                  sum -> sweep(scan, replicas, sum, deadline), cache.scheduler());
            });
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private boolean mayGo(Cell<Payload> cell) {
    long oldest = cache.clock().physicalMicros() - age.toNanos() / 1000;
    return cell.content().value() == null
        && cell.promised().equals(cell.accepted())
        && cell.accepted().round() < oldest;
  }

  private CompletionStage<Integer> forget(Bytes key, Replicas replicas, Deadline deadline) {
    int sites = cache.stores().size();
    CompletionStage<List<Seen<Payload>>> all = CompletableFuture.completedFuture(new ArrayList<>());
    for (int site = 0; site < sites; site++) {
      CompletionStage<Seen<Payload>> one =
          replicas
              .store(site)
              .thenCompose(store -> store.read(key, deadline))
              .thenApply(RegisterCall::seen);
      all =
          all.thenCombine(
              one,
              (seen, next) -> {
                seen.add(next);
                return seen;
              });
    }
    return all.thenCompose(seen -> removeIfEqual(key, seen, replicas, deadline))
        .exceptionally(failure -> 0);
  }

  private CompletionStage<Integer> removeIfEqual(
      Bytes key, List<Seen<Payload>> seen, Replicas replicas, Deadline deadline) {
    Cell<Payload> first = seen.get(0).cell();
    boolean same = seen.stream().allMatch(one -> one.cell().equals(first));
    if (!same || first.isAbsent() || !mayGo(first)) {
      return CompletableFuture.completedFuture(0);
    }
    CompletionStage<Boolean> removed = CompletableFuture.completedFuture(true);
    for (int i = 0; i < seen.size(); i++) {
      int site = i;
      removed =
          removed.thenCompose(
              before ->
                  before
                      ? replicas
                          .store(site)
                          .thenCompose(store -> store.remove(key, seen.get(site).token(), deadline))
                      : CompletableFuture.completedFuture(false));
    }
    return removed.thenApply(all -> all ? 1 : 0);
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (timer != null) {
      timer.cancel();
    }
  }
}

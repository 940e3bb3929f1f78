package io.ensemble.migrate;

import io.ensemble.cache.Payload;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.swmr.SwmrMigrationSource;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A former SWMR configuration. A majority decides on its copies; where the response of one site
 * suffices, that site does. Thread-safe.
 */
final class SwmrSourceAdapter implements MigrationSource {

  private static final Duration ENDS = Duration.ofSeconds(5);

  private final SwmrMigrationSource source;
  private final int sites;
  private final int majority;
  private final Scheduler scheduler;
  private final Set<Integer> endedSites = ConcurrentHashMap.newKeySet();
  private @Nullable CompletableFuture<Void> endsRead; // guarded by this object's lock

  SwmrSourceAdapter(SwmrMigrationSource source, int sites, int majority, Scheduler scheduler) {
    this.source = source;
    this.sites = sites;
    this.majority = majority;
    this.scheduler = scheduler;
  }

  @Override
  public List<StoreHandle> stores() {
    return source.copies();
  }

  @Override
  public int sitesToScan() {
    return source.sitesToWalk();
  }

  @Override
  public boolean mayLose(String site) {
    return source.mayLose(site);
  }

  @Override
  public CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline) {
    return source.read(key, deadline);
  }

  @Override
  public CompletionStage<?> end(int site, Deadline deadline) {
    return source.end(site, deadline).thenRun(() -> endedSites.add(site));
  }

  /** Reads how the terms ended at a majority: the record of terms decides which copies are void. */
  @Override
  public CompletionStage<Void> awaitEnds() {
    CompletableFuture<Void> newRead;
    synchronized (this) {
      if (endedSites.size() >= majority) {
        return CompletableFuture.completedFuture(null);
      }
      if (endsRead != null && !endsRead.isDone()) {
        return endsRead.copy();
      }
      newRead = new CompletableFuture<>();
      endsRead = newRead;
    }
    AtomicInteger outstandingSites = new AtomicInteger(sites);
    for (int site = 0; site < sites; site++) {
      end(site, Deadline.after(ENDS, scheduler))
          .whenComplete(
              (done, failure) -> {
                boolean isLast = outstandingSites.decrementAndGet() == 0;
                if (endedSites.size() >= majority) {
                  newRead.complete(null);
                } else if (isLast) {
                  newRead.completeExceptionally(
                      failure == null
                          ? new IllegalStateException("too few sites are sealed")
                          : failure);
                }
              });
    }
    return newRead.copy();
  }

  /** A lost store does not count as ended, because its record of terms is needed, too. */
  @Override
  public boolean acceptLoss(String site) {
    return false;
  }

  @Override
  public void close() {
    // Nothing is open.
  }
}

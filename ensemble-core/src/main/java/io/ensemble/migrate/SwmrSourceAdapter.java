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

  private final SwmrMigrationSource copies;
  private final int sites;
  private final int majority;
  private final Scheduler scheduler;
  private final Set<Integer> ended = ConcurrentHashMap.newKeySet();
  private @Nullable CompletableFuture<Void> learning; // guarded by this object's lock

  SwmrSourceAdapter(SwmrMigrationSource copies, int sites, int majority, Scheduler scheduler) {
    this.copies = copies;
    this.sites = sites;
    this.majority = majority;
    this.scheduler = scheduler;
  }

  @Override
  public List<StoreHandle> stores() {
    return copies.copies();
  }

  @Override
  public int toWalk() {
    return copies.sitesToWalk();
  }

  @Override
  public boolean mayLose(String site) {
    return copies.mayLose(site);
  }

  @Override
  public CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline) {
    return copies.read(key, deadline);
  }

  @Override
  public CompletionStage<?> end(int site, Deadline deadline) {
    return copies.end(site, deadline).thenRun(() -> ended.add(site));
  }

  /** Reads how the terms ended at a majority: the record of terms decides which copies are void. */
  @Override
  public CompletionStage<Void> whenEndsAreKnown() {
    CompletableFuture<Void> begun;
    synchronized (this) {
      if (ended.size() >= majority) {
        return CompletableFuture.completedFuture(null);
      }
      if (learning != null && !learning.isDone()) {
        return learning.copy();
      }
      begun = new CompletableFuture<>();
      learning = begun;
    }
    AtomicInteger left = new AtomicInteger(sites);
    for (int site = 0; site < sites; site++) {
      end(site, Deadline.after(ENDS, scheduler))
          .whenComplete(
              (found, failure) -> {
                boolean last = left.decrementAndGet() == 0;
                if (ended.size() >= majority) {
                  begun.complete(null);
                } else if (last) {
                  begun.completeExceptionally(
                      failure == null
                          ? new IllegalStateException("too few sites are sealed")
                          : failure);
                }
              });
    }
    return begun.copy();
  }

  /** A lost store does not count as ended, because its record of terms is needed, too. */
  @Override
  public boolean endsWith(String site) {
    return false;
  }

  @Override
  public void close() {
    // Nothing is open.
  }
}

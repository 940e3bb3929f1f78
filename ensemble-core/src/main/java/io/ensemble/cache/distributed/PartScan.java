package io.ensemble.cache.distributed;

import io.ensemble.cache.CacheEngine.EntryScan;
import io.ensemble.cache.lease.GenerationEntries;
import io.ensemble.partition.MatchTooCostlyException;
import io.ensemble.schedule.Deadline;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A walk over one part after the other. Keys that belong to another part than the one where they
 * are met are left out, as reads leave them out. While the parts change it waits to begin, and one
 * that has begun fails, for keys may pass it by.
 */
final class PartScan implements EntryScan {

  private final DistributedEngine engine;
  private final @Nullable RepartitionFence fence;
  private final int batchSize;

  // One caller at a time, and what a step leaves the next one sees: stages order them.
  private @Nullable PartitionTable partitionTable;
  private int part;
  private @Nullable EntryScan scan;
  private @Nullable List<Entry> met;
  private boolean closed;

  /**
   * @param fence null where the parts never change
   */
  PartScan(DistributedEngine engine, @Nullable RepartitionFence fence, int batchSize) {
    this.engine = engine;
    this.fence = fence;
    this.batchSize = batchSize;
  }

  @Override
  public CompletionStage<List<Entry>> next(Deadline deadline) {
    PartitionTable begun = partitionTable;
    if (begun != null) {
      return next(begun, deadline);
    }
    return (fence == null
            ? CompletableFuture.completedFuture(engine.dealt())
            : fence.settled(deadline))
        .thenCompose(
            now -> {
              partitionTable = now;
              return next(now, deadline);
            });
  }

  private CompletionStage<List<Entry>> next(PartitionTable begun, Deadline deadline) {
    if (closed || part == begun.present().parts().size()) {
      return CompletableFuture.completedFuture(List.of());
    }
    EntryScan now = scan;
    if (now == null) {
      now = begun.present().parts().get(part).running().scan(batchSize);
      scan = now;
    }
    List<Entry> left = met;
    return (left == null ? now.next(deadline) : done(left))
        .thenCompose(
            batch -> {
              met = batch; // Else it were lost if it cannot be given now.
              return fence == null
                  ? done(batch)
                  : fence.walked(begun, name(begun), batch, deadline);
            })
        .thenCompose(
            batch -> {
              met = null;
              return judged(begun, batch, deadline);
            });
  }

  private static <T> CompletionStage<T> done(T value) {
    return CompletableFuture.completedFuture(value);
  }

  private String name(PartitionTable begun) {
    return begun.present().definition().parts().get(part);
  }

  private CompletionStage<List<Entry>> judged(
      PartitionTable begun, List<Entry> batch, Deadline deadline) {
    if (batch.isEmpty()) {
      end();
      part++;
      return next(begun, deadline);
    }
    String here = name(begun);
    List<Entry> own = batch.stream().filter(entry -> belongs(begun, entry, here)).toList();
    return own.isEmpty() ? next(begun, deadline) : done(own);
  }

  /** A key without a part can only have been put into this one directly. */
  private boolean belongs(PartitionTable begun, Entry entry, String here) {
    try {
      return !GenerationEntries.isOne(entry.key())
          && begun.present().part(engine.seen(entry.key())).equals(here);
    } catch (MatchTooCostlyException e) {
      return false;
    }
  }

  private void end() {
    EntryScan ended = scan;
    scan = null;
    if (ended != null) {
      ended.close();
    }
  }

  @Override
  public void close() {
    closed = true;
    end();
  }
}

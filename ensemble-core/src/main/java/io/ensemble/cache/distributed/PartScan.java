package io.ensemble.cache.distributed;

import io.ensemble.cache.CacheEngine.EntryScan;
import io.ensemble.partition.MatchTooCostlyException;
import io.ensemble.schedule.Deadline;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A walk over one part after the other. Keys that belong to another part than the one where they
 * are met are left out, as reads leave them out.
 */
final class PartScan implements EntryScan {

  private final DistributedEngine engine;
  private final int batchSize;

  // One caller at a time, and what a step leaves the next one sees: stages order them.
  private int part;
  private @Nullable EntryScan scan;
  private boolean closed;

  PartScan(DistributedEngine engine, int batchSize) {
    this.engine = engine;
    this.batchSize = batchSize;
  }

  @Override
  public CompletionStage<List<Entry>> next(Deadline deadline) {
    if (closed || part == engine.parts().size()) {
      return CompletableFuture.completedFuture(List.of());
    }
    EntryScan now = scan;
    if (now == null) {
      now = engine.parts().get(part).running().scan(batchSize);
      scan = now;
    }
    return now.next(deadline).thenCompose(batch -> judged(batch, deadline));
  }

  private CompletionStage<List<Entry>> judged(List<Entry> batch, Deadline deadline) {
    if (batch.isEmpty()) {
      end();
      part++;
      return next(deadline);
    }
    int here = part;
    List<Entry> own = batch.stream().filter(entry -> belongs(entry, here)).toList();
    return own.isEmpty() ? next(deadline) : CompletableFuture.completedFuture(own);
  }

  /** A key without a part can only have been put into this one directly. */
  private boolean belongs(Entry entry, int here) {
    try {
      return engine.indexOf(entry.key()) == here;
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

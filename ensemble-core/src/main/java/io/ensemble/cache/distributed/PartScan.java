package io.ensemble.cache.distributed;

import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CacheEngine.EntryScan;
import io.ensemble.cache.lease.GenerationEntries;
import io.ensemble.partition.MatchTooCostlyException;
import io.ensemble.schedule.Deadline;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A scan of one part after the other. A key found outside its own part is left out, as reads leave
 * it out. While the parts change, a new scan waits. A scan that began before fails, because moving
 * keys may escape it.
 */
final class PartScan implements EntryScan {

  private final DistributedEngine engine;
  private final @Nullable RepartitionFence fence;
  private final Function<CacheEngine, EntryScan> begin;
  private final @Nullable OnePart only;

  // Not for concurrent callers; stages make the writes of a step visible to the next step.
  private @Nullable PartitionTable partitionTable;
  private int part;
  private @Nullable EntryScan scan;
  private @Nullable List<Entry> met;
  private boolean closed;

  /** A part of a generation. */
  private record OnePart(long generation, int index) {}

  /**
   * @param fence null where the parts never change
   * @param begin begins the scan of a part
   * @param only the part to scan; null for all
   */
  private PartScan(
      DistributedEngine engine,
      @Nullable RepartitionFence fence,
      Function<CacheEngine, EntryScan> begin,
      @Nullable OnePart only) {
    this.engine = engine;
    this.fence = fence;
    this.begin = begin;
    this.only = only;
    this.part = only == null ? 0 : only.index;
  }

  /** As {@link CacheEngine#scan}. */
  static PartScan ofEntries(
      DistributedEngine engine, @Nullable RepartitionFence fence, int batchSize) {
    return new PartScan(engine, fence, part -> part.scan(batchSize), null);
  }

  /** As {@link CacheEngine#scanKeys}. */
  static PartScan ofKeys(
      DistributedEngine engine, @Nullable RepartitionFence fence, int batchSize) {
    return new PartScan(engine, fence, part -> part.scanKeys(batchSize), null);
  }

  /** A scan of the keys of one part, which fails in another generation than the given one. */
  static PartScan ofKeys(
      DistributedEngine engine,
      @Nullable RepartitionFence fence,
      int batchSize,
      long generation,
      int part) {
    return new PartScan(
        engine, fence, scanned -> scanned.scanKeys(batchSize), new OnePart(generation, part));
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
              if (only != null && only.generation != now.generation()) {
                throw RepartitionFence.refuse(now);
              }
              partitionTable = now;
              return next(now, deadline);
            });
  }

  private CompletionStage<List<Entry>> next(PartitionTable begun, Deadline deadline) {
    int end = only == null ? begun.present().parts().size() : only.index + 1;
    if (closed || part == end) {
      return CompletableFuture.completedFuture(List.of());
    }
    EntryScan now = scan;
    if (now == null) {
      now = begin.apply(begun.present().parts().get(part).running());
      scan = now;
    }
    List<Entry> left = met;
    return (left == null ? now.next(deadline) : done(left))
        .thenCompose(
            batch -> {
              met = batch; // Otherwise the batch is lost if it cannot be returned now.
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

  /** A key without a part can only have been written to this part directly. */
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

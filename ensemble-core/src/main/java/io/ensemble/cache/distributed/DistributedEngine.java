package io.ensemble.cache.distributed;

import io.ensemble.DistributedDefinition;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.ChangeSource;
import io.ensemble.cache.Payload;
import io.ensemble.cache.adapter.CacheInstance;
import io.ensemble.cache.adapter.PartitionedEngine;
import io.ensemble.cache.distributed.RepartitionFence.ReadCall;
import io.ensemble.cache.distributed.RepartitionFence.WriteCall;
import io.ensemble.codec.Codec;
import io.ensemble.partition.MatchTooCostlyException;
import io.ensemble.partition.PartitionedKey;
import io.ensemble.register.Update;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Forwards each key to the engine of its part. The engine owns nothing but the partitioner. Parts
 * are opened and closed elsewhere; calls that reach a closed part fail. Where the parts may change,
 * a {@link RepartitionFence} confines calls to the parts that hold their keys.
 */
public final class DistributedEngine implements PartitionedEngine {

  private final PartitionTable first;
  private final @Nullable RepartitionFence fence;
  private final @Nullable Frontier frontier;
  private final Codec codec;

  /**
   * @param first the partition table at opening
   * @param frontier null unless the cache is in frontier mode
   * @param fence null where the parts never change
   */
  public DistributedEngine(
      PartitionTable first,
      @Nullable Frontier frontier,
      Codec codec,
      @Nullable RepartitionFence fence) {
    this.first = first;
    this.frontier = frontier;
    this.codec = codec;
    this.fence = fence;
  }

  /** The latest partition table known to this process. */
  public PartitionTable dealt() {
    return fence == null ? first : fence.dealt();
  }

  /**
   * Adopts {@code next} as the present table; without effect if a later table is known, or parts
   * never change.
   */
  public void deal(PartitionTable next) {
    if (fence != null) {
      fence.deal(next);
    }
  }

  @Override
  public DistributedDefinition distribution() {
    return dealt().present().definition();
  }

  @Override
  public List<CacheInstance> parts() {
    return List.copyOf(dealt().faces().values());
  }

  @Override
  public CacheInstance partOf(Bytes key) {
    PartitionTable now = dealt();
    return now.face(now.place(seen(key)).part());
  }

  /** The key as partitioners see it; strings use their own bytes, as a group's name does. */
  public PartitionedKey seen(Bytes key) {
    if (Codec.isUtf8(key)) {
      return PartitionedKey.utf8(Arrays.copyOfRange(key.array(), 1, key.size()));
    }
    return Codec.isUtf16(key)
        ? PartitionedKey.of((String) codec.decode(key))
        : PartitionedKey.opaque(key.array());
  }

  @Override
  public Assignment assignment() {
    PartitionTable begun = dealt();
    return new Assignment() {
      @Override
      public long generation() {
        return begun.generation();
      }

      @Override
      public List<CacheInstance> parts() {
        return begun.present().parts();
      }

      @Override
      public boolean isOf(int part, Bytes key) {
        String name = begun.present().definition().parts().get(part);
        try {
          PartitionedKey seen = seen(key);
          return begun.present().part(seen).equals(name)
              && dealt().coming().map(next -> next.side().part(seen).equals(name)).orElse(true);
        } catch (MatchTooCostlyException belongsNowhere) {
          return false;
        }
      }
    };
  }

  @Override
  public Optional<ChangeSource> changes() {
    throw new UnsupportedOperationException(
        "listening requires the distributed cache itself: a near cache of it has no streams");
  }

  @Override
  public CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline) {
    // Not fenced: a generation entry would be read beyond the frontier, and such reads must not
    // need to go there.
    if (frontier != null && !frontier.has(partOf(key), key)) {
      frontier.isElsewhere();
      return CompletableFuture.completedFuture(Optional.empty());
    }
    return fence == null
        ? partOf(key).running().read(key, deadline)
        : fence.call(
            seen(key),
            new ReadCall<>(distribution().name(), part -> until -> part.read(key, until)),
            deadline);
  }

  @Override
  public CompletionStage<WriteOutcome<Void>> write(
      Bytes key, @Nullable Payload value, Deadline deadline) {
    return fence == null
        ? partOf(key).running().write(key, value, deadline)
        : fence.call(
            seen(key), new WriteCall<>(part -> until -> part.write(key, value, until)), deadline);
  }

  @Override
  public <R> CompletionStage<WriteOutcome<R>> update(
      Bytes key, Update<Payload, R> update, Deadline deadline) {
    return fence == null
        ? partOf(key).running().update(key, update, deadline)
        : fence.call(
            seen(key), new WriteCall<>(part -> until -> part.update(key, update, until)), deadline);
  }

  @Override
  public EntryScan scan(int batchSize) {
    return PartScan.ofEntries(this, fence, batchSize);
  }

  @Override
  public EntryScan scanKeys(int batchSize) {
    return PartScan.ofKeys(this, fence, batchSize);
  }

  @Override
  public EntryScan scanKeys(int batchSize, long generation, int part) {
    return PartScan.ofKeys(this, fence, batchSize, generation, part);
  }

  @Override
  public long generation() {
    return dealt().generation();
  }

  /** Ends calls that wait here. The parts are caches of their own. */
  @Override
  public void close() {
    if (fence != null) {
      fence.close();
    }
  }
}

package io.ensemble.cache.distributed;

import io.ensemble.DistributedDefinition;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.Payload;
import io.ensemble.cache.face.CacheFaces;
import io.ensemble.cache.face.PartedEngine;
import io.ensemble.codec.Codec;
import io.ensemble.partition.PartitionedKey;
import io.ensemble.partition.Partitioner;
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
 * Hands each key on to the engine of its part. Has nothing of its own but the partitioner; parts
 * are opened and closed by others, and one that is closed fails the calls that meet it.
 */
public final class DistributedEngine implements PartedEngine {

  private final DistributedDefinition definition;
  private final List<CacheFaces> parts;
  private final Partitioner partitioner;
  private final @Nullable Frontier frontier;
  private final Codec codec;

  /**
   * @param parts the open caches, in the definition's order
   * @param partitioner made for the names of these
   * @param frontier null unless the cache is in frontier mode
   */
  public DistributedEngine(
      DistributedDefinition definition,
      List<CacheFaces> parts,
      Partitioner partitioner,
      @Nullable Frontier frontier,
      Codec codec) {
    this.definition = definition;
    this.parts = List.copyOf(parts);
    this.partitioner = partitioner;
    this.frontier = frontier;
    this.codec = codec;
  }

  @Override
  public DistributedDefinition distribution() {
    return definition;
  }

  @Override
  public List<CacheFaces> parts() {
    return parts;
  }

  @Override
  public CacheFaces partOf(Bytes key) {
    return parts.get(indexOf(key));
  }

  int indexOf(Bytes key) {
    return partitioner.part(seen(key));
  }

  /** Strings go by their own bytes, so that one that is a group belongs to that group. */
  private PartitionedKey seen(Bytes key) {
    if (Codec.isUtf8(key)) {
      return PartitionedKey.utf8(Arrays.copyOfRange(key.array(), 1, key.size()));
    }
    return Codec.isUtf16(key)
        ? PartitionedKey.of((String) codec.decode(key))
        : PartitionedKey.opaque(key.array());
  }

  @Override
  public CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline) {
    CacheFaces part = partOf(key);
    if (frontier != null && !frontier.has(part, key)) {
      frontier.isElsewhere();
      return CompletableFuture.completedFuture(Optional.empty());
    }
    return part.running().read(key, deadline);
  }

  @Override
  public CompletionStage<WriteOutcome<Void>> write(
      Bytes key, @Nullable Payload value, Deadline deadline) {
    return partOf(key).running().write(key, value, deadline);
  }

  @Override
  public <R> CompletionStage<WriteOutcome<R>> update(
      Bytes key, Update<Payload, R> update, Deadline deadline) {
    return partOf(key).running().update(key, update, deadline);
  }

  @Override
  public EntryScan scan(int batchSize) {
    return new PartScan(this, batchSize);
  }

  /** Nothing: the parts are caches of their own. */
  @Override
  public void close() {}
}

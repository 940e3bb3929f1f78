package io.ensemble.partition;

import java.util.List;

/**
 * The part with the highest bid for the key ({@link StableHash#bid}). The result depends on the
 * parts' names, not on their order. An additional part takes its share, one key in {@code parts +
 * 1}, and no key moves between the others. When a part is removed, only its own keys move. Costs
 * one hash for each part.
 */
final class RendezvousPartitioner implements Partitioner {

  private final List<Long> names;

  RendezvousPartitioner(List<String> parts) {
    names = parts.stream().map(StableHash::of).toList();
  }

  @Override
  public int part(PartitionedKey key) {
    return StableHash.highest(key.hash(), names);
  }
}

package io.ensemble.partition;

import java.util.List;

/**
 * The part that bids highest for the key ({@link StableHash#bid}). Depends on the parts' names, not
 * on their order. Another part more takes its share, one key in {@code parts + 1}, and no key moves
 * between the others; a part less gives away its own keys only. Costs a hash for each part.
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

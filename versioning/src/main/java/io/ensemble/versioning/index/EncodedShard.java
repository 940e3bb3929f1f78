package io.ensemble.versioning.index;

import java.util.List;

/** A shard that was written; the encoded form of {@link IndexShard}. */
public record EncodedShard(
    long number,
    byte[] first,
    byte[] last,
    int count,
    long firstSequence,
    long lastSequence,
    List<Long> packs) {

  /** Copies the list. */
  public EncodedShard {
    packs = List.copyOf(packs);
  }
}

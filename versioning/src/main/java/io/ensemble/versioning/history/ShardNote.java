package io.ensemble.versioning.history;

import java.util.List;

/** A shard that was written, as {@link Shard}. */
public record ShardNote(
    long number,
    byte[] first,
    byte[] last,
    int count,
    long firstSequence,
    long lastSequence,
    List<Long> packs) {

  /** Copies the list. */
  public ShardNote {
    packs = List.copyOf(packs);
  }
}

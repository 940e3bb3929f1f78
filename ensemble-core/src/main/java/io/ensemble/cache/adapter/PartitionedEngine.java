package io.ensemble.cache.adapter;

import io.ensemble.DistributedDefinition;
import io.ensemble.cache.CacheEngine;
import io.ensemble.site.Bytes;
import java.util.List;

/** An engine over other open caches. */
public interface PartitionedEngine extends CacheEngine {

  /** The definition of the distributed cache. */
  DistributedDefinition distribution();

  /** The open parts, in the definition's order. */
  List<CacheInstance> parts();

  /** The number of the present assignment of keys to parts. */
  long generation();

  /** The present assignment of keys to parts. */
  Assignment assignment();

  /** An assignment of keys to parts. */
  interface Assignment {

    /** Its number. */
    long generation();

    /** The parts, in the order of their definition. */
    List<CacheInstance> parts();

    /**
     * Whether a key belongs to a part, and is not about to be moved to another one.
     *
     * @param part the index of the part
     */
    boolean isOf(int part, Bytes key);
  }

  /**
   * As {@link #scanKeys}, of one part.
   *
   * @param generation the expected {@link #generation}; the scan fails if it is another one, or
   *     changes
   * @param part the index of the part
   */
  EntryScan scanKeys(int batchSize, long generation, int part);

  /** The part that a key belongs to. */
  CacheInstance partOf(Bytes key);

  /** Whether all parts are open, including the parts of parts. */
  default boolean isWhole() {
    return parts().stream()
        .allMatch(
            part ->
                part.isOpen()
                    && (!(part.engine() instanceof PartitionedEngine parted) || parted.isWhole()));
  }
}

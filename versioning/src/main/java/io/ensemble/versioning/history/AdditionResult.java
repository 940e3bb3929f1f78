package io.ensemble.versioning.history;

import io.ensemble.versioning.index.ShardRef;
import org.jspecify.annotations.Nullable;

/**
 * What an addition came to.
 *
 * @param version that was added; else the one that was in its way, or the latest
 * @param shard that is to be looked into first
 * @param id by which the entries beside this one are known
 * @param planned whether something is to be moved out of the entry
 * @param full whether that should be waited for
 */
public record AdditionResult(
    Result result,
    byte[] version,
    @Nullable ShardRef shard,
    String id,
    boolean planned,
    boolean full) {

  /** The same, where a look into the shard has shown that the version is there. */
  public AdditionResult exists() {
    return new AdditionResult(Result.EXISTS, version, null, id, planned, false);
  }

  /** How it ended. */
  public enum Result {
    ADDED,
    /** The version is there. */
    EXISTS,
    /** The version had to be above all others. */
    NOT_ABOVE,
    /** A cut at that version, or above, has been read. */
    BELOW_CUT,
    /** The version was removed by compaction, or would have been. */
    COMPACTED,
    /** The versions that no other is above are others than were expected. */
    UNEXPECTED,
    /** It is to be tried again, after a look at what cuts of the cache there were. */
    ADMIT_FIRST,
    /** It is to be tried again, after a look into a shard. */
    LOOK_FIRST
  }
}

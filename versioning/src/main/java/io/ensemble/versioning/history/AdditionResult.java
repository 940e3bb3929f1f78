package io.ensemble.versioning.history;

import io.ensemble.versioning.index.ShardRef;
import org.jspecify.annotations.Nullable;

/**
 * The result of an addition.
 *
 * @param version the version that was added; otherwise the version that prevented it, or the latest
 * @param shard the shard that must be read first
 * @param id identifies the entries beside the entry of the key
 * @param planned whether a part is to be moved out of the entry
 * @param full whether the caller should wait for that
 */
public record AdditionResult(
    Result result,
    byte[] version,
    @Nullable ShardRef shard,
    String id,
    boolean planned,
    boolean full) {

  /** Returns a copy for a version that was found in the shard. */
  public AdditionResult exists() {
    return new AdditionResult(Result.EXISTS, version, null, id, planned, false);
  }

  /** How the addition ended. */
  public enum Result {
    ADDED,
    /** The version exists. */
    EXISTS,
    /** The version had to be above all others. */
    NOT_ABOVE,
    /** The key was read as of that version or a higher one. */
    BELOW_SNAPSHOT,
    /** The version was removed by compaction, or would have been. */
    COMPACTED,
    /** The entry of the key has no room, and the index does not move parts out of it. */
    NO_ROOM,
    /** The heads (versions with no version above them) differ from the expected ones. */
    UNEXPECTED,
    /** To be retried after a read of the highest snapshot of the cache. */
    READ_SNAPSHOT_FIRST,
    /** To be retried after a read of a shard. */
    READ_SHARD_FIRST
  }
}

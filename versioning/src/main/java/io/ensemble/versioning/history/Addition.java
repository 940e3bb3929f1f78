package io.ensemble.versioning.history;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A version to be added.
 *
 * @param version null for a version above all others
 * @param proposal of the caller's process, for a version above all others
 * @param value null for a removal
 * @param now the time by the caller's clock; 0 if versions have no time
 * @param ordered whether the version must be above all others
 * @param expected the heads (versions with no version above them) that the caller expects, in their
 *     order; null for any
 * @param absentInShard the shard that would contain the version and does not, as the caller has
 *     read; 0 if it has read none
 * @param absentInHistory the id of the history of that shard; empty for none
 * @param highestSnapshot the highest snapshot of the whole cache, read when the key had a history;
 *     null if the caller has not read it
 */
public record Addition(
    byte @Nullable [] version,
    byte[] proposal,
    byte @Nullable [] value,
    long now,
    boolean ordered,
    @Nullable List<byte[]> expected,
    long absentInShard,
    String absentInHistory,
    byte @Nullable [] highestSnapshot) {

  /** Returns a copy after a read of a shard. */
  public Addition withAbsence(String history, long shard) {
    return new Addition(
        version, proposal, value, now, ordered, expected, shard, history, highestSnapshot);
  }

  /** Returns a copy after a read of the highest snapshot of the cache. */
  public Addition withSnapshot(byte[] highest) {
    return new Addition(
        version, proposal, value, now, ordered, expected, absentInShard, absentInHistory, highest);
  }
}

package io.ensemble.versioning.history;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A version to be added.
 *
 * @param version null for one above all others
 * @param proposal of the caller's process, for that
 * @param value null where the key is removed with it
 * @param now the time by the caller's clock; 0 if versions do not say theirs
 * @param ordered whether the version must be above all others
 * @param expected the versions that no other is above as the caller knows them, in their order;
 *     null where any will do
 * @param without the shard that would hold the version, and does not, as the caller has seen; 0 if
 *     it has seen none
 * @param withoutOf the history of which that is a shard; empty for none
 * @param cut the highest one of the whole cache as it was when the key had a history; null if the
 *     caller has not looked
 */
public record Addition(
    byte @Nullable [] version,
    byte[] proposal,
    byte @Nullable [] value,
    long now,
    boolean ordered,
    @Nullable List<byte[]> expected,
    long without,
    String withoutOf,
    byte @Nullable [] cut) {

  /** The same, after a look into a shard. */
  public Addition without(String history, long shard) {
    return new Addition(version, proposal, value, now, ordered, expected, shard, history, cut);
  }

  /** The same, after a look at the cuts of the cache. */
  public Addition cut(byte[] highest) {
    return new Addition(
        version, proposal, value, now, ordered, expected, without, withoutOf, highest);
  }
}

package io.ensemble.versioning;

import io.ensemble.objects.ReadOnly;
import java.util.Arrays;

/**
 * The shared record of a cache: the settings on which all processes must agree, the retention, and
 * the highest snapshot.
 */
class VersionedCacheRecord {

  /** What a process reads when it opens the cache. */
  record Opened(String settings, Retention retention) {}

  private String settings;
  private Retention retention;
  private byte[] highestSnapshot = new byte[0];

  VersionedCacheRecord() {
    this("", Retention.ALL);
  }

  VersionedCacheRecord(String settings, Retention retention) {
    this.settings = settings;
    this.retention = retention;
  }

  @ReadOnly
  public Opened opened() {
    return new Opened(settings, retention);
  }

  @ReadOnly
  public Retention retention() {
    return retention;
  }

  /** Returns true: a change is awaited. */
  public boolean changeRetention(Retention changed) {
    retention = changed;
    return true;
  }

  /** The highest version of a snapshot of the whole cache; empty if there was none. */
  @ReadOnly
  public byte[] highestSnapshot() {
    return highestSnapshot.clone();
  }

  /** Records a higher version, if {@code before} is the highest so far. */
  public boolean raiseSnapshot(byte[] before, byte[] higher) {
    boolean same = Arrays.equals(before, highestSnapshot);
    if (same) {
      highestSnapshot = higher.clone();
    }
    return same;
  }

  static String settings(
      IndexType indexType, int shardSize, String space, boolean ordered, boolean deltas) {
    return "index "
        + indexType
        + (indexType == IndexType.SHARDED || indexType == IndexType.AUTO
            ? " (shard size " + shardSize + ")"
            : "")
        + ", versions "
        + space
        + (ordered ? ", in order" : "")
        + (deltas ? ", deltas" : "");
  }
}

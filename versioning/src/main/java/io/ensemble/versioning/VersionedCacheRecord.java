package io.ensemble.versioning;

import io.ensemble.objects.ReadOnly;
import java.util.Arrays;

/**
 * The shared record of a cache: the settings on which all processes must agree, and the highest
 * snapshot.
 */
class VersionedCacheRecord {

  private String settings;
  private byte[] highestSnapshot = new byte[0];

  VersionedCacheRecord() {
    this("");
  }

  VersionedCacheRecord(String settings) {
    this.settings = settings;
  }

  @ReadOnly
  public String settings() {
    return settings;
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
      IndexType indexType,
      int shardSize,
      String space,
      boolean ordered,
      boolean deltas,
      Retention retention) {
    return "index "
        + indexType
        + (indexType == IndexType.SHARDED || indexType == IndexType.AUTO
            ? " (shard size " + shardSize + ")"
            : "")
        + ", versions "
        + space
        + (ordered ? ", in order" : "")
        + (deltas ? ", deltas" : "")
        + (retention.equals(Retention.ALL) ? "" : ", retention " + retention.text());
  }
}

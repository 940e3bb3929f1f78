package io.ensemble.primary;

/**
 * The place of a copy in its key's order. The higher one stays, at every site.
 *
 * @param epoch the term in which it was written or recovered; 0 where there is no copy
 * @param sequence the writer's number, never given twice in an epoch; 0 for what was recovered into
 *     the epoch, and 1 for absence that took its place, which so sort below all that is written
 */
public record CopyPosition(long epoch, long sequence) implements Comparable<CopyPosition> {

  /** Below every copy. */
  public static final CopyPosition NONE = new CopyPosition(0, 0);

  /** Writers give numbers from this one on. */
  public static final long FIRST_SEQUENCE = 2;

  /** Where what is recovered into {@code epoch} goes. */
  static CopyPosition ofRecovery(long epoch) {
    return new CopyPosition(epoch, 0);
  }

  /** Where absence goes that takes the place of what was left over of recovery. */
  static CopyPosition ofAbsence(long epoch) {
    return new CopyPosition(epoch, FIRST_SEQUENCE - 1);
  }

  @Override
  public int compareTo(CopyPosition other) {
    int byEpoch = Long.compare(epoch, other.epoch);
    return byEpoch != 0 ? byEpoch : Long.compare(sequence, other.sequence);
  }

  /** Whether this one is later than {@code other}. */
  public boolean isAbove(CopyPosition other) {
    return compareTo(other) > 0;
  }
}

package io.ensemble.primary;

/**
 * The position of a copy in its key's order. The higher position stays, at every site.
 *
 * @param epoch the term in which the copy was written or recovered; 0 where there is no copy
 * @param sequence the writer's number, never given twice in an epoch; 0 for a copy recovered into
 *     the epoch, and 1 for absence that replaced such a copy. Both sort below all written copies
 */
public record CopyPosition(long epoch, long sequence) implements Comparable<CopyPosition> {

  /** Below every copy. */
  public static final CopyPosition NONE = new CopyPosition(0, 0);

  /** The lowest sequence that a writer gives. */
  public static final long FIRST_SEQUENCE = 2;

  /** The position of a copy recovered into {@code epoch}. */
  static CopyPosition ofRecovery(long epoch) {
    return new CopyPosition(epoch, 0);
  }

  /** The position of absence that replaces an unsettled copy left over from a recovery. */
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

package io.ensemble;

import io.ensemble.stamp.Stamp;

/**
 * The position of one change in the order of its key's changes. A change of the sites or the mode
 * of a cache gives every entry a new stamp, so the number of the configuration comes first.
 *
 * @param configuration the number of the cache's configuration in which the change was made
 * @param stamp the stamp of the write, which is also that of {@link WriteOutcome.Applied}. In MWMR
 *     this is the ballot in which the write was first proposed
 */
public record ChangeStamp(long configuration, Stamp stamp) implements Comparable<ChangeStamp> {

  /** Below every change. */
  public static final ChangeStamp NONE = new ChangeStamp(0, Stamp.NONE);

  @Override
  public int compareTo(ChangeStamp other) {
    int byConfiguration = Long.compare(configuration, other.configuration);
    return byConfiguration != 0 ? byConfiguration : stamp.compareTo(other.stamp);
  }

  /** Whether this change comes after {@code other}. */
  public boolean isAfter(ChangeStamp other) {
    return compareTo(other) > 0;
  }

  @Override
  public String toString() {
    return configuration + ":" + stamp;
  }
}

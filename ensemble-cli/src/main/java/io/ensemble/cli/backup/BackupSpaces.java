package io.ensemble.cli.backup;

import io.ensemble.cli.backup.format.BackupException;
import io.ensemble.versioning.order.HybridTimes;
import io.ensemble.versioning.order.Timestamps;
import io.ensemble.versioning.order.VersionSpace;

/** The spaces of versions that can be copied, by their names. */
final class BackupSpaces {

  private static final String HYBRID_TIMES = new HybridTimes().name();
  private static final String TIMESTAMPS = new Timestamps().name();

  private BackupSpaces() {}

  /**
   * The space of that name.
   *
   * @throws BackupException if such versions cannot be copied; the message names the cache
   */
  static VersionSpace<?> space(String cache, String name) {
    if (name.equals(HYBRID_TIMES)) {
      return new HybridTimes();
    }
    if (name.equals(TIMESTAMPS)) {
      return new Timestamps(() -> 0); // Without a clock no number is too far ahead of it.
    }
    throw new BackupException(
        "versions must be %s or %s to be copied; got %s; versioned cache=%s"
            .formatted(HYBRID_TIMES, TIMESTAMPS, name, cache));
  }

  /** Whether a snapshot of about now blocks no writer that has a right clock. */
  static boolean followsClocks(String name) {
    return name.equals(HYBRID_TIMES);
  }
}

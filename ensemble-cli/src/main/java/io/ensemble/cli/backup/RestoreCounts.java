package io.ensemble.cli.backup;

import java.util.concurrent.atomic.AtomicLong;

/** Counts what a restore did with the records of a cache. Thread-safe. */
final class RestoreCounts {

  final AtomicLong written = new AtomicLong();

  /** Records that the cache has already. */
  final AtomicLong present = new AtomicLong();

  /** Records that were left out, because the cache has another value. */
  final AtomicLong skipped = new AtomicLong();

  /** Entries that have expired since the backup. */
  final AtomicLong expired = new AtomicLong();

  long total() {
    return written.get() + present.get() + skipped.get() + expired.get();
  }
}

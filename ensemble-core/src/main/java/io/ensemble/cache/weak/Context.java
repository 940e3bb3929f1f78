package io.ensemble.cache.weak;

import io.ensemble.Shortfall;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/** What all parts of one engine share. */
record Context(
    String cache,
    Scheduler scheduler,
    Stamps stamps,
    WeakOptions options,
    WeakMetrics metrics,
    SplittableRandom seeds) {

  Deadline in(Duration timeout) {
    return Deadline.after(timeout, scheduler);
  }

  /** No write may be under way longer than a tombstone outlives it. */
  Deadline bounded(Deadline deadline) {
    long latest = scheduler.nanos() + options.longestWrite().toNanos();
    return deadline.atNanos() - latest > 0 ? new Deadline(latest) : deadline;
  }

  /** Between half of {@code around} and one and a half times it. */
  long jittered(Duration around) {
    long nanos = Math.max(2, around.toNanos());
    synchronized (seeds) {
      return nanos / 2 + seeds.nextLong(nanos);
    }
  }

  long seed() {
    synchronized (seeds) {
      return seeds.nextLong();
    }
  }

  Shortfall shortfall(int needed, int sites, Set<String> heard, Map<String, String> silent) {
    return new Shortfall(needed, sites, heard, silent);
  }
}

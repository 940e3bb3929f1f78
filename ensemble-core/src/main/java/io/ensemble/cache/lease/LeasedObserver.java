package io.ensemble.cache.lease;

import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.StoreObserver;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Passes on the reports of a store only while its site is under lease, or once the configuration is
 * known not to have ended there. Otherwise an entry that is written to a store after the cache has
 * left it would count as a write of the cache. A report that cannot be confirmed counts as missing,
 * and so do reports beyond a number, or a number of bytes, that wait at the same time. Thread-safe.
 */
final class LeasedObserver implements StoreObserver {

  /** How many reports may wait for a confirmation. */
  static final int MOST_WAITING = 1_000;

  /** How many bytes of keys and values may wait, and one report more. */
  static final long MOST_WAITING_BYTES = 16L << 20;

  private static final Duration LONGEST = Duration.ofSeconds(5);

  private final StoreObserver observer;
  private final ConfigurationEndReader trust;
  private final int index;
  private final Scheduler scheduler;

  // Guarded by this object's lock.
  private final Deque<Report> waiting = new ArrayDeque<>();
  private long waitingBytes;
  private boolean isConfirming;

  private record Report(Bytes key, Bytes value) {

    long bytes() {
      return (long) key.size() + value.size();
    }
  }

  private enum Admission {
    READY,
    FIRST,
    BEHIND_OTHERS,
    TOO_MANY
  }

  /**
   * @param index the index of the site in the configuration
   */
  LeasedObserver(
      StoreObserver observer, ConfigurationEndReader trust, int index, Scheduler scheduler) {
    this.observer = observer;
    this.trust = trust;
    this.index = index;
    this.scheduler = scheduler;
  }

  @Override
  public void stored(Bytes key, Bytes value) {
    trust.use(index);
    switch (admit(key, value)) {
      case READY -> observer.stored(key, value);
      case FIRST ->
          trust
              .confirmed(index, Deadline.after(LONGEST, scheduler))
              .whenComplete((yes, failure) -> end(failure == null && yes));
      case BEHIND_OTHERS -> {}
      case TOO_MANY -> observer.interrupted();
    }
  }

  /** The reports keep their order, so one waits while an earlier one does. */
  private synchronized Admission admit(Bytes key, Bytes value) {
    if (!isConfirming && trust.mayAnswer(index)) {
      return Admission.READY;
    }
    if (waiting.size() >= MOST_WAITING || waitingBytes >= MOST_WAITING_BYTES) {
      return Admission.TOO_MANY;
    }
    Report report = new Report(key, value);
    waiting.add(report);
    waitingBytes += report.bytes();
    if (isConfirming) {
      return Admission.BEHIND_OTHERS;
    }
    isConfirming = true;
    return Admission.FIRST;
  }

  private void end(boolean isConfirmed) {
    if (!isConfirmed) {
      synchronized (this) {
        waiting.clear();
        waitingBytes = 0;
        isConfirming = false;
      }
      observer.interrupted();
      return;
    }
    for (Report next = next(); next != null; next = next()) {
      observer.stored(next.key(), next.value());
    }
  }

  private synchronized @Nullable Report next() {
    Report next = waiting.poll();
    isConfirming = next != null;
    waitingBytes -= next == null ? 0 : next.bytes();
    return next;
  }

  @Override
  public void interrupted() {
    observer.interrupted();
  }
}

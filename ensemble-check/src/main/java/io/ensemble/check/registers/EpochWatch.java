package io.ensemble.check.registers;

import io.ensemble.EnsembleException;
import io.ensemble.cache.BlockingCall;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.check.report.WindowLine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Polls the epoch of a cache, on a thread of its own, so that each increase is known to lie between
 * two moments.
 */
final class EpochWatch implements AutoCloseable {
  private static final long LOOK_MILLIS = 100;
  private static final Duration LONGEST_LAST_LOOK = Duration.ofSeconds(5);

  private final CountDownLatch stopping = new CountDownLatch(1);
  private final List<WindowLine.Epoch> changes = new ArrayList<>();
  private final @Nullable Thread thread;

  /** Creates a watch that has never seen a change. */
  private EpochWatch() {
    thread = null;
  }

  private EpochWatch(LongSupplier epochs, LongSupplier nanoClock) {
    thread = new Thread(() -> watch(epochs, nanoClock), "check-epochs");
    thread.setDaemon(true);
    thread.start();
  }

  /** A watch that does not poll. */
  static EpochWatch none() {
    return new EpochWatch();
  }

  /**
   * Polls from now on.
   *
   * @param epochs reads the epoch from the sites; throws an {@link EnsembleException} if too few
   *     answer, a {@link CatalogException} if the catalog does not
   */
  static EpochWatch of(LongSupplier epochs, LongSupplier nanoClock) {
    return new EpochWatch(epochs, nanoClock);
  }

  private void watch(LongSupplier epochs, LongSupplier nanoClock) {
    EpochPoll once = new EpochPoll(epochs, nanoClock);
    try {
      do {
        once.poll();
      } while (!stopping.await(LOOK_MILLIS, TimeUnit.MILLISECONDS));
      // The first read may share a request sent before the stop; the second cannot.
      for (int answers = 0; answers < 2; answers++) {
        if (BlockingCall.poll(() -> once.poll() ? Boolean.TRUE : null, LONGEST_LAST_LOOK) == null) {
          return;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Polls, and records changes. */
  private final class EpochPoll {
    private final LongSupplier epochs;
    private final LongSupplier nanoClock;
    private long epoch = 1;

    /** The beginning of the read before the last one; the last one may share an earlier request. */
    private long before;

    private long last;

    EpochPoll(LongSupplier epochs, LongSupplier nanoClock) {
      this.epochs = epochs;
      this.nanoClock = nanoClock;
      before = nanoClock.getAsLong();
      last = before;
    }

    /** Reads the epoch and records a change; false if the read failed. */
    boolean poll() {
      long asked = nanoClock.getAsLong();
      try {
        long now = epochs.getAsLong();
        if (now > epoch) {
          note(new WindowLine.Epoch(now, before, nanoClock.getAsLong()));
          epoch = now;
        }
        before = last;
        last = asked;
        return true;
      } catch (EnsembleException | CatalogException noAnswer) {
        return false;
      }
    }
  }

  private synchronized void note(WindowLine.Epoch change) {
    changes.add(change);
  }

  /** The changes seen so far. */
  synchronized List<WindowLine.Epoch> changes() {
    return List.copyOf(changes);
  }

  /**
   * Reads the epoch twice more and stops. A change before this call is then in {@link #changes()},
   * unless no read succeeds for 5 s.
   */
  @Override
  public void close() throws InterruptedException {
    stopping.countDown();
    if (thread != null) {
      thread.join();
    }
  }
}

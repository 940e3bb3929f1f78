package io.ensemble.site.hotrod;

import io.ensemble.schedule.Scheduler;
import java.time.Duration;

/**
 * Ends a blocking call that has no timeout of its own by interrupting its thread. A client that is
 * starting waits forever when its connection is reset during connection set-up.
 */
final class InterruptTimer {

  private final Thread thread = Thread.currentThread();

  // Both are guarded by this object's lock.
  private boolean over;
  private boolean struck;

  private InterruptTimer() {}

  /**
   * Runs {@code blocking} on this thread, for {@code longest} or a little more.
   *
   * @return whether it was interrupted for that; if not, it returned by itself
   * @throws RuntimeException the exception that it threw before its time was over
   */
  static boolean strikes(Runnable blocking, Duration longest, Scheduler scheduler) {
    InterruptTimer interruption = new InterruptTimer();
    Scheduler.Timer timer = scheduler.after(longest.toNanos(), interruption::strike);
    try {
      blocking.run();
    } catch (RuntimeException failure) {
      if (!interruption.end()) {
        throw failure;
      }
    } finally {
      timer.cancel();
    }
    return interruption.end();
  }

  private synchronized void strike() {
    if (!over) {
      struck = true;
      thread.interrupt();
    }
  }

  /** Ends the timer: no thread is interrupted after this, and no interrupt flag is left behind. */
  private synchronized boolean end() {
    if (!over && struck) {
      Thread.interrupted();
    }
    over = true;
    return struck;
  }
}

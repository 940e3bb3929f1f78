package io.ensemble.site.hotrod;

import io.ensemble.schedule.Scheduler;
import java.time.Duration;

/**
 * Ends a blocking call that knows no bound of its own by interrupting its thread: a client that
 * starts waits for ever when its connection is reset while it is being made.
 */
final class InterruptTimer {

  private final Thread thread = Thread.currentThread();

  // Both belong to this object's lock.
  private boolean over;
  private boolean struck;

  private InterruptTimer() {}

  /**
   * Runs {@code blocking} on this thread, for {@code longest} or a little more.
   *
   * @return whether it was interrupted for that; if not, it returned by itself
   * @throws RuntimeException what it threw before its time was over
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

  /** From here on nothing is interrupted any more, and no interruption is left behind. */
  private synchronized boolean end() {
    if (!over && struck) {
      Thread.interrupted();
    }
    over = true;
    return struck;
  }
}

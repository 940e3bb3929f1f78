package io.ensemble.cache.mwmr;

import io.ensemble.schedule.Scheduler;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one cache that wait for a time rather than for a response. Many wait for a moment
 * for the last site, after a majority has answered; they share one timer. A few wait for their next
 * attempt; closing ends these. Thread-safe; calls are run outside of the lock.
 */
final class WaitingCalls implements AutoCloseable {

  /** The round of a call that has not asked all sites yet. */
  private static final int OTHERS_NOT_ASKED = 0;

  /** A call that waits for slow sites, until it is released. */
  static final class WaitingCall {

    private volatile @Nullable RegisterExecution<?> call;
    private final int round;
    private final long untilNanos;

    WaitingCall(RegisterExecution<?> call, int round, long untilNanos) {
      this.call = call;
      this.round = round;
      this.untilNanos = untilNanos;
    }

    /** Releases the objects of an ended call before the waiting time is over. */
    void release() {
      call = null;
    }

    private boolean isReleased() {
      RegisterExecution<?> execution = call;
      return execution == null || execution.hasEnded();
    }

    private void fire() {
      RegisterExecution<?> execution = call;
      if (execution == null) {
        return;
      }
      if (round == OTHERS_NOT_ASKED) {
        execution.sendWithheld();
      } else {
        execution.hurry(round);
      }
    }
  }

  private final Scheduler scheduler;
  private final WaitPolicy waitPolicy;

  // The fields below are guarded by this object's lock.
  private final PriorityQueue<WaitingCall> queue =
      new PriorityQueue<>((first, second) -> Long.signum(first.untilNanos - second.untilNanos));
  private final Set<RegisterExecution<?>> paused = new HashSet<>();
  private Scheduler.@Nullable Timer timer;
  private long timerUntilNanos;
  private boolean closed;

  WaitingCalls(Scheduler scheduler, WaitPolicy waitPolicy) {
    this.scheduler = scheduler;
    this.waitPolicy = waitPolicy;
  }

  /** Hurries {@code call} after a while, if it is still in that round then. */
  void scheduleHurry(RegisterExecution<?> call, int round) {
    add(call, round, waitPolicy.patienceNanos());
  }

  /** After {@code nanos}, makes {@code call} ask the sites that it has not asked. */
  WaitingCall scheduleWithheld(RegisterExecution<?> call, long nanos) {
    return add(call, OTHERS_NOT_ASKED, nanos);
  }

  private synchronized WaitingCall add(RegisterExecution<?> call, int round, long nanos) {
    long now = scheduler.nanos();
    WaitingCall waitingCall = new WaitingCall(call, round, now + nanos);
    removeReleased();
    queue.add(waitingCall);
    if (timer == null || waitingCall.untilNanos - timerUntilNanos < 0) {
      startTimer(now);
    }
    return waitingCall;
  }

  /**
   * Sets the timer for the first call that still waits. So the timer fires once in the length of a
   * wait, not once a call.
   */
  private void startTimer(long now) {
    removeReleased();
    if (timer != null) {
      timer.cancel();
    }
    WaitingCall first = queue.peek();
    if (first == null) {
      timer = null;
    } else {
      timerUntilNanos = first.untilNanos;
      timer = scheduler.after(Math.max(0, first.untilNanos - now), this::fireDue);
    }
  }

  private void removeReleased() {
    while (!queue.isEmpty() && queue.peek().isReleased()) {
      queue.remove();
    }
  }

  private void fireDue() {
    List<WaitingCall> due = new ArrayList<>();
    synchronized (this) {
      long now = scheduler.nanos();
      while (!queue.isEmpty() && queue.peek().untilNanos - now <= 0) {
        due.add(queue.remove());
      }
      startTimer(now);
    }
    due.forEach(WaitingCall::fire);
  }

  /** Resumes {@code call} after {@code nanos}; false when closed. */
  boolean scheduleResume(RegisterExecution<?> call, long nanos) {
    synchronized (this) {
      if (closed) {
        return false;
      }
      paused.add(call);
    }
    scheduler.after(
        nanos,
        () -> {
          if (removePaused(call)) {
            call.resume();
          }
        });
    return true;
  }

  private synchronized boolean removePaused(RegisterExecution<?> call) {
    return paused.remove(call);
  }

  /** How many calls wait. */
  synchronized int size() {
    removeReleased();
    return queue.size() + paused.size();
  }

  @Override
  public void close() {
    List<RegisterExecution<?>> pausedCalls;
    synchronized (this) {
      closed = true;
      pausedCalls = List.copyOf(paused);
      paused.clear();
    }
    pausedCalls.forEach(RegisterExecution::expire);
  }
}

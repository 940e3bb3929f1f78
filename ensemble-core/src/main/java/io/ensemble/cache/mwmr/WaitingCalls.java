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
  static final class Waiting {

    private volatile @Nullable RegisterExecution<?> call;
    private final int round;
    private final long untilNanos;

    Waiting(RegisterExecution<?> call, int round, long untilNanos) {
      this.call = call;
      this.round = round;
      this.untilNanos = untilNanos;
    }

    /** Releases the objects of an ended call before the waiting time is over. */
    void release() {
      call = null;
    }

    private boolean isOver() {
      RegisterExecution<?> waits = call;
      return waits == null || waits.hasEnded();
    }

    private void end() {
      RegisterExecution<?> waits = call;
      if (waits == null) {
        return;
      }
      if (round == OTHERS_NOT_ASKED) {
        waits.askOthers();
      } else {
        waits.hurry(round);
      }
    }
  }

  private final Scheduler scheduler;
  private final WaitPolicy waitPolicy;

  // The fields below are guarded by this object's lock.
  private final PriorityQueue<Waiting> patients =
      new PriorityQueue<>((one, other) -> Long.signum(one.untilNanos - other.untilNanos));
  private final Set<RegisterExecution<?>> paused = new HashSet<>();
  private Scheduler.@Nullable Timer timer;
  private long armedUntilNanos;
  private boolean closed;

  WaitingCalls(Scheduler scheduler, WaitPolicy waitPolicy) {
    this.scheduler = scheduler;
    this.waitPolicy = waitPolicy;
  }

  /** Hurries {@code call} after a while, if it is still in that round then. */
  void beforeHurrying(RegisterExecution<?> call, int round) {
    add(call, round, waitPolicy.patienceNanos());
  }

  /** After {@code nanos}, makes {@code call} ask the sites that it has not asked. */
  Waiting beforeAskingOthers(RegisterExecution<?> call, long nanos) {
    return add(call, OTHERS_NOT_ASKED, nanos);
  }

  private synchronized Waiting add(RegisterExecution<?> call, int round, long nanos) {
    long now = scheduler.nanos();
    Waiting waiting = new Waiting(call, round, now + nanos);
    removeThoseOver();
    patients.add(waiting);
    if (timer == null || waiting.untilNanos - armedUntilNanos < 0) {
      arm(now);
    }
    return waiting;
  }

  /**
   * Sets the timer for the first call that still waits. So the timer fires once in the length of a
   * wait, not once a call.
   */
  private void arm(long now) {
    removeThoseOver();
    if (timer != null) {
      timer.cancel();
    }
    Waiting first = patients.peek();
    if (first == null) {
      timer = null;
    } else {
      armedUntilNanos = first.untilNanos;
      timer = scheduler.after(Math.max(0, first.untilNanos - now), this::endThoseDue);
    }
  }

  private void removeThoseOver() {
    while (!patients.isEmpty() && patients.peek().isOver()) {
      patients.remove();
    }
  }

  private void endThoseDue() {
    List<Waiting> due = new ArrayList<>();
    synchronized (this) {
      long now = scheduler.nanos();
      while (!patients.isEmpty() && patients.peek().untilNanos - now <= 0) {
        due.add(patients.remove());
      }
      arm(now);
    }
    due.forEach(Waiting::end);
  }

  /** Resumes {@code call} after {@code nanos}; false when closed. */
  boolean beforeNextAttempt(RegisterExecution<?> call, long nanos) {
    synchronized (this) {
      if (closed) {
        return false;
      }
      paused.add(call);
    }
    scheduler.after(
        nanos,
        () -> {
          if (leave(call)) {
            call.resume();
          }
        });
    return true;
  }

  private synchronized boolean leave(RegisterExecution<?> call) {
    return paused.remove(call);
  }

  /** How many calls wait. */
  synchronized int size() {
    removeThoseOver();
    return patients.size() + paused.size();
  }

  @Override
  public void close() {
    List<RegisterExecution<?>> ending;
    synchronized (this) {
      closed = true;
      ending = List.copyOf(paused);
      paused.clear();
    }
    ending.forEach(RegisterExecution::expire);
  }
}

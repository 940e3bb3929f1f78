package io.ensemble.cache.mwmr;

import io.ensemble.schedule.Scheduler;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one cache that wait for something else than an answer: for the last site when a
 * majority has answered, which many do for a moment and share one timer; or for their next attempt,
 * which few do. Closing ends the latter. Thread-safe; calls are called outside of the lock.
 */
final class Waits implements AutoCloseable {

  private record Patient(RegisterCall<?> call, int round, long untilNanos) {}

  private final Scheduler scheduler;
  private final Pace pace;

  // All below belongs to this object's lock.
  private final ArrayDeque<Patient> patients = new ArrayDeque<>();
  private final Set<RegisterCall<?>> paused = new HashSet<>();
  private Scheduler.@Nullable Timer timer;
  private boolean closed;

  Waits(Scheduler scheduler, Pace pace) {
    this.scheduler = scheduler;
    this.pace = pace;
  }

  /** Hurries {@code call} after a while, if it is still in that round then. */
  synchronized void beforeHurrying(RegisterCall<?> call, int round) {
    long now = scheduler.nanos();
    patients.add(new Patient(call, round, now + pace.patienceNanos()));
    if (timer == null) {
      arm(now);
    }
  }

  /**
   * For the first in line that still waits: so the timer fires once in a patience's length and not
   * once a call. The next one was told to wait about as long, and may wait a little more.
   */
  private void arm(long now) {
    Patient first = patients.peek();
    while (first != null && first.call().hasEnded()) {
      patients.remove();
      first = patients.peek();
    }
    timer =
        first == null
            ? null
            : scheduler.after(Math.max(0, first.untilNanos() - now), this::hurryThoseDue);
  }

  private void hurryThoseDue() {
    List<Patient> due = new ArrayList<>();
    synchronized (this) {
      long now = scheduler.nanos();
      while (!patients.isEmpty() && patients.peek().untilNanos() - now <= 0) {
        due.add(patients.remove());
      }
      arm(now);
    }
    due.forEach(patient -> patient.call().hurry(patient.round()));
  }

  /** Lets {@code call} go on after {@code nanos}; false when nothing goes on any more. */
  boolean beforeNextAttempt(RegisterCall<?> call, long nanos) {
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

  private synchronized boolean leave(RegisterCall<?> call) {
    return paused.remove(call);
  }

  /** How many calls wait. */
  synchronized int size() {
    return patients.size() + paused.size();
  }

  @Override
  public void close() {
    List<RegisterCall<?>> ending;
    synchronized (this) {
      closed = true;
      ending = List.copyOf(paused);
      paused.clear();
    }
    ending.forEach(RegisterCall::expire);
  }
}

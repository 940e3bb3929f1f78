package io.ensemble.simulation;

import io.ensemble.simulation.SimScheduler.RunEnd;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The pending events, and the virtual time. Events run in the order of their times; the seed orders
 * those of the same time. Used by one thread, the first that calls it: a second thread would bring
 * in an order that no seed decides.
 */
final class EventQueue {

  /**
   * More than any sensible simulation has pending; a loop that schedules without end reaches it.
   */
  private static final int MOST_PENDING = 1_000_000;

  private final long seed;
  private final SplittableRandom ties;
  private final TreeSet<Event> events = new TreeSet<>();
  private long nanos;
  private long sequence;
  private long steps;
  private boolean running;
  private @Nullable Thread owner;

  EventQueue(long seed) {
    this.seed = seed;
    // A random stream that differs from those that SimFederation draws from the same seed.
    ties = new SplittableRandom(seed ^ 0x5eed_71e5L);
  }

  /** A task at a time; {@code tie} and then {@code sequence} order those of the same time. */
  record Event(long atNanos, long tie, long sequence, SimScheduler by, Runnable task)
      implements Comparable<Event> {

    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(atNanos, other.atNanos);
      int byTie = byTime != 0 ? byTime : Long.compare(tie, other.tie);
      return byTie != 0 ? byTie : Long.compare(sequence, other.sequence);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Event event && event.sequence == sequence;
    }

    @Override
    public int hashCode() {
      return Long.hashCode(sequence);
    }
  }

  long seed() {
    return seed;
  }

  long nanos() {
    return nanos;
  }

  long steps() {
    return steps;
  }

  Event add(long delayNanos, SimScheduler by, Runnable task) {
    refuseOtherThreads();
    if (events.size() >= MOST_PENDING) {
      throw new SimulationException("over " + MOST_PENDING + " events are pending", seed, nanos);
    }
    long at = nanos + Math.max(0, Math.min(delayNanos, Long.MAX_VALUE - nanos));
    Event event = new Event(at, ties.nextLong(), sequence++, by, task);
    events.add(event);
    return event;
  }

  void cancel(Event event) {
    refuseOtherThreads();
    events.remove(event);
  }

  RunEnd run(BooleanSupplier until, long limitNanos, long maxSteps) {
    refuseOtherThreads();
    if (running) {
      throw new IllegalStateException("the simulation is running: a task may not run it");
    }
    long endNanos = nanos + Math.min(limitNanos, Long.MAX_VALUE - nanos);
    running = true;
    try {
      for (long left = maxSteps; !until.getAsBoolean(); left--) {
        if (events.isEmpty()) {
          return RunEnd.IDLE;
        }
        if (events.first().atNanos() > endNanos) {
          nanos = endNanos;
          return RunEnd.TIME;
        }
        if (left == 0) {
          return RunEnd.STEPS;
        }
        execute(events.pollFirst());
      }
      return RunEnd.DONE;
    } finally {
      running = false;
    }
  }

  private void execute(Event event) {
    nanos = event.atNanos();
    steps++;
    if (event.by().isStopped() || event.by().postpones(event)) {
      return;
    }
    try {
      event.task().run();
    } catch (SimulationException e) {
      throw e;
    } catch (RuntimeException | Error e) {
      throw new SimulationException(
          "a task of " + event.by().name() + " failed: " + e, seed, nanos, e);
    }
  }

  private void refuseOtherThreads() {
    Thread current = Thread.currentThread();
    if (owner == null) {
      owner = current;
    } else if (owner != current) {
      throw new IllegalStateException(
          "a simulation has one thread; expected=" + owner.getName() + " got=" + current.getName());
    }
  }
}

package io.ensemble.testkit.sim;

import io.ensemble.schedule.Scheduler;
import io.ensemble.testkit.sim.EventQueue.Event;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

/**
 * A virtual clock and what happens on it. Nothing happens until {@link #run} is called; then tasks
 * run on the caller's thread in the order of their times, and in an order that the seed decides
 * when their times are equal, also those given to {@link #execute}. Time passes only between tasks.
 *
 * <p>Clients have views of one queue: {@link #client} makes one, which can be {@link #stop
 * stopped}, and {@link #withSkew} one whose wall clock goes wrong. One thread only; calls by
 * another are refused with {@link IllegalStateException}.
 */
public final class SimScheduler implements Scheduler {

  /** The wall clock at virtual time zero, in microseconds since 1970: 2026-01-01. */
  public static final long EPOCH_MICROS = 1_767_225_600_000_000L;

  /** Why {@link #run} returned. */
  public enum Ended {
    /** The condition holds. */
    DONE,
    /** The condition does not hold, and nothing is left to happen. */
    IDLE,
    /** The virtual time allowed has passed. */
    TIME,
    /** The tasks allowed have run. */
    STEPS
  }

  /** What views of one client share: they stop together. */
  private static final class Life {
    final String name;
    final Set<Event> due = new LinkedHashSet<>();
    boolean stopped;
    boolean asleep;

    Life(String name) {
      this.name = name;
    }
  }

  private final EventQueue queue;
  private final Life life;
  private final long skewMicros;

  private SimScheduler(EventQueue queue, Life life, long skewMicros) {
    this.queue = queue;
    this.life = life;
    this.skewMicros = skewMicros;
  }

  /** A scheduler of its own, at virtual time zero. */
  public static SimScheduler ofSeed(long seed) {
    return new SimScheduler(new EventQueue(seed), new Life("simulation"), 0);
  }

  /** A view of the same queue that can be stopped by itself. */
  public SimScheduler client(String name) {
    return new SimScheduler(queue, new Life(name), skewMicros);
  }

  /** The same view with a wall clock that is ahead of the true one by {@code micros}. */
  public SimScheduler withSkew(long micros) {
    return new SimScheduler(queue, life, micros);
  }

  /** Who runs by this view. */
  public String name() {
    return life.name;
  }

  /** Ends a client as a crash does: none of its tasks runs any more. */
  public void stop() {
    life.stopped = true;
  }

  /**
   * Stops a client for a while, as a suspended process is stopped: time passes, and what falls due
   * waits until it {@linkplain #wake wakes}.
   */
  public void suspend() {
    life.asleep = true;
  }

  /** Goes on after {@link #suspend}: what has fallen due happens now, in its order. */
  public void wake() {
    life.asleep = false;
    for (Event event : List.copyOf(life.due)) {
      queue.add(
          0,
          this,
          () -> {
            if (life.due.remove(event)) {
              event.task().run();
            }
          });
    }
  }

  /** Whether the client sleeps, and the event was taken to wait for its waking. */
  boolean postpones(Event event) {
    return life.asleep && life.due.add(event);
  }

  /** Whether it was stopped. */
  public boolean isStopped() {
    return life.stopped;
  }

  /** The seed. */
  public long seed() {
    return queue.seed();
  }

  /** How many tasks have run. */
  public long steps() {
    return queue.steps();
  }

  @Override
  public long nanos() {
    return queue.nanos();
  }

  @Override
  public long epochMicros() {
    return EPOCH_MICROS + queue.nanos() / 1_000 + skewMicros;
  }

  /**
   * At once: the network hands answers over as tasks of this queue, so they are where they belong.
   */
  @Override
  public Executor answers() {
    return Runnable::run;
  }

  @Override
  public void execute(Runnable task) {
    queue.add(0, this, task);
  }

  @Override
  public Timer after(long delayNanos, Runnable task) {
    Event event = queue.add(delayNanos, this, task);
    return () -> {
      queue.cancel(event);
      life.due.remove(event);
    };
  }

  /**
   * Lets things happen until {@code until} holds, which is looked at before every task, or a limit
   * is met. May be called again to go on.
   *
   * @param limit how much virtual time may pass; when it ends by this, exactly that much has passed
   * @param maxSteps how many tasks may run
   * @throws SimulationException with the seed, when a task throws
   * @throws IllegalStateException when a task calls it
   */
  public Ended run(BooleanSupplier until, Duration limit, long maxSteps) {
    return queue.run(until, limit.toNanos(), maxSteps);
  }

  /** Lets {@code time} pass, and no more than {@code maxSteps} tasks run. */
  public Ended run(Duration time, long maxSteps) {
    return run(() -> false, time, maxSteps);
  }
}

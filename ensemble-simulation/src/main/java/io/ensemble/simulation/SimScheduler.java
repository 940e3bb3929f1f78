package io.ensemble.simulation;

import io.ensemble.schedule.Scheduler;
import io.ensemble.simulation.EventQueue.Event;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;

/**
 * A virtual clock and its events. Events run only inside {@link #run}. Tasks then run on the
 * caller's thread in the order of their times. The seed decides the order of tasks of the same
 * time, including those given to {@link #execute}. Time passes only between tasks.
 *
 * <p>Clients have views of one queue: {@link #client} makes a view, which can be {@link #stop
 * stopped}, and {@link #withSkew} a view whose wall clock is wrong. One thread only; calls by
 * another thread are refused with {@link IllegalStateException}.
 */
public final class SimScheduler implements Scheduler {

  /** The wall clock at virtual time zero, in microseconds since 1970: 2026-01-01. */
  public static final long EPOCH_MICROS = 1_767_225_600_000_000L;

  /** The reason why {@link #run} returned. */
  public enum RunEnd {
    /** The condition holds. */
    DONE,
    /** The condition does not hold, and no event is pending. */
    IDLE,
    /** The allowed virtual time has passed. */
    TIME,
    /** The allowed number of tasks has run. */
    STEPS
  }

  /** The shared state of the views of one client: they stop together. */
  private static final class ClientLife {
    final String name;
    final Set<Event> due = new LinkedHashSet<>();
    boolean stopped;
    boolean asleep;

    ClientLife(String name) {
      this.name = name;
    }
  }

  private final EventQueue queue;
  private final ClientLife life;
  private final long skewMicros;

  private SimScheduler(EventQueue queue, ClientLife life, long skewMicros) {
    this.queue = queue;
    this.life = life;
    this.skewMicros = skewMicros;
  }

  /** A new scheduler, at virtual time zero. */
  public static SimScheduler ofSeed(long seed) {
    return new SimScheduler(new EventQueue(seed), new ClientLife("simulation"), 0);
  }

  /** A view of the same queue that can be stopped separately. */
  public SimScheduler client(String name) {
    return new SimScheduler(queue, new ClientLife(name), skewMicros);
  }

  /** The same view with a wall clock that is ahead of the true one by {@code micros}. */
  public SimScheduler withSkew(long micros) {
    return new SimScheduler(queue, life, micros);
  }

  /** The name of the client of this view. */
  public String name() {
    return life.name;
  }

  /** Ends a client as a crash does: none of its tasks runs any more. */
  public void stop() {
    life.stopped = true;
  }

  /**
   * Suspends a client, as a process is suspended: time passes, and due tasks wait until it
   * {@linkplain #wake wakes}.
   */
  public void suspend() {
    life.asleep = true;
  }

  /** Resumes after {@link #suspend}: tasks that have become due run now, in their order. */
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

  /** Whether the client is suspended; the event then waits until it wakes. */
  boolean postpones(Event event) {
    return life.asleep && life.due.add(event);
  }

  /** Whether the client was stopped. */
  public boolean isStopped() {
    return life.stopped;
  }

  /** The seed. */
  public long seed() {
    return queue.seed();
  }

  /** The number of tasks that have run. */
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
   * Immediately: the network delivers responses as tasks of this queue, so the present thread is
   * the right one.
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
   * Runs events until {@code until} holds or a limit is reached. The condition is checked before
   * every task. May be called again to continue.
   *
   * @param limit the maximum virtual time; when it ends the run, exactly that much time has passed
   * @param maxSteps the maximum number of tasks
   * @throws SimulationException with the seed, when a task throws
   * @throws IllegalStateException when a task calls it
   */
  public RunEnd run(BooleanSupplier until, Duration limit, long maxSteps) {
    return queue.run(until, limit.toNanos(), maxSteps);
  }

  /** Runs the events of the next {@code time}, at most {@code maxSteps} tasks. */
  public RunEnd run(Duration time, long maxSteps) {
    return run(() -> false, time, maxSteps);
  }
}

package io.ensemble.objects.sync;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.ReportTest;
import io.ensemble.objects.sync.link.LeaseClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Time that a test advances. Each process has its own view, which a test can end: none of the
 * process's alarms runs then, as if it had died.
 */
final class ManualClock {

  private static final Duration STEP = Duration.ofMillis(50);

  private record Alarm(long at, Runnable task) {}

  private final Runnable settle;
  private final List<Alarm> alarms = new ArrayList<>();
  private long now = 1_000;

  /**
   * A clock at its start.
   *
   * @param settle waits until all started tasks have ended or wait for time to pass
   */
  ManualClock(Runnable settle) {
    this.settle = settle;
  }

  synchronized long now() {
    return now;
  }

  private synchronized void plan(Alarm alarm) {
    alarms.add(alarm);
  }

  private synchronized void callOff(Alarm alarm) {
    alarms.remove(alarm);
  }

  private synchronized List<Alarm> due(Duration passed) {
    now += passed.toNanos();
    List<Alarm> due = alarms.stream().filter(a -> a.at <= now).toList();
    alarms.removeAll(due);
    return due;
  }

  /** The number of alarms of live processes. */
  synchronized int alarms() {
    return alarms.size();
  }

  /** Advances the time in one step and runs the alarms, without waiting for their effects. */
  void leap(Duration time) {
    due(time).forEach(a -> a.task.run());
  }

  /** Advances the time in small steps, and waits for the effects of each. */
  void pass(Duration time) {
    for (Duration left = time; !left.isNegative() && !left.isZero(); left = left.minus(STEP)) {
      settle.run();
      leap(STEP);
    }
    settle.run();
  }

  /** Advances the time until the stage has completed, and returns its result. */
  <T> T passUntil(CompletionStage<T> stage) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    long until = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (!future.isDone() && System.nanoTime() < until) {
      pass(STEP);
    }
    return future.getNow(null);
  }

  /** The view of one process. */
  final class View implements LeaseClock {

    private final AtomicObjectFactory factory;
    private volatile boolean dead;

    View(AtomicObjectFactory factory) {
      this.factory = factory;
    }

    void die() {
      dead = true;
    }

    @Override
    public long nanos() {
      return now();
    }

    @Override
    public Runnable after(long nanos, Runnable task) {
      Function<Runnable, Runnable> alive =
          r ->
              () -> {
                if (!dead) {
                  r.run();
                }
              };
      Runnable handed =
          alive.apply(() -> factory.clockwork().executor().execute(alive.apply(task)));
      if (nanos <= 0) {
        handed.run();
        return () -> {};
      }
      Alarm alarm = new Alarm(now() + nanos, handed);
      plan(alarm);
      return () -> callOff(alarm);
    }

    @Override
    public <S> CompletionStage<Void> changed(S proxy, long nanos, ReportTest<? super S> matters) {
      CompletableFuture<Void> changed = new CompletableFuture<>();
      Runnable off = after(nanos, () -> changed.complete(null));
      factory
          .changed(proxy, Duration.ofSeconds(60), matters)
          .whenComplete(
              (done, closed) -> {
                off.run();
                if (dead) {
                  return;
                }
                if (closed == null) {
                  changed.complete(null);
                } else {
                  changed.completeExceptionally(closed);
                }
              });
      return changed;
    }
  }
}

package io.ensemble.objects;

import io.ensemble.schedule.Scheduler;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** The timer of a factory, in the virtual time of a scheduler. */
final class VirtualTimer extends AbstractExecutorService implements ScheduledExecutorService {

  private final Scheduler scheduler;

  VirtualTimer(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  private static final class Alarm<V> extends FutureTask<V> implements ScheduledFuture<V> {

    Alarm(Callable<V> task) {
      super(task);
    }

    @Override
    public long getDelay(TimeUnit unit) {
      throw new UnsupportedOperationException();
    }

    @Override
    public int compareTo(Delayed other) {
      throw new UnsupportedOperationException();
    }
  }

  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
    Alarm<V> alarm = new Alarm<>(task);
    scheduler.after(unit.toNanos(delay), alarm);
    return alarm;
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
    return schedule(
        () -> {
          task.run();
          return null;
        },
        delay,
        unit);
  }

  @Override
  public void execute(Runnable task) {
    scheduler.execute(task);
  }

  @Override
  public ScheduledFuture<?> scheduleAtFixedRate(
      Runnable task, long first, long period, TimeUnit unit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable task, long first, long delay, TimeUnit unit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void shutdown() {}

  @Override
  public List<Runnable> shutdownNow() {
    return List.of();
  }

  @Override
  public boolean isShutdown() {
    return false;
  }

  @Override
  public boolean isTerminated() {
    return false;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return true;
  }
}

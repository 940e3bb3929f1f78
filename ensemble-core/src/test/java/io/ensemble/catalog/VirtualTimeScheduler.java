package io.ensemble.catalog;

import io.ensemble.schedule.Scheduler;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;

/** A scheduler whose time stands until it is advanced; everything runs on the caller's thread. */
public final class VirtualTimeScheduler implements Scheduler {

  private record Due(long atNanos, long order, Runnable task) {}

  private final Queue<Runnable> ready = new ArrayDeque<>();
  private final Set<Due> later =
      new TreeSet<>(Comparator.comparingLong(Due::atNanos).thenComparingLong(Due::order));
  private long nanos;
  private long orders;
  private boolean running;

  @Override
  public Executor answers() {
    return Runnable::run;
  }

  @Override
  public void execute(Runnable task) {
    ready.add(task);
    if (!running) {
      running = true;
      Runnable next;
      while ((next = ready.poll()) != null) {
        next.run();
      }
      running = false;
    }
  }

  @Override
  public long nanos() {
    return nanos;
  }

  @Override
  public long epochMicros() {
    return nanos / 1000;
  }

  @Override
  public Timer after(long delayNanos, Runnable task) {
    Due due = new Due(nanos + delayNanos, orders++, task);
    later.add(due);
    return () -> later.remove(due);
  }

  public void advance(Duration time) {
    long end = nanos + time.toNanos();
    Optional<Due> next;
    while ((next = later.stream().findFirst().filter(due -> due.atNanos() <= end)).isPresent()) {
      later.remove(next.get());
      nanos = next.get().atNanos();
      execute(next.get().task());
    }
    nanos = end;
  }

  public int timers() {
    return later.size();
  }
}

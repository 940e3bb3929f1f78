package io.ensemble.objects.sync;

import io.ensemble.objects.CallPosition;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.Function;
import java.util.function.Predicate;

/** Simulates one object in virtual time, on one thread. The seed determines the order of events. */
final class ObjectSimulation<S> {

  private record Event(long at, long number, Runnable task) {}

  private record Watcher<S>(Predicate<? super S> matters, Runnable task) {}

  final Random random;
  final S state;
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(
          (a, b) -> a.at != b.at ? Long.compare(a.at, b.at) : Long.compare(a.number, b.number));
  private final List<Watcher<S>> watchers = new ArrayList<>();
  private long now;
  private long numbers;
  private long position;

  /** The percentage of calls and events that suffer faults. */
  int faults;

  ObjectSimulation(long seed, S state) {
    this.random = new Random(seed);
    this.state = state;
  }

  long now() {
    return now;
  }

  boolean goesWrong() {
    return random.nextInt(100) < faults;
  }

  void after(long nanos, Runnable task) {
    events.add(new Event(now + Math.max(0, nanos), numbers++, task));
  }

  /** Runs the next event; returns false if there is none. */
  boolean step() {
    Event next = events.poll();
    if (next == null) {
      return false;
    }
    now = next.at;
    next.task.run();
    return true;
  }

  <R> R apply(Function<? super S, ? extends R> call) {
    R result = CallPosition.as(++position, () -> call.apply(state));
    List<Watcher<S>> told =
        watchers.stream().filter(w -> w.matters.test(state) || goesWrong()).toList();
    watchers.removeAll(told);
    told.forEach(w -> w.task.run());
    return result;
  }

  /** Runs {@code task} once, when the state after a call matters, or sometimes without reason. */
  void watch(Predicate<? super S> matters, Runnable task) {
    watchers.add(new Watcher<>(matters, task));
  }
}

package io.ensemble.benchmarks.objects;

import io.ensemble.benchmarks.measure.Effort;
import io.ensemble.benchmarks.measure.Latencies;
import io.ensemble.benchmarks.measure.Spread;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * Measures contestants in turns, a slice of each, the order changing from round to round, for each
 * distance and each size of the crowd.
 */
final class Tournament {

  /**
   * How one of them did.
   *
   * @param size clients, or arrivals a second
   * @param processes that had clients
   * @param threads that those processes had, all of them, at most
   * @param perSecond the median of the rounds
   * @param ratio the first contestant's rate to this one's, round by round
   * @param notBegun arrivals for which there was no room
   */
  public record Line(
      String contestant,
      int oneWayMillis,
      int size,
      int processes,
      int threads,
      double perSecond,
      Spread ratio,
      Latencies latencies,
      long notBegun) {}

  /** What a task looks like for a size; clients and distance are filled in. */
  interface Tasks {
    Task task(Contestant contestant, int size, int round);
  }

  private static final int WARM_UPS = 3;

  private final Effort effort;
  private final Grounds grounds;
  private final List<Contestant> contestants;
  private final Tasks tasks;

  private Tournament(Effort effort, Grounds grounds, List<Contestant> contestants, Tasks tasks) {
    this.effort = effort;
    this.grounds = grounds;
    this.contestants = contestants;
    this.tasks = tasks;
  }

  /**
   * Starts servers and clients, measures and stops them.
   *
   * @param sizes of the crowd
   * @param clients how many clients a size has
   */
  static List<Line> lines(
      Effort effort,
      List<Contestant> contestants,
      Tasks tasks,
      List<Integer> sizes,
      IntUnaryOperator clients) {
    try (Grounds grounds = new Grounds(effort)) {
      return new Tournament(effort, grounds, contestants, tasks).run(sizes, clients);
    }
  }

  /**
   * Runs it.
   *
   * @param sizes of the crowd
   * @param clients how many clients a size has
   */
  private List<Line> run(List<Integer> sizes, IntUnaryOperator clients) {
    int largest = sizes.stream().mapToInt(Integer::intValue).max().orElseThrow();
    for (int round = 0; round < WARM_UPS; round++) {
      turns(largest, clients.applyAsInt(largest), round);
    }
    List<Line> lines = new ArrayList<>();
    for (int oneWay : effort.crowd().oneWayMillis()) {
      grounds.delay(Duration.ofMillis(oneWay));
      for (int size : sizes) {
        effort.say("%d ms one way, size %d", oneWay, size);
        lines.addAll(measured(oneWay, size, clients.applyAsInt(size)));
      }
    }
    grounds.delay(Duration.ZERO);
    return lines;
  }

  private List<Line> measured(int oneWay, int size, int clients) {
    Map<Contestant, List<Slice>> slices = new EnumMap<>(Contestant.class);
    for (int round = 0; round < effort.crowd().rounds(); round++) {
      turns(size, clients, round)
          .forEach((c, slice) -> slices.computeIfAbsent(c, x -> new ArrayList<>()).add(slice));
    }
    List<Slice> first = slices.getOrDefault(contestants.get(0), List.of());
    return contestants.stream()
        .map(c -> line(c, oneWay, size, first, slices.getOrDefault(c, List.of())))
        .toList();
  }

  private Map<Contestant, Slice> turns(int size, int clients, int round) {
    Map<Contestant, Slice> slices = new EnumMap<>(Contestant.class);
    for (int turn = 0; turn < contestants.size(); turn++) {
      int at = round % 2 == 0 ? turn : contestants.size() - 1 - turn;
      Contestant contestant = contestants.get(at);
      slices.put(contestant, slice(tasks.task(contestant, size, round), clients));
    }
    return slices;
  }

  private Slice slice(Task task, int clients) {
    List<List<Integer>> shared = effort.crowd().shared(clients);
    List<Task> each =
        IntStream.range(0, shared.size())
            .mapToObj(i -> task.of(shared.get(i), shared.size(), i))
            .toList();
    List<Report> opened = told(Task.Kind.OPEN, each);
    List<Report> ran = told(Task.Kind.RUN, each);
    List<Report> closed = told(Task.Kind.CLOSE, each);
    return Slice.of(task, opened, ran, closed);
  }

  private List<Report> told(Task.Kind kind, List<Task> tasksOfEach) {
    return Worker.all(grounds.workers(), tasksOfEach.stream().map(t -> t.of(kind)).toList());
  }

  private static Line line(
      Contestant contestant, int oneWay, int size, List<Slice> first, List<Slice> slices) {
    Histogram all = new Histogram(3);
    slices.forEach(slice -> all.add(slice.latencies()));
    List<Double> ratios =
        IntStream.range(0, slices.size())
            .mapToObj(i -> first.get(i).perSecond() / slices.get(i).perSecond())
            .toList();
    return new Line(
        contestant.title(),
        oneWay,
        size,
        slices.get(0).threads().size(),
        slices.stream()
            .mapToInt(s -> s.threads().stream().mapToInt(Integer::intValue).sum())
            .max()
            .orElse(0),
        Spread.of(slices.stream().map(Slice::perSecond).toList()).median(),
        Spread.of(ratios),
        Latencies.of(all),
        slices.stream().mapToLong(Slice::notBegun).sum());
  }
}

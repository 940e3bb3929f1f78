package io.ensemble.benchmarks.objects;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.Latencies;
import io.ensemble.benchmarks.contest.RatioSpread;
import io.ensemble.benchmarks.objects.worker.Contestant;
import io.ensemble.benchmarks.objects.worker.WorkerProcess;
import io.ensemble.benchmarks.objects.worker.WorkerReport;
import io.ensemble.benchmarks.objects.worker.WorkerTask;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;

/**
 * Measures contestants in turns, a slice of each, in an order that changes from round to round, for
 * each distance and each number of clients or arrivals.
 */
final class ObjectContest {

  /**
   * The performance of one contestant.
   *
   * @param size the number of clients, or of arrivals per second
   * @param processes the number of processes with clients
   * @param threads the maximum number of threads of all these processes together
   * @param perSecond the median of the rounds
   * @param ratio the first contestant's rate to this one's, round by round
   * @param notBegun arrivals that were dropped because too many operations were under way
   */
  public record Line(
      String contestant,
      int oneWayMillis,
      int size,
      int processes,
      int threads,
      double perSecond,
      RatioSpread ratio,
      Latencies latencies,
      long notBegun) {}

  /** Makes the task for a size, to which clients and distance are added. */
  interface TaskFactory {
    WorkerTask task(Contestant contestant, int size, int round);
  }

  private static final int WARM_UPS = 3;

  private final BenchmarkOptions benchmarkOptions;
  private final ObjectTestbed objectTestbed;
  private final List<Contestant> contestants;
  private final TaskFactory tasks;

  private ObjectContest(
      BenchmarkOptions benchmarkOptions,
      ObjectTestbed objectTestbed,
      List<Contestant> contestants,
      TaskFactory tasks) {
    this.benchmarkOptions = benchmarkOptions;
    this.objectTestbed = objectTestbed;
    this.contestants = contestants;
    this.tasks = tasks;
  }

  /**
   * Starts servers and clients, measures and stops them.
   *
   * @param sizes the numbers of clients or arrivals
   * @param clients the number of clients for a size
   */
  static List<Line> lines(
      BenchmarkOptions benchmarkOptions,
      List<Contestant> contestants,
      TaskFactory tasks,
      List<Integer> sizes,
      IntUnaryOperator clients) {
    List<Contestant> present = present(benchmarkOptions, contestants);
    boolean hasEtcd = present.stream().anyMatch(Contestant::isOnEtcd);
    try (ObjectTestbed objectTestbed = new ObjectTestbed(benchmarkOptions, hasEtcd)) {
      return new ObjectContest(benchmarkOptions, objectTestbed, present, tasks).run(sizes, clients);
    }
  }

  /** The contestants whose programs are installed. */
  private static List<Contestant> present(
      BenchmarkOptions benchmarkOptions, List<Contestant> contestants) {
    Path etcd = benchmarkOptions.versions().etcd();
    if (Files.isExecutable(etcd) || contestants.stream().noneMatch(Contestant::isOnEtcd)) {
      return contestants;
    }
    benchmarkOptions.say(
        "etcd is not measured: no executable at %s; give another one with --etcd", etcd);
    return contestants.stream().filter(contestant -> !contestant.isOnEtcd()).toList();
  }

  /**
   * Runs the contest.
   *
   * @param sizes the numbers of clients or arrivals
   * @param clients the number of clients for a size
   */
  private List<Line> run(List<Integer> sizes, IntUnaryOperator clients) {
    int largest = sizes.stream().mapToInt(Integer::intValue).max().orElseThrow();
    for (int round = 0; round < WARM_UPS; round++) {
      runRound(
          largest,
          clients.applyAsInt(largest),
          round,
          benchmarkOptions.objectPlan().warmUpMillis() / WARM_UPS);
    }
    List<Line> lines = new ArrayList<>();
    for (int oneWay : benchmarkOptions.objectPlan().oneWayMillis()) {
      objectTestbed.delay(Duration.ofMillis(oneWay));
      for (int size : sizes) {
        benchmarkOptions.say("%d ms one way, size %d", oneWay, size);
        lines.addAll(measure(oneWay, size, clients.applyAsInt(size)));
      }
    }
    objectTestbed.delay(Duration.ZERO);
    return lines;
  }

  private List<Line> measure(int oneWay, int size, int clients) {
    Map<Contestant, List<ObjectSlice>> slices = new EnumMap<>(Contestant.class);
    for (int round = 0; round < benchmarkOptions.objectPlan().rounds(); round++) {
      runRound(size, clients, round, 0)
          .forEach((c, slice) -> slices.computeIfAbsent(c, x -> new ArrayList<>()).add(slice));
    }
    List<ObjectSlice> first = slices.getOrDefault(contestants.get(0), List.of());
    return contestants.stream()
        .map(c -> line(c, oneWay, size, first, slices.getOrDefault(c, List.of())))
        .toList();
  }

  private Map<Contestant, ObjectSlice> runRound(
      int size, int clients, int round, long leastMillis) {
    Map<Contestant, ObjectSlice> slices = new EnumMap<>(Contestant.class);
    for (int turn = 0; turn < contestants.size(); turn++) {
      int at = round % 2 == 0 ? turn : contestants.size() - 1 - turn;
      Contestant contestant = contestants.get(at);
      slices.put(
          contestant, slice(tasks.task(contestant, size, round).atLeast(leastMillis), clients));
    }
    return slices;
  }

  private ObjectSlice slice(WorkerTask task, int clients) {
    List<List<Integer>> shared = benchmarkOptions.objectPlan().shared(clients);
    List<WorkerTask> each =
        IntStream.range(0, shared.size())
            .mapToObj(i -> task.of(shared.get(i), shared.size(), i))
            .toList();
    List<WorkerReport> opened = runOnWorkers(WorkerTask.Kind.OPEN, each);
    List<WorkerReport> ran = runOnWorkers(WorkerTask.Kind.RUN, each);
    List<WorkerReport> closed = runOnWorkers(WorkerTask.Kind.CLOSE, each);
    return ObjectSlice.of(task, opened, ran, closed);
  }

  private List<WorkerReport> runOnWorkers(WorkerTask.Kind kind, List<WorkerTask> tasksOfEach) {
    return WorkerProcess.all(
        objectTestbed.workers(), tasksOfEach.stream().map(t -> t.of(kind)).toList());
  }

  private static Line line(
      Contestant contestant,
      int oneWay,
      int size,
      List<ObjectSlice> first,
      List<ObjectSlice> slices) {
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
        RatioSpread.of(slices.stream().map(ObjectSlice::perSecond).toList()).median(),
        RatioSpread.of(ratios),
        Latencies.of(all),
        slices.stream().mapToLong(ObjectSlice::notBegun).sum());
  }
}

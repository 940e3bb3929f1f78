package io.ensemble.benchmarks.zoofence;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.report.SvgFile;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Question: what do ZooFence's clients gain, and lose, if most of their operations concern their
 * own site?
 *
 * <p>Command: {@code java -cp benchmarks/target/lib/ensemble-benchmarks.jar
 * io.ensemble.benchmarks.Measure zoofence-queues}, as root, in the repository's directory.
 *
 * <p>The ZooFence paper (LEADS D2.6, appendix D), section V-A and figure 3: four sites, each with a
 * queue of its own, and a queue that all share; a client is two producers in closed loops. Rivals:
 * queues divided by hand, and one ensemble over all sites. They take turns of a slice, in changing
 * order. After each slice the queues must hold exactly the acknowledged elements.
 */
public final class QueueBenchmark {

  private static final int PRODUCERS = 2;
  private static final int WARM_PART = 3;
  private static final int WARM_UPS = 2;

  private final BenchmarkOptions benchmarkOptions;
  private final QueueTestbed queueTestbed;
  private int slices;

  private QueueBenchmark(BenchmarkOptions benchmarkOptions, QueueTestbed queueTestbed) {
    this.benchmarkOptions = benchmarkOptions;
    this.queueTestbed = queueTestbed;
  }

  /** Measures. */
  public static BenchmarkResult answer(BenchmarkOptions benchmarkOptions) {
    QueuePlan plan = benchmarkOptions.queues();
    List<QueueResult> lines = new ArrayList<>();
    try (HostNetwork hostNetwork = HostNetwork.of(QueueTestbed.hosts(plan));
        QueueTestbed queueTestbed =
            new QueueTestbed(hostNetwork, line -> benchmarkOptions.say("%s", line))) {
      benchmarkOptions.say("%s", hostNetwork.describe());
      QueueBenchmark questions = new QueueBenchmark(benchmarkOptions, queueTestbed);
      for (int locality : plan.localities()) {
        questions.warmUp(locality, plan.clients().get(plan.clients().size() - 1));
        for (int clients : plan.clients()) {
          benchmarkOptions.say("%d %% locality, %d clients at each site", locality, clients);
          lines.addAll(questions.compare(locality, clients));
        }
      }
      benchmarkOptions.say(
          "drew %s",
          new SvgFile("zoofence-queues.svg", QueuePlot.draw(lines))
              .writeTo(benchmarkOptions.objectPlan().figures()));
      List<String> table = new ArrayList<>(List.of(hostNetwork.describe(), ""));
      table.addAll(QueueResult.table(lines));
      return new BenchmarkResult(lines, table);
    }
  }

  private void warmUp(int locality, int clients) {
    for (int round = 0; round < WARM_UPS; round++) {
      round(locality, clients, round);
    }
  }

  private List<QueueResult> compare(int locality, int clients) {
    Map<QueueSystem, List<QueueSlice>> of = new EnumMap<>(QueueSystem.class);
    for (int round = 0; round < benchmarkOptions.rounds(); round++) {
      round(locality, clients, round)
          .forEach(
              (system, slice) -> of.computeIfAbsent(system, s -> new ArrayList<>()).add(slice));
    }
    List<QueueSlice> byHand = of.getOrDefault(QueueSystem.BY_HAND, List.of());
    List<QueueSlice> spanning = of.getOrDefault(QueueSystem.SPANNING, List.of());
    return of.entrySet().stream()
        .map(
            each ->
                QueueResult.of(locality, clients, each.getKey(), each.getValue(), byHand, spanning))
        .toList();
  }

  private Map<QueueSystem, QueueSlice> round(int locality, int clients, int round) {
    QueueSystem[] systems = QueueSystem.values();
    Map<QueueSystem, QueueSlice> of = new EnumMap<>(QueueSystem.class);
    for (int turn = 0; turn < systems.length; turn++) {
      QueueSystem system = systems[round % 2 == 0 ? turn : systems.length - 1 - turn];
      of.put(system, slice(task(system, locality, clients)));
    }
    return of;
  }

  private QueueSlice slice(QueueTask task) {
    queueTestbed.runOnProducers(task.of(QueueTask.Kind.BEGIN));
    Duration before = queueTestbed.processorTime();
    List<QueueReport> added = queueTestbed.runOnProducers(task);
    Duration spent = queueTestbed.processorTime().minus(before);
    return QueueSlice.of(
        task, spent, added, queueTestbed.runOnProducers(task.of(QueueTask.Kind.COUNT)));
  }

  private QueueTask task(QueueSystem system, int locality, int clients) {
    return new QueueTask(
        QueueTask.Kind.ADD,
        system,
        "r" + slices++,
        clients * PRODUCERS,
        locality,
        benchmarkOptions.sliceMillis() / WARM_PART,
        benchmarkOptions.sliceMillis());
  }
}

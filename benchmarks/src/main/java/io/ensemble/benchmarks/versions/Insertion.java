package io.ensemble.benchmarks.versions;

import io.ensemble.benchmarks.measure.Answer;
import io.ensemble.benchmarks.measure.Effort;
import io.ensemble.benchmarks.measure.Spread;
import io.ensemble.testkit.trace.SyntheticTrace;
import io.ensemble.versioning.Index;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Question: how long does it take to load a trace, with each index?
 *
 * <p>Command: {@code java -cp benchmarks/target/lib/ensemble-benchmarks.jar
 * io.ensemble.benchmarks.Measure version-insertion}, in the repository's directory.
 *
 * <p>LEADS D2.6, appendix A, table II. The keys are split into parts, which the indexes load in
 * turns; times are summed up. All versions of a key at once, and each by itself. Rival of the
 * others: {@code BASELINE}.
 */
public final class Insertion {

  /**
   * What loading took.
   *
   * @param way {@code addAll} or {@code one by one}
   * @param leftOut keys that Baseline does not bear, and nobody loads
   * @param seconds until all was acknowledged
   * @param settledSeconds until all was moved out, too
   * @param slowDown this index's time to Baseline's, part by part
   * @param settledSlowDown the same until all was moved out
   */
  public record Line(
      String trace,
      String way,
      int oneWayMillis,
      int clients,
      long keys,
      int leftOut,
      long versions,
      Index index,
      double seconds,
      double settledSeconds,
      Spread slowDown,
      Spread settledSlowDown) {}

  private static final int PARTS = 6;
  private static final int WARM_UP_KEYS = 40;

  private record Took(long nanos, long settledNanos) {}

  private final Effort effort;
  private final Ground ground;
  private final Map<Index, Shelf> shelves = new EnumMap<>(Index.class);
  private final int clients;

  private Insertion(Effort effort, Ground ground) {
    this.effort = effort;
    this.ground = ground;
    this.clients = effort.versions().mostClients();
  }

  /** Measures. */
  public static Answer answer(Effort effort) {
    try (Ground ground = Ground.of(effort)) {
      return answer(effort, ground);
    }
  }

  static Answer answer(Effort effort, Ground ground) {
    Histories warming = Histories.of("warm-up", SyntheticTrace.of(WARM_UP_KEYS, 99)).bearable();
    for (boolean atOnce : new boolean[] {true, false}) {
      List<Line> unused = new Insertion(effort, ground).lines(warming, atOnce, 0);
    }
    List<Line> lines = new ArrayList<>();
    for (Histories each : effort.versions().histories()) {
      Histories histories = each.bearable();
      for (int oneWay : effort.crowd().oneWayMillis()) {
        lines.addAll(new Insertion(effort, ground).lines(histories, true, oneWay));
        lines.addAll(new Insertion(effort, ground).lines(histories, false, oneWay));
      }
    }
    return new Answer(lines, table(lines));
  }

  private List<Line> lines(Histories histories, boolean atOnce, int oneWay) {
    effort.say("%s, %d ms one way, %s", histories.name(), oneWay, atOnce ? "addAll" : "one by one");
    int parts = Math.min(PARTS, histories.keys().size());
    Map<Index, List<Took>> took = new EnumMap<>(Index.class);
    try {
      for (Index index : Index.values()) {
        shelves.put(index, ground.emptyShelf("insertion-" + index, Setup.of(index)));
      }
      ground.delay(Duration.ofMillis(oneWay));
      for (int part = 0; part < parts; part++) {
        Histories some = histories.part(part, parts);
        for (int turn = 0; turn < shelves.size(); turn++) {
          Index index = Index.values()[part % 2 == 0 ? turn : shelves.size() - 1 - turn];
          took.computeIfAbsent(index, i -> new ArrayList<>()).add(took(index, some, atOnce));
        }
      }
    } finally {
      ground.delay(Duration.ZERO);
      shelves.values().forEach(Shelf::close);
    }
    return took.keySet().stream()
        .map(index -> line(histories, atOnce, oneWay, index, took))
        .toList();
  }

  private Took took(Index index, Histories some, boolean atOnce) {
    Shelf shelf = Objects.requireNonNull(shelves.get(index));
    long begin = System.nanoTime();
    if (atOnce) {
      shelf.load(some.keys(), clients);
    } else {
      shelf.loadSingly(some.keys(), clients);
    }
    long acknowledged = System.nanoTime();
    shelf.settle(some.keys(), clients);
    return new Took(acknowledged - begin, System.nanoTime() - begin);
  }

  private Line line(
      Histories histories, boolean atOnce, int oneWay, Index index, Map<Index, List<Took>> took) {
    List<Took> own = Objects.requireNonNull(took.get(index));
    List<Took> baseline = Objects.requireNonNull(took.get(Index.BASELINE));
    return new Line(
        histories.name(),
        atOnce ? "addAll" : "one by one",
        oneWay,
        clients,
        histories.keys().size(),
        histories.leftOut(),
        histories.versions(),
        index,
        own.stream().mapToLong(Took::nanos).sum() / 1e9,
        own.stream().mapToLong(Took::settledNanos).sum() / 1e9,
        ratios(own.size(), i -> (double) own.get(i).nanos() / baseline.get(i).nanos()),
        ratios(
            own.size(), i -> (double) own.get(i).settledNanos() / baseline.get(i).settledNanos()));
  }

  private static Spread ratios(int count, IntFunction<Double> ratio) {
    return Spread.of(IntStream.range(0, count).mapToObj(ratio).toList());
  }

  private static List<String> table(List<Line> lines) {
    List<String> table = new ArrayList<>();
    table.add(
        "| trace | keys (left out), versions | way | one way ms | clients | index | seconds |"
            + " slow-down of all | by part (min..max) | settled: seconds | slow-down of all |");
    table.add("|---|---|---|---|---|---|---|---|---|---|---|");
    for (int i = 0; i < lines.size(); i++) {
      Line line = lines.get(i);
      Line baseline = lines.get(i - i % Index.values().length);
      table.add(
          String.format(
              Locale.ROOT,
              "| %s | %,d (%d), %,d | %s | %d | %d | %s | %.2f | **%.2f** | %.2f (%.2f..%.2f) |"
                  + " %.2f | %.2f |",
              line.trace(),
              line.keys(),
              line.leftOut(),
              line.versions(),
              line.way(),
              line.oneWayMillis(),
              line.clients(),
              line.index(),
              line.seconds(),
              line.seconds() / baseline.seconds(),
              line.slowDown().median(),
              line.slowDown().min(),
              line.slowDown().max(),
              line.settledSeconds(),
              line.settledSeconds() / baseline.settledSeconds()));
    }
    return table;
  }
}

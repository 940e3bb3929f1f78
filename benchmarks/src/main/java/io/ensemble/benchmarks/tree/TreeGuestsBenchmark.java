package io.ensemble.benchmarks.tree;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.objects.FigureFiles;
import io.ensemble.benchmarks.tree.LinePlot.Panel;
import io.ensemble.benchmarks.tree.LinePlot.Point;
import io.ensemble.tree.SharedTree;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Question: how long does a guest take to start and to shut down, without other load?
 *
 * <p>Command: {@code java -cp benchmarks/target/lib/ensemble-benchmarks.jar
 * io.ensemble.benchmarks.Measure tree-guests --crowd-rounds 10}, in the repository's directory.
 *
 * <p>Figure 7 of the paper of OXenstored, with {@link SimulatedGuests}: {@code --crowd-rounds}
 * times, {@value #GUESTS} guests are started one after the other, and then shut down one after the
 * other. Rival: the same tree under the rule of the first Xenstored, by which any change of the
 * tree is a conflict.
 */
public final class TreeGuestsBenchmark {

  /** The times of one contestant, each in order. */
  public record GuestTimes(String contestant, List<Double> startMillis, List<Double> stopMillis) {}

  private static final int GUESTS = 50;
  private static final double NANOS_OF_A_MILLI = 1e6;

  private TreeGuestsBenchmark() {}

  /** Measures. */
  public static BenchmarkResult answer(BenchmarkOptions options) {
    Map<Boolean, GuestTimes> times = new LinkedHashMap<>();
    for (boolean anyChange : new boolean[] {false, true}) {
      times.put(
          anyChange,
          new GuestTimes(TreeRivals.nameOf(anyChange), new ArrayList<>(), new ArrayList<>()));
    }
    try (TreeTestbed testbed = new TreeTestbed(options, options.objectPlan().processes(), false)) {
      for (int round = -1; round < options.objectPlan().rounds(); round++) {
        for (boolean anyChange : new boolean[] {round % 2 == 0, round % 2 != 0}) {
          List<SharedTree> trees = testbed.openForGuests("guests-" + (round + 1) + "-" + anyChange);
          GuestTimes ofRule =
              round < 0
                  ? new GuestTimes("warm-up", new ArrayList<>(), new ArrayList<>())
                  : times.get(anyChange);
          measure(trees, anyChange, java.util.Objects.requireNonNull(ofRule));
          options.say("round %d: %s", round, TreeRivals.nameOf(anyChange));
          trees.forEach(SharedTree::close);
        }
      }
    }
    List<GuestTimes> all = List.copyOf(times.values());
    all.forEach(one -> one.startMillis.sort(null));
    all.forEach(one -> one.stopMillis.sort(null));
    FigureFiles.write(options, "tree-guests.svg", figure(all));
    return new BenchmarkResult(all, table(all));
  }

  private static void measure(List<SharedTree> trees, boolean anyChange, GuestTimes times) {
    try (SimulatedGuests guests = new SimulatedGuests(trees, anyChange)) {
      for (int guest = 1; guest <= GUESTS; guest++) {
        long begin = System.nanoTime();
        guests.start(guest, () -> {});
        times.startMillis.add((System.nanoTime() - begin) / NANOS_OF_A_MILLI);
      }
      for (int guest = 1; guest <= GUESTS; guest++) {
        long begin = System.nanoTime();
        guests.shutDown(guest);
        times.stopMillis.add((System.nanoTime() - begin) / NANOS_OF_A_MILLI);
      }
    }
  }

  private static String figure(List<GuestTimes> all) {
    Map<String, List<Point>> starts = new LinkedHashMap<>();
    Map<String, List<Point>> stops = new LinkedHashMap<>();
    for (GuestTimes one : all) {
      starts.put(one.contestant, distribution(one.startMillis));
      stops.put(one.contestant, distribution(one.stopMillis));
    }
    return LinePlot.draw(
        List.of(
            new Panel("(a) guests that were started within the time, in %", "ms", false, starts),
            new Panel("(b) guests that were shut down within the time, in %", "ms", false, stops)));
  }

  private static List<Point> distribution(List<Double> sorted) {
    List<Point> points = new ArrayList<>();
    for (int i = 0; i < sorted.size(); i++) {
      points.add(new Point(sorted.get(i), 100.0 * (i + 1) / sorted.size()));
    }
    return points;
  }

  private static List<String> table(List<GuestTimes> all) {
    List<String> table = new ArrayList<>();
    table.add("| | guests | start p50 / p90 / slowest ms | shut-down p50 / p90 / slowest ms |");
    table.add("|---|---|---|---|");
    for (GuestTimes one : all) {
      table.add(
          "| %s | %d | %s | %s |"
              .formatted(
                  one.contestant,
                  one.startMillis.size(),
                  quantiles(one.startMillis),
                  quantiles(one.stopMillis)));
    }
    return table;
  }

  private static String quantiles(List<Double> sorted) {
    int last = sorted.size() - 1;
    return String.format(
        Locale.ROOT,
        "%.0f / %.0f / %.0f",
        sorted.get(last / 2),
        sorted.get((int) (last * 0.9)),
        sorted.get(last));
  }
}

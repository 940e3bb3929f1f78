package io.ensemble.benchmarks.zoofence;

import io.ensemble.benchmarks.contest.BenchmarkOptions;
import io.ensemble.benchmarks.contest.BenchmarkResult;
import io.ensemble.benchmarks.report.SvgFile;
import io.ensemble.benchmarks.versions.PanelPlot;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Question: what does BookKeeper gain, or lose, when its metadata is in ZooFence?
 *
 * <p>Command: {@code java -cp benchmarks/target/lib/ensemble-benchmarks.jar
 * io.ensemble.benchmarks.Measure zoofence-bookkeeper}, in the repository's directory, with {@code
 * bookkeeper-process} packaged.
 *
 * <p>The ZooFence paper (LEADS D2.6, appendix D), section V-B and figure 4: writers create a
 * ledger, append to it, close it and begin the next. The fewer entries a ledger has, the more its
 * metadata counts. The rival is an ensemble of three servers; both take turns of a slice, in
 * changing order.
 */
public final class LedgerBenchmark {

  private static final int WARM_PART = 3;
  private static final int WARM_UPS = 3;

  private final BenchmarkOptions benchmarkOptions;
  private final LedgerTestbed servers;

  private LedgerBenchmark(BenchmarkOptions benchmarkOptions, LedgerTestbed servers) {
    this.benchmarkOptions = benchmarkOptions;
    this.servers = servers;
  }

  /** Measures. */
  public static BenchmarkResult answer(BenchmarkOptions benchmarkOptions) {
    LedgerPlan plan = benchmarkOptions.ledgers();
    List<LedgerResult> lines = new ArrayList<>();
    try (LedgerTestbed servers =
        new LedgerTestbed(plan, line -> benchmarkOptions.say("%s", line))) {
      LedgerBenchmark ledgers = new LedgerBenchmark(benchmarkOptions, servers);
      for (int round = 0; round < WARM_UPS; round++) {
        ledgers.round(plan.entries().get(0), plan.entryBytes().get(0), round);
      }
      for (int bytes : plan.entryBytes()) {
        for (int entries : plan.entries()) {
          benchmarkOptions.say("%d entries of %d bytes a ledger", entries, bytes);
          lines.addAll(ledgers.compare(entries, bytes));
        }
      }
    }
    benchmarkOptions.say(
        "drew %s",
        new SvgFile("zoofence-bookkeeper.svg", drawn(lines))
            .writeTo(benchmarkOptions.objectPlan().figures()));
    return new BenchmarkResult(lines, LedgerResult.table(lines));
  }

  private List<LedgerResult> compare(int entries, int bytes) {
    Map<LedgerTestbed.MetadataStore, List<LedgerSlice>> of =
        new EnumMap<>(LedgerTestbed.MetadataStore.class);
    for (int round = 0; round < benchmarkOptions.rounds(); round++) {
      round(entries, bytes, round)
          .forEach((each, slice) -> of.computeIfAbsent(each, m -> new ArrayList<>()).add(slice));
    }
    List<LedgerSlice> plain = of.getOrDefault(LedgerTestbed.MetadataStore.ZOOKEEPER, List.of());
    return of.entrySet().stream()
        .map(each -> LedgerResult.of(entries, bytes, each.getKey(), each.getValue(), plain))
        .toList();
  }

  private Map<LedgerTestbed.MetadataStore, LedgerSlice> round(int entries, int bytes, int round) {
    LedgerTestbed.MetadataStore[] both = LedgerTestbed.MetadataStore.values();
    Map<LedgerTestbed.MetadataStore, LedgerSlice> of =
        new EnumMap<>(LedgerTestbed.MetadataStore.class);
    for (int turn = 0; turn < both.length; turn++) {
      LedgerTestbed.MetadataStore each = both[round % 2 == 0 ? turn : both.length - 1 - turn];
      of.put(
          each,
          servers.write(
              each,
              benchmarkOptions.ledgers().writers(),
              entries,
              bytes,
              benchmarkOptions.sliceMillis() / WARM_PART,
              benchmarkOptions.sliceMillis()));
    }
    return of;
  }

  private static String drawn(List<LedgerResult> lines) {
    return PanelPlot.logarithmic(
        "entries of a ledger",
        lines.stream()
            .map(LedgerResult::bytes)
            .distinct()
            .map(
                bytes ->
                    new PanelPlot.Panel(
                        "entries of %d bytes: a second".formatted(bytes), curves(bytes, lines)))
            .toList());
  }

  private static List<PanelPlot.Curve> curves(int bytes, List<LedgerResult> lines) {
    return lines.stream()
        .map(LedgerResult::metadata)
        .distinct()
        .map(
            metadata ->
                new PanelPlot.Curve(
                    "metadata in " + metadata,
                    lines.stream()
                        .filter(line -> line.bytes() == bytes && line.entriesPerSecond() > 0)
                        .filter(line -> line.metadata().equals(metadata))
                        .map(line -> new PanelPlot.Point(line.entries(), line.entriesPerSecond()))
                        .toList()))
        .toList();
  }
}

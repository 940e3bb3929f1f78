package io.ensemble.benchmarks.zoofence;

import io.ensemble.benchmarks.measure.Answer;
import io.ensemble.benchmarks.measure.Effort;
import io.ensemble.benchmarks.report.Picture;
import io.ensemble.benchmarks.versions.Panels;
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
 * <p>The ZooFence paper (LEADS D2.6, appendix D), section V-B and figure 4: writers that make a
 * ledger, append to it, close it and begin the next. The fewer entries a ledger has, the more its
 * metadata counts. The rival is an ensemble of three servers; they take turns of a slice, in
 * changing order.
 */
public final class Ledgers {

  private static final int WARM_PART = 3;
  private static final int WARM_UPS = 3;

  private final Effort effort;
  private final LedgerServers servers;

  private Ledgers(Effort effort, LedgerServers servers) {
    this.effort = effort;
    this.servers = servers;
  }

  /** Measures. */
  public static Answer answer(Effort effort) {
    LedgerPlan plan = effort.ledgers();
    List<LedgerLine> lines = new ArrayList<>();
    try (LedgerServers servers = new LedgerServers(plan, line -> effort.say("%s", line))) {
      Ledgers ledgers = new Ledgers(effort, servers);
      for (int round = 0; round < WARM_UPS; round++) {
        ledgers.round(plan.entries().get(0), plan.entryBytes().get(0), round);
      }
      for (int bytes : plan.entryBytes()) {
        for (int entries : plan.entries()) {
          effort.say("%d entries of %d bytes a ledger", entries, bytes);
          lines.addAll(ledgers.compare(entries, bytes));
        }
      }
    }
    effort.say(
        "drew %s",
        new Picture("zoofence-bookkeeper.svg", drawn(lines)).writeTo(effort.crowd().figures()));
    return new Answer(lines, LedgerLine.table(lines));
  }

  private List<LedgerLine> compare(int entries, int bytes) {
    Map<LedgerServers.Metadata, List<LedgerSlice>> of = new EnumMap<>(LedgerServers.Metadata.class);
    for (int round = 0; round < effort.rounds(); round++) {
      round(entries, bytes, round)
          .forEach((each, slice) -> of.computeIfAbsent(each, m -> new ArrayList<>()).add(slice));
    }
    List<LedgerSlice> plain = of.getOrDefault(LedgerServers.Metadata.ZOOKEEPER, List.of());
    return of.entrySet().stream()
        .map(each -> LedgerLine.of(entries, bytes, each.getKey(), each.getValue(), plain))
        .toList();
  }

  private Map<LedgerServers.Metadata, LedgerSlice> round(int entries, int bytes, int round) {
    LedgerServers.Metadata[] both = LedgerServers.Metadata.values();
    Map<LedgerServers.Metadata, LedgerSlice> of = new EnumMap<>(LedgerServers.Metadata.class);
    for (int turn = 0; turn < both.length; turn++) {
      LedgerServers.Metadata each = both[round % 2 == 0 ? turn : both.length - 1 - turn];
      of.put(
          each,
          servers.write(
              each,
              effort.ledgers().writers(),
              entries,
              bytes,
              effort.sliceMillis() / WARM_PART,
              effort.sliceMillis()));
    }
    return of;
  }

  private static String drawn(List<LedgerLine> lines) {
    return Panels.logarithmic(
        "entries of a ledger",
        lines.stream()
            .map(LedgerLine::bytes)
            .distinct()
            .map(
                bytes ->
                    new Panels.Panel(
                        "entries of %d bytes: a second".formatted(bytes), curves(bytes, lines)))
            .toList());
  }

  private static List<Panels.Curve> curves(int bytes, List<LedgerLine> lines) {
    return lines.stream()
        .map(LedgerLine::metadata)
        .distinct()
        .map(
            metadata ->
                new Panels.Curve(
                    "metadata in " + metadata,
                    lines.stream()
                        .filter(line -> line.bytes() == bytes && line.entriesPerSecond() > 0)
                        .filter(line -> line.metadata().equals(metadata))
                        .map(line -> new Panels.Point(line.entries(), line.entriesPerSecond()))
                        .toList()))
        .toList();
  }
}

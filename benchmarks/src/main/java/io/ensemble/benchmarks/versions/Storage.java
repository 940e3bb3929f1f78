package io.ensemble.benchmarks.versions;

import io.ensemble.benchmarks.measure.Answer;
import io.ensemble.benchmarks.measure.Effort;
import io.ensemble.benchmarks.report.Picture;
import io.ensemble.versioning.Index;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Question: how much does a trace take in the store, with each index?
 *
 * <p>Command: {@code java -cp benchmarks/target/lib/ensemble-benchmarks.jar
 * io.ensemble.benchmarks.Measure version-storage}, in the repository's directory.
 *
 * <p>LEADS D2.6, appendix A, figure 3: the bytes of all entries, keys and values, once, without
 * what Infinispan adds to an entry; after all that is to be moved out was moved out.
 */
public final class Storage {

  /**
   * What it takes.
   *
   * @param payloadBytes of all values
   * @param overheadPerVersion what is stored beside them, for each version; negative where deltas
   *     save more
   */
  public record Line(
      String trace,
      long keys,
      int leftOut,
      long versions,
      long payloadBytes,
      String index,
      long entries,
      long bytes,
      double overheadPerVersion) {}

  private Storage() {}

  private static List<Setup> setups() {
    return List.of(
        Setup.of(Index.BASELINE),
        Setup.of(Index.TREE),
        Setup.of(Index.SHARDED),
        Setup.of(Index.AUTO),
        Setup.of(Index.TREE).withDeltas(),
        Setup.of(Index.AUTO).withDeltas());
  }

  /** Measures. */
  public static Answer answer(Effort effort) {
    try (Ground ground = Ground.of(effort)) {
      return answer(effort, ground);
    }
  }

  static Answer answer(Effort effort, Ground ground) {
    List<Line> lines = new ArrayList<>();
    for (Histories each : effort.versions().histories()) {
      Histories histories = each.bearable();
      for (Setup setup : setups()) {
        effort.say("%s, %s", histories.name(), setup.title());
        lines.add(line(effort, ground, histories, setup));
      }
    }
    String what = "Bytes in the store, to the bytes of the values";
    effort.say(
        "drew %s",
        new Picture("versions-storage.svg", BarPlot.draw(what, bars(lines)))
            .writeTo(effort.crowd().figures()));
    return new Answer(lines, table(lines));
  }

  private static Line line(Effort effort, Ground ground, Histories histories, Setup setup) {
    int clients = effort.versions().mostClients();
    String name = "storage-" + setup.index() + (setup.deltas() ? "-deltas" : "");
    try (Shelf shelf = ground.emptyShelf(name, setup)) {
      shelf.load(histories.keys(), clients);
      shelf.settle(histories.keys(), clients);
      Shelf.Stored stored = shelf.stored();
      shelf.clear();
      return new Line(
          histories.name(),
          histories.keys().size(),
          histories.leftOut(),
          histories.versions(),
          histories.payloadBytes(),
          setup.title(),
          stored.entries(),
          stored.bytes(),
          (double) (stored.bytes() - histories.payloadBytes()) / histories.versions());
    }
  }

  private static List<BarPlot.Bar> bars(List<Line> lines) {
    return lines.stream()
        .map(
            line ->
                new BarPlot.Bar(
                    line.trace() + ": " + line.index(),
                    (double) line.bytes() / Math.max(1, line.payloadBytes())))
        .toList();
  }

  private static List<String> table(List<Line> lines) {
    List<String> table = new ArrayList<>();
    table.add(
        "| trace | keys (left out), versions | bytes of values | index | entries | bytes | to"
            + " Baseline | added to a version, bytes |");
    table.add("|---|---|---|---|---|---|---|---|");
    for (int i = 0; i < lines.size(); i++) {
      Line line = lines.get(i);
      Line baseline = lines.get(i - i % setups().size());
      table.add(
          String.format(
              Locale.ROOT,
              "| %s | %,d (%d), %,d | %,d | %s | %,d | %,d | **%.2f** | %.1f |",
              line.trace(),
              line.keys(),
              line.leftOut(),
              line.versions(),
              line.payloadBytes(),
              line.index(),
              line.entries(),
              line.bytes(),
              (double) line.bytes() / baseline.bytes(),
              line.overheadPerVersion()));
    }
    return table;
  }
}

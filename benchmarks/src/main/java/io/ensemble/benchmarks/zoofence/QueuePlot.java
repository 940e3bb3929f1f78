package io.ensemble.benchmarks.zoofence;

import io.ensemble.benchmarks.versions.PanelPlot;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** The paper's figure 3: throughput and latency over the clients of a site, by locality. */
final class QueuePlot {

  private QueuePlot() {}

  static String draw(List<QueueResult> lines) {
    List<PanelPlot.Panel> panels =
        lines.stream()
            .map(QueueResult::locality)
            .distinct()
            .flatMap(
                locality ->
                    Stream.of(
                        panel("operations a second", locality, lines, QueueResult::perSecond),
                        panel(
                            "mean ms of an operation",
                            locality,
                            lines,
                            line -> line.all().meanMicros() / 1e3)))
            .toList();
    return PanelPlot.logarithmic("clients at each site, two producers each", panels);
  }

  private static PanelPlot.Panel panel(
      String what, int locality, List<QueueResult> lines, ToDoubleFunction<QueueResult> figure) {
    List<QueueResult> of = lines.stream().filter(line -> line.locality() == locality).toList();
    return new PanelPlot.Panel(
        "%d %% locality: %s".formatted(locality, what),
        of.stream()
            .map(QueueResult::system)
            .distinct()
            .map(
                system ->
                    new PanelPlot.Curve(
                        system,
                        of.stream()
                            .filter(line -> line.system().equals(system))
                            .filter(line -> figure.applyAsDouble(line) > 0)
                            .map(
                                line ->
                                    new PanelPlot.Point(line.clients(), figure.applyAsDouble(line)))
                            .toList()))
            .toList());
  }
}

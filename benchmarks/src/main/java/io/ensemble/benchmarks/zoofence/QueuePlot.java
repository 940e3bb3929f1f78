package io.ensemble.benchmarks.zoofence;

import io.ensemble.benchmarks.versions.Panels;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** The paper's figure 3: throughput and latency over the clients of a site, by locality. */
final class QueuePlot {

  private QueuePlot() {}

  static String draw(List<QueueLine> lines) {
    List<Panels.Panel> panels =
        lines.stream()
            .map(QueueLine::locality)
            .distinct()
            .flatMap(
                locality ->
                    Stream.of(
                        panel("operations a second", locality, lines, QueueLine::perSecond),
                        panel(
                            "mean ms of an operation",
                            locality,
                            lines,
                            line -> line.all().meanMicros() / 1e3)))
            .toList();
    return Panels.logarithmic("clients at each site, two producers each", panels);
  }

  private static Panels.Panel panel(
      String what, int locality, List<QueueLine> lines, ToDoubleFunction<QueueLine> figure) {
    List<QueueLine> of = lines.stream().filter(line -> line.locality() == locality).toList();
    return new Panels.Panel(
        "%d %% locality: %s".formatted(locality, what),
        of.stream()
            .map(QueueLine::system)
            .distinct()
            .map(
                system ->
                    new Panels.Curve(
                        system,
                        of.stream()
                            .filter(line -> line.system().equals(system))
                            .filter(line -> figure.applyAsDouble(line) > 0)
                            .map(
                                line ->
                                    new Panels.Point(line.clients(), figure.applyAsDouble(line)))
                            .toList()))
            .toList());
  }
}

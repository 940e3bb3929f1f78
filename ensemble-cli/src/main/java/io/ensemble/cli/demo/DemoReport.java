package io.ensemble.cli.demo;

import io.ensemble.testkit.link.SiteLinkReport;
import java.util.List;

/**
 * The result of the demonstration.
 *
 * @param ok whether every step succeeded
 * @param seconds the total time
 * @param plan the settings
 * @param lines the measured delay and bandwidth of the links to sites that are not local
 * @param steps the steps; the last one failed if any did
 * @param ycsb the measurements of YCSB
 */
public record DemoReport(
    boolean ok,
    double seconds,
    DemoPlan plan,
    List<SiteLinkReport> lines,
    List<StepReport> steps,
    List<YcsbRow> ycsb) {

  public DemoReport {
    lines = List.copyOf(lines);
    steps = List.copyOf(steps);
    ycsb = List.copyOf(ycsb);
  }
}

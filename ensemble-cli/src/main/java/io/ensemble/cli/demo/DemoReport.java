package io.ensemble.cli.demo;

import io.ensemble.testkit.link.SiteLinkReport;
import java.util.List;

/**
 * How the demonstration went.
 *
 * @param ok whether every step was as it must be
 * @param seconds how long all took
 * @param plan what was asked for
 * @param lines what the lines to sites that are not local really gave
 * @param steps what was done; the last one failed if any did
 * @param ycsb what YCSB measured
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

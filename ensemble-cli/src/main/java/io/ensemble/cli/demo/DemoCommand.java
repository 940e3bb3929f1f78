package io.ensemble.cli.demo;

import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.bench.YcsbProcess;
import io.ensemble.cli.option.FederationSizeOptions;
import io.ensemble.cli.option.WanLinkOptions;
import io.ensemble.cli.output.ProgressLine;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.cli.output.Terminal;
import io.ensemble.cli.output.TextTable;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "demo",
    subcommands = {DemoObjectsCommand.class, DemoVersionsCommand.class},
    description = {
      "Demonstrate the main features, embedded, with checks.",
      "Starts sites, uses a WEAK and an MWMR cache while a whole site crashes, returns empty and "
          + "is refilled, then runs YCSB. Fails if a check fails. Requires 3 sites or more, each "
          + "of 1 node or of 3 or more."
    })
public final class DemoCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationSizeOptions counts = new FederationSizeOptions();
  @Mixin WanLinkOptions wan = new WanLinkOptions();

  @Option(
      names = "--records",
      paramLabel = "N",
      defaultValue = "2000",
      description = "Orders in each cache; default: ${DEFAULT-VALUE}.")
  int records;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of the orders; default: ${DEFAULT-VALUE}.")
  long seed;

  @Option(
      names = "--ycsb-operations",
      paramLabel = "N",
      defaultValue = "5000",
      description = "Operations of each YCSB run, 0 for none; default: ${DEFAULT-VALUE}.")
  int ycsbOperations;

  @Override
  public Integer call() {
    DemoPlan plan =
        new DemoPlan(counts.sites, counts.nodes, wan.wan(), records, seed, ycsbOperations);
    YcsbProcess ycsb = ycsbOperations > 0 ? YcsbProcess.installed() : null;
    DemoReport report;
    try (ProgressLine progressLine = ProgressLine.on(reporting.err(), "demo")) {
      report = new Demo(plan, new YcsbRuns(ycsb, plan), progressLine::show).run();
    }
    reporting.report(report, out -> show(out, report));
    return report.ok() ? ExitCode.OK : ExitCode.FAILED;
  }

  static void show(PrintWriter out, DemoReport report) {
    showSteps(out, report.steps());
    WanLinkOptions.show(out, report.lines());
    if (!report.ycsb().isEmpty()) {
      TextTable rows =
          new TextTable("ycsb", "mode", "operations", "per second", "read p99", "update p99");
      report
          .ycsb()
          .forEach(
              row ->
                  rows.row(
                      row.workload(),
                      row.mode(),
                      "%,d".formatted(row.operations()),
                      "%,.0f".formatted(row.operationsPerSecond()),
                      "%,.0f µs".formatted(row.readP99Micros()),
                      "%,.0f µs".formatted(row.updateP99Micros())));
      rows.print(out, Terminal.coloursOnOut());
      out.println();
    }
    out.printf("%s in %.1f s%n", report.ok() ? "all checks passed" : "FAILED", report.seconds());
  }

  static void showSteps(PrintWriter out, List<StepReport> reports) {
    TextTable steps = new TextTable("step", "verdict", "time", "result");
    reports.forEach(
        step ->
            steps.row(
                step.step(),
                step.ok() ? "ok" : "FAILED",
                "%.1f s".formatted(step.seconds()),
                step.detail()));
    steps.print(out, Terminal.coloursOnOut());
    out.println();
  }
}

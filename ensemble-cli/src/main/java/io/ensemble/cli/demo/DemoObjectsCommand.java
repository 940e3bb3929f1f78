package io.ensemble.cli.demo;

import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.demo.objects.ObjectsDemo;
import io.ensemble.cli.output.ProgressLine;
import io.ensemble.cli.output.ReportOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "objects",
    description = {
      "Demonstrate atomic objects, with checks.",
      "Two processes share a queue of jobs, a counter and a lock on a cluster of three nodes; one "
          + "is killed while it holds the lock, and another takes over. Fails if a job is lost or "
          + "done twice, or if two processes held the lock at the same time."
    })
final class DemoObjectsCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();

  @Option(
      names = "--jobs",
      paramLabel = "N",
      defaultValue = "300",
      description = "Jobs in the queue; default: ${DEFAULT-VALUE}.")
  int jobs;

  @Override
  public Integer call() {
    ObjectsDemo.Report report;
    try (ProgressLine progressLine = ProgressLine.on(reporting.err(), "demo")) {
      report = new ObjectsDemo(jobs, progressLine::show).run();
    }
    reporting.report(
        report,
        out -> {
          DemoCommand.showSteps(out, report.steps());
          out.printf(
              "%s in %.1f s%n", report.ok() ? "all checks passed" : "FAILED", report.seconds());
        });
    return report.ok() ? ExitCode.OK : ExitCode.FAILED;
  }
}

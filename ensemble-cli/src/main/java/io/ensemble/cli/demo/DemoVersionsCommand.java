package io.ensemble.cli.demo;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.demo.versions.VersionsDemo;
import io.ensemble.cli.output.ProgressLine;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.cli.trace.TraceGitCommand;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "versions",
    description = {
      "Demonstrate versioned caches, with checks.",
      "Loads the history of a git repository into a versioned cache on a cluster of three nodes: a "
          + "file is a key, a commit is a version. Then reads all files as of a date and compares "
          + "them with git, a range of the versions of one file, and the changes since. Fails if a "
          + "result differs."
    })
final class DemoVersionsCommand implements Callable<Integer> {

  private static final int MOST_COMMITS = 100_000;

  @Mixin ReportOptions reporting = new ReportOptions();

  @Option(
      names = "--repository",
      paramLabel = "DIR",
      defaultValue = ".",
      description = "A directory of the git repository; default: the current one.")
  Path repository = Path.of("");

  @Option(
      names = "--commits",
      paramLabel = "N",
      defaultValue = "300",
      description = "Number of latest commits; default: ${DEFAULT-VALUE}.")
  int commits;

  @Option(
      names = "--as-of",
      paramLabel = "WHEN",
      converter = TraceGitCommand.MomentConverter.class,
      description =
          "Date or time, such as 2026-01-31 or 2026-01-31T12:00:00Z; default: the middle of the "
              + "history.")
  @Nullable Instant asOf;

  @Override
  public Integer call() {
    if (commits < 1 || commits > MOST_COMMITS) {
      throw new CommandException(
          ExitCode.USAGE, "--commits must be in [1, " + MOST_COMMITS + "]; got " + commits);
    }
    VersionsDemo.Report report;
    try (ProgressLine progressLine = ProgressLine.on(reporting.err(), "demo")) {
      report =
          new VersionsDemo(repository, commits, Optional.ofNullable(asOf), progressLine::show)
              .run();
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

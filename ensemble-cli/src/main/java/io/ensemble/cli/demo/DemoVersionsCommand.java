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
      "Show versioned caches, with every claim checked.",
      "Loads the history of a git repository into a versioned cache on a cluster of three nodes: a"
          + " file is a key, a commit a version. Then shows all files as of a date, compared with"
          + " git's own; a range of one file's versions; and what has changed since. Fails where an"
          + " answer is another one than it must be."
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
      description = "How many of its latest commits; default: ${DEFAULT-VALUE}.")
  int commits;

  @Option(
      names = "--as-of",
      paramLabel = "WHEN",
      converter = TraceGitCommand.MomentConverter.class,
      description =
          "Of what day or moment, as 2026-01-31 or 2026-01-31T12:00:00Z; default: the middle of the"
              + " history.")
  @Nullable Instant asOf;

  @Override
  public Integer call() {
    if (commits < 1 || commits > MOST_COMMITS) {
      throw new CommandException(
          ExitCode.USAGE, "--commits wants 1 to " + MOST_COMMITS + "; got " + commits);
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
              "%s in %.1f s%n", report.ok() ? "every check passed" : "FAILED", report.seconds());
        });
    return report.ok() ? ExitCode.OK : ExitCode.FAILED;
  }
}

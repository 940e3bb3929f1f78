package io.ensemble.cli.trace;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.output.ProgressLine;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.cli.output.TextTable;
import io.ensemble.testkit.trace.GitTrace;
import io.ensemble.testkit.trace.GitTraceException;
import io.ensemble.testkit.trace.TraceSummary;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

@Command(
    name = "git",
    description = {
      "Create a trace of a local git repository: a file is a key, a commit is a version.",
      "Follows first parents: a merge is one version with all its changes, and the keys as of the "
          + "version of a commit equal the files of the commit. A version is the time of the "
          + "commit in milliseconds since 1970, or the previous version plus one. A renamed file "
          + "is a removal and an addition. Values over 240 KiB, names over 600 bytes and "
          + "submodules are omitted, and counted."
    })
public final class TraceGitCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();

  @Parameters(paramLabel = "DIR", description = "The repository, or a directory in it.")
  Path directory = Path.of("");

  @Mixin TraceOutputOption output = new TraceOutputOption();

  @Option(
      names = "--revision",
      paramLabel = "REV",
      defaultValue = "HEAD",
      description = "Commit whose history is read; default: ${DEFAULT-VALUE}.")
  String revision = "HEAD";

  @Option(
      names = "--since",
      paramLabel = "WHEN",
      converter = MomentConverter.class,
      description =
          "Only commits since then, such as 2026-01-31 or 2026-01-31T12:00:00Z; the first of them "
              + "has all files.")
  @Nullable Instant since;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "Only the latest N commits; the first of them has all files.")
  @Nullable Integer limit;

  /** Parses a day, which means its beginning in UTC, or a moment. */
  public static final class MomentConverter implements ITypeConverter<Instant> {
    @Override
    public Instant convert(String text) {
      try {
        return text.contains("T")
            ? Instant.parse(text)
            : LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant();
      } catch (DateTimeParseException e) {
        throw new TypeConversionException(
            "expected a date or time, such as 2026-01-31 or 2026-01-31T12:00:00Z; got "
                + "'"
                + text
                + "'");
      }
    }
  }

  /** The output of {@code --json}. */
  record Report(String file, GitTrace.Report git, TraceSummary trace) {}

  @Override
  public Integer call() {
    if (limit != null && limit < 1) {
      throw new CommandException(ExitCode.USAGE, "--limit must be 1 or more; got " + limit);
    }
    GitTrace.Options options =
        new GitTrace.Options(revision, limit == null ? 0 : limit, Optional.ofNullable(since));
    try (ProgressLine progressLine = ProgressLine.on(reporting.err(), "trace");
        GitTrace git = GitTrace.open(directory, options)) {
      TraceFile.WrittenTrace<GitTrace.Report> made =
          TraceFile.write(output.file, git.header(), sink -> git.all(sink, progressLine::show));
      progressLine.finish();
      reporting.report(
          new Report(output.file.toString(), made.report(), made.summary()),
          out -> show(out, output.file, made));
      return ExitCode.OK;
    } catch (GitTraceException e) {
      throw new CommandException(String.valueOf(e.getMessage()), e);
    }
  }

  private static void show(
      PrintWriter out, Path file, TraceFile.WrittenTrace<GitTrace.Report> made) {
    GitTrace.Report git = made.report();
    TextTable.line(out, "trace", file.toString());
    TextTable.line(
        out,
        "commits",
        "%,d, the last one %s%s"
            .formatted(
                git.commits(), git.commit(), git.shallow() ? " (a shallow repository)" : ""));
    TextTable.line(
        out,
        "omitted",
        "%,d values over 240 KiB, %,d submodules, %,d names over 600 bytes, %,d not in this clone"
            .formatted(git.tooLarge(), git.submodules(), git.longNames(), git.missing()));
    if (git.clocksBehind() > 0) {
      TextTable.line(
          out,
          "clocks",
          ("%,d commits have a time before that of the previous commit, or none: their version is "
                  + "the previous one plus one")
              .formatted(git.clocksBehind()));
    }
    TraceFile.show(out, made.summary());
  }
}

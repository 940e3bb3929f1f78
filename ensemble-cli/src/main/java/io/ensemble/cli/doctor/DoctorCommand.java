package io.ensemble.cli.doctor;

import io.ensemble.check.doctor.Finding;
import io.ensemble.check.doctor.FindingSeverity;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.option.DurationConverter;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.output.ReportOptions;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

@Command(
    name = "doctor",
    description = {
      "Check a federation, and say what to do about each finding. Changes nothing.",
      "Checks the catalog, the sites and their nodes, versions, clocks, permissions, certificates, "
          + "disks, stores, the redundancy of caches, changes that have not ended, and the "
          + "processes that maintain sites. Fails if a finding is an error; warnings and what "
          + "cannot be checked do not count."
    })
public final class DoctorCommand implements Callable<Integer> {

  private static final Duration LEAST = Duration.ofSeconds(1);
  private static final Duration MOST = Duration.ofMinutes(10);

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "Data directory of a federation on this machine, as given to 'up'.")
  @Nullable Path data;

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      defaultValue = "20s",
      description = "Longest time of each check; default: ${DEFAULT-VALUE}.")
  Duration timeout = Duration.ofSeconds(20);

  @Option(names = "--all", description = "Also list what is in order.")
  boolean all;

  /**
   * The report.
   *
   * @param errors the number of findings that are errors
   * @param warnings the number of warnings
   * @param notChecked the number of subjects that could not be checked
   * @param findings every result, also of what is in order, the worst first
   */
  public record Report(int errors, int warnings, int notChecked, List<Finding> findings) {

    static Report of(List<Finding> findings) {
      return new Report(
          count(findings, FindingSeverity.ERROR),
          count(findings, FindingSeverity.WARNING),
          count(findings, FindingSeverity.NOT_CHECKED),
          findings);
    }

    private static int count(List<Finding> findings, FindingSeverity severity) {
      return (int) findings.stream().filter(one -> one.severity() == severity).count();
    }
  }

  @Override
  public Integer call() {
    if (timeout.compareTo(LEAST) < 0 || timeout.compareTo(MOST) > 0) {
      throw new ParameterException(
          reporting.spec().commandLine(),
          "--timeout must be in [1 s, 10 m]; got " + timeout.toMillis() + " ms");
    }
    Report report = Report.of(new DoctorRun(federation, data, timeout).findings());
    reporting.report(report, out -> show(out, report));
    return Finding.hasError(report.findings()) ? ExitCode.FAILED : ExitCode.OK;
  }

  private void show(PrintWriter out, Report report) {
    List<Finding> shown =
        report.findings().stream()
            .filter(one -> all || one.severity() != FindingSeverity.OK)
            .toList();
    shown.forEach(one -> show(out, one));
    if (!shown.isEmpty()) {
      out.println();
    }
    out.println(
        "%d errors, %d warnings, %d not checked, %d in order"
            .formatted(
                report.errors(),
                report.warnings(),
                report.notChecked(),
                report.findings().size() - problems(report)));
  }

  private static int problems(Report report) {
    return report.errors() + report.warnings() + report.notChecked();
  }

  private static void show(PrintWriter out, Finding one) {
    String severity = one.severity().text();
    out.println(
        "%-12s %-13s %s: %s"
            .formatted(
                one.severity() == FindingSeverity.ERROR
                    ? severity.toUpperCase(Locale.ROOT)
                    : severity,
                one.check(),
                one.subject(),
                one.seen()));
    String remedy = one.remedy();
    if (remedy != null) {
      out.println(" ".repeat(27) + "remedy: " + remedy);
    }
  }
}

package io.ensemble.cli.backup;

import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.backup.format.BackupDirectory;
import io.ensemble.cli.backup.format.BackupManifest;
import io.ensemble.cli.backup.format.BackupManifest.BackupFile;
import io.ensemble.cli.backup.format.BackupVerifier;
import io.ensemble.cli.output.ProgressLine;
import io.ensemble.cli.output.ReportOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "verify",
    description = {
      "Check that a backup is complete and undamaged.",
      "Reads every file, and compares it with its SHA-256 in the manifest. Contacts no site."
    })
final class BackupVerifyCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();

  @Parameters(paramLabel = "DIR", description = "Directory of the backup.")
  Path directory = Path.of("backup");

  private record VerifyReport(boolean intact, int files, long bytes, List<String> problems) {}

  @Override
  public Integer call() {
    BackupManifest manifest = BackupDirectory.load(directory);
    List<String> problems;
    try (ProgressLine progress = ProgressLine.on(reporting.err(), "verify")) {
      problems = new BackupVerifier(directory).problems(manifest.allFiles(), progress::show);
    }
    List<BackupFile> files = manifest.allFiles().toList();
    VerifyReport report =
        new VerifyReport(
            problems.isEmpty(),
            files.size(),
            files.stream().mapToLong(BackupFile::bytes).sum(),
            problems);
    reporting.report(
        report,
        out -> {
          problems.forEach(out::println);
          out.printf(
              "%s: %,d files, %,d bytes%n",
              report.intact() ? "intact" : "damaged", report.files(), report.bytes());
        });
    return report.intact() ? ExitCode.OK : ExitCode.FAILED;
  }
}

package io.ensemble.cli.backup;

import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.backup.format.BackupManifest;
import io.ensemble.cli.backup.format.BackupManifest.BackupFile;
import io.ensemble.cli.backup.format.BackupStore;
import io.ensemble.cli.backup.format.BackupVerifier;
import io.ensemble.cli.backup.format.StoredBackup;
import io.ensemble.cli.output.ProgressLine;
import io.ensemble.cli.output.ReportOptions;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "verify",
    description = {
      "Check that a backup is complete and undamaged.",
      "Reads every file, and compares it with its SHA-256 in the manifest. Contacts no site."
    })
final class BackupVerifyCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();

  @Mixin BackupStoreOption location = new BackupStoreOption();

  private record VerifyReport(boolean intact, int files, long bytes, List<String> problems) {}

  @Override
  public Integer call() {
    BackupManifest manifest;
    List<String> problems;
    try (BackupStore store = location.open();
        ProgressLine progress = ProgressLine.on(reporting.err(), "verify")) {
      manifest = new StoredBackup(store).load();
      problems = new BackupVerifier(store).problems(manifest.allFiles(), progress::show);
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

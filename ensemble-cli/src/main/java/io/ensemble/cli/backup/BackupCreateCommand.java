package io.ensemble.cli.backup;

import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.backup.BackupRun.BackupRequest;
import io.ensemble.cli.backup.format.BackupManifest;
import io.ensemble.cli.backup.format.BackupStore;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.option.SizeConverter;
import io.ensemble.cli.output.ProgressLine;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.cli.output.VersionProvider;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "create",
    description = {
      "Copy caches and their definitions to a new or empty location, while they are used.",
      "Each key is read at a moment of its own; there is no cut across keys. Versioned caches by"
          + " hybrid times are copied as of one moment, and versions at or below it can no longer"
          + " be added. Private caches, caches with siblings and caches with atomic objects are"
          + " refused by name."
    })
final class BackupCreateCommand implements Callable<Integer> {

  private static final long LARGEST_FILE = 1L << 40;

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();

  @Mixin BackupStoreOption location = new BackupStoreOption();

  @Option(
      names = "--cache",
      paramLabel = "NAME",
      description =
          "Copy this cache; may be repeated. A distributed cache stands for its parts too. Default:"
              + " all caches.")
  List<String> caches = List.of();

  @Option(
      names = "--exclude",
      paramLabel = "NAME",
      description = "Do not copy this cache; may be repeated.")
  List<String> excluded = List.of();

  @Option(
      names = "--resume",
      description =
          "Continue a backup that was interrupted: with the caches that are not complete, each from"
              + " its beginning.")
  boolean resume;

  @Option(
      names = "--file-size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      defaultValue = "64MB",
      description = "Maximum size of a file, such as 64MB or 1GB; default: ${DEFAULT-VALUE}.")
  long fileBytes;

  @Override
  public Integer call() {
    if (fileBytes < 1 || fileBytes > LARGEST_FILE) {
      throw new CommandException(ExitCode.USAGE, "--file-size must be in [1MB, 1024GB]");
    }
    if (resume && !caches.isEmpty()) {
      throw new CommandException(
          ExitCode.USAGE, "--resume excludes --cache: the backup has the names of its caches");
    }
    location.requireFileSize(fileBytes);
    try (BackupStore store = location.open();
        FederationConnection connected = federation.connect();
        ProgressLine progress = ProgressLine.on(reporting.err(), "backup")) {
      BackupManifest done =
          new BackupRun(
                  connected.manager(),
                  store,
                  new VersionProvider().getVersion()[0],
                  Instant::now,
                  progress::show)
              .run(new BackupRequest(caches, excluded, resume, fileBytes));
      progress.finish();
      reporting.report(done, out -> BackupListCommand.show(out, done));
      return ExitCode.OK;
    }
  }
}

package io.ensemble.cli.backup;

import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.backup.format.BackupManifest;
import io.ensemble.cli.backup.format.BackupManifest.BackupFile;
import io.ensemble.cli.backup.format.BackupManifest.CacheBackup;
import io.ensemble.cli.backup.format.BackupManifest.DistributionBackup;
import io.ensemble.cli.backup.format.BackupManifest.VersionedBackup;
import io.ensemble.cli.backup.format.BackupStore;
import io.ensemble.cli.backup.format.StoredBackup;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.cli.output.Terminal;
import io.ensemble.cli.output.TextTable;
import io.ensemble.placement.ReplicaName;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "list",
    description = {
      "List the caches of a backup.",
      "Reads the manifest only, also of a backup that is not complete. Contacts no site."
    })
final class BackupListCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();

  @Mixin BackupStoreOption location = new BackupStoreOption();

  @Override
  public Integer call() {
    try (BackupStore store = location.open()) {
      StoredBackup backup = new StoredBackup(store);
      BackupManifest manifest = backup.loadAny();
      reporting.report(manifest, out -> show(out, manifest));
      return ExitCode.OK;
    }
  }

  static void show(PrintWriter out, BackupManifest manifest) {
    out.printf(
        "backup of federation %s, %s to %s, %s%n",
        manifest.federation(),
        manifest.begun(),
        manifest.ended() == null ? "…" : manifest.ended(),
        manifest.complete() ? "complete" : "not complete");
    TextTable table =
        new TextTable("cache", "mode", "sites or parts", "copied as of", "records", "bytes");
    for (CacheBackup cache : manifest.caches()) {
      String mode = cache.definition().mode().toLowerCase(Locale.ROOT);
      table.row(
          cache.name(),
          cache.definition().shards() == 0
              ? mode
              : "%s, %d shards".formatted(mode, cache.definition().shards()),
          String.join(",", ReplicaName.sitesOf(cache.definition().replicas())),
          "each key",
          "%,d".formatted(cache.entries()),
          bytes(cache.files().stream()));
      for (VersionedBackup versioned : cache.versioned()) {
        table.row(
            cache.name() + ": versioned cache " + versioned.name(),
            null,
            null,
            versioned.cut() == null ? "each key" : "one moment",
            "%,d".formatted(versioned.versions()),
            bytes(versioned.files().stream()));
      }
    }
    for (DistributionBackup distributed : manifest.distributed()) {
      table.row(
          distributed.name(),
          "distributed",
          String.join(",", distributed.parts()),
          null,
          null,
          null);
    }
    table.print(out, Terminal.coloursOnOut());
  }

  private static String bytes(Stream<BackupFile> files) {
    return "%,d".formatted(files.mapToLong(BackupFile::bytes).sum());
  }
}

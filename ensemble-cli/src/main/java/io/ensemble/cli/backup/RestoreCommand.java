package io.ensemble.cli.backup;

import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.backup.RestoreRun.RestoreReport;
import io.ensemble.cli.backup.RestoreRun.RestoreRequest;
import io.ensemble.cli.backup.format.BackupManifest.DistributionBackup;
import io.ensemble.cli.backup.format.BackupStore;
import io.ensemble.cli.backup.format.StoredBackup;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.output.ProgressLine;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.cli.output.Terminal;
import io.ensemble.cli.output.TextTable;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "restore",
    description = {
      "Restore caches from a backup, to the same or another federation.",
      "Verifies the files first. Creates the caches that do not exist; a cache that exists must"
          + " have the same mode, and keeps its other settings. Entries that have expired are left"
          + " out. After an interruption run the command again: the result is the same."
    })
public final class RestoreCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();

  @Mixin BackupStoreOption location = new BackupStoreOption();

  @Option(
      names = "--cache",
      paramLabel = "NAME[=NEWNAME]",
      description =
          "Restore this cache, under another name if one is given; may be repeated. A distributed "
              + "cache stands for its parts too. Default: all caches of the backup.")
  List<String> caches = List.of();

  @Option(
      names = "--sites",
      paramLabel = "SITE",
      split = ",",
      description =
          "Sites of the caches that are created, in order of preference; default: those of the "
              + "backup.")
  List<String> sites = List.of();

  @Option(
      names = "--on-conflict",
      paramLabel = "POLICY",
      defaultValue = "FAIL",
      description =
          "For a key that has another value or lifespan: ${COMPLETION-CANDIDATES}, "
              + "case-insensitive; default: fail. A version that exists is never overwritten.")
  ConflictPolicy policy = ConflictPolicy.FAIL;

  @Override
  public Integer call() {
    Map<String, String> names = names();
    try (BackupStore store = location.open();
        FederationConnection connected = federation.connectOrCreate(localSite(store));
        ProgressLine progress = ProgressLine.on(reporting.err(), "restore")) {
      RestoreReport done =
          new RestoreRun(
                  connected.manager(),
                  store,
                  () -> ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()),
                  progress::show)
              .run(new RestoreRequest(names, sites, policy), connected.siteNames());
      progress.finish();
      reporting.report(done, out -> show(out, done));
      return ExitCode.OK;
    }
  }

  /** A cache in frontier mode requires a local site. */
  private @Nullable String localSite(BackupStore store) {
    return new StoredBackup(store)
            .load().distributed().stream().anyMatch(DistributionBackup::frontier)
        ? federation.state().siteNames().get(0)
        : null;
  }

  private Map<String, String> names() {
    Map<String, String> names = new LinkedHashMap<>();
    for (String given : caches) {
      int equals = given.indexOf('=');
      String from = equals < 0 ? given : given.substring(0, equals);
      String to = equals < 0 ? given : given.substring(equals + 1);
      if (from.isEmpty() || to.isEmpty()) {
        throw new CommandException(
            ExitCode.USAGE, "--cache must be NAME or NAME=NEWNAME; got '%s'".formatted(given));
      }
      if (names.put(from, to) != null) {
        throw new CommandException(
            ExitCode.USAGE, "--cache names a cache twice: '%s'".formatted(from));
      }
    }
    return names;
  }

  private static void show(PrintWriter out, RestoreReport done) {
    TextTable table =
        new TextTable("cache", "from", "written", "already there", "skipped", "expired");
    done.caches()
        .forEach(
            one ->
                table.row(
                    one.cache(),
                    one.from(),
                    "%,d".formatted(one.written()),
                    "%,d".formatted(one.present()),
                    "%,d".formatted(one.skipped()),
                    "%,d".formatted(one.expired())));
    table.print(out, Terminal.coloursOnOut());
    done.distributed().forEach(name -> out.println("distributed: " + name));
  }
}

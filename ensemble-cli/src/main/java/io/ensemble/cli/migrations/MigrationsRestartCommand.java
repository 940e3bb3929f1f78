package io.ensemble.cli.migrations;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.process.CommandException;
import io.ensemble.cli.caches.CachesAlterCommand;
import io.ensemble.cli.migrations.ChangeWait.ChangeResult;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.output.ProgressLine;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.reconfiguration.ChangeRun;
import io.ensemble.reconfiguration.LostStoreDetector;
import io.ensemble.reconfiguration.LostStoreDetector.LostStores;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "restart",
    description = {
      "Restart a change whose new stores are lost during lazy migration, so that no majority of "
          + "them is left.",
      "Loses acknowledged writes and removals: of the writes since lazy migration began, only "
          + "those at a remaining new store are kept. All other keys are restored to their state "
          + "when the cache was sealed. Refused in other steps, and while a majority of the new "
          + "stores exists or does not answer. Waits until missing stores are declared lost, four "
          + "seconds, or a minute for sites on disk; then until the change ends."
    })
final class MigrationsRestartCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();

  @Parameters(paramLabel = "NAME", description = "Name of the cache.")
  String name = "";

  @Option(
      names = "--accept-loss",
      description =
          "Accept the loss of writes. Without it, the command reports the loss, and ends.")
  boolean acceptLoss;

  @Override
  public Integer call() {
    try (ProgressLine progressLine =
            ProgressLine.on(reporting.err(), "restarting the change of " + name);
        FederationConnection connected = federation.connect()) {
      EnsembleCacheManager manager = connected.manager();
      StoredDefinition before =
          manager.stored(name).orElseThrow(() -> connected.notConfigured(name, "restarted"));
      LostStoreDetector detector = manager.changes().lostStoreDetector();
      if (before.change().filter(ConfigurationChange::isInCutover).isPresent()) {
        awaitLoss(manager, detector, progressLine);
      }
      ChangeRun run = manager.changes().restart(name, detector); // Reports the reason of a refusal.
      ChangeResult ended =
          ChangeWait.awaitEnd(manager, name, before.leadsFrom(), run, progressLine);
      progressLine.finish();
      return CachesAlterCommand.show(reporting, ended);
    }
  }

  /** Returns when no store is missing, or the missing stores are declared lost. */
  private void awaitLoss(
      EnsembleCacheManager manager, LostStoreDetector detector, ProgressLine progressLine) {
    CountDownLatch never = new CountDownLatch(1);
    while (true) {
      StoredDefinition now = manager.stored(name).orElse(null);
      LostStores lost = now == null ? LostStores.NOTHING : detector.check(now);
      if (!lost.sites().isEmpty() && !acceptLoss && now != null) {
        throw new CommandException(wouldLose(now, lost));
      }
      if (lost.sites().isEmpty() || lost.isConfirmed()) {
        return;
      }
      progressLine.show(ChangeReport.missingAt(lost.sites()));
      try {
        if (never.await(LostStoreDetector.APART.toNanos(), TimeUnit.NANOSECONDS)) {
          return;
        }
      } catch (InterruptedException stopped) {
        Thread.currentThread().interrupt();
        throw new CommandException("interrupted; nothing was done", stopped);
      }
    }
  }

  private String wouldLose(StoredDefinition now, LostStores lost) {
    Set<String> left = new TreeSet<>(now.served().definition().sites());
    left.removeAll(lost.sites());
    return ("the cache '%s' %s. A restart loses the writes and removals since then, except those at"
            + " the new stores of other sites (%s); all other keys are restored to their state"
            + " when the cache was sealed. If that is acceptable, and no site is starting:"
            + " --accept-loss")
        .formatted(
            name,
            ChangeReport.lostAt(lost.sites()),
            left.isEmpty() ? "none" : String.join(",", left));
  }
}

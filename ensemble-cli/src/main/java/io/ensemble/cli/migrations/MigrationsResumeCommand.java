package io.ensemble.cli.migrations;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.check.federation.FederationConnection;
import io.ensemble.cli.caches.CachesAlterCommand;
import io.ensemble.cli.migrations.ChangeWait.ChangeResult;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.output.ProgressLine;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.reconfiguration.ChangeRun;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "resume",
    description = {
      "Take over a change from its mover, and carry it out to the end.",
      "Use it if the mover has crashed: keys are copied to new stores, from the beginning. Safe if "
          + "the mover still runs. Waits for the end."
    })
final class MigrationsResumeCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();

  @Parameters(paramLabel = "NAME", description = "Name of the cache.")
  String name = "";

  @Override
  public Integer call() {
    try (FederationConnection connected = federation.connect()) {
      if (connected.manager().distribution(name).isPresent()) {
        return PartOptions.resuming().alter(connected, name, reporting);
      }
      return resume(connected);
    }
  }

  private int resume(FederationConnection connected) {
    try (ProgressLine progressLine = ProgressLine.on(reporting.err(), "altering " + name)) {
      EnsembleCacheManager manager = connected.manager();
      StoredDefinition before = manager.stored(name).orElseThrow(() -> connected.noSuchCache(name));
      ChangeRun run = manager.changes().resume(name);
      ChangeResult ended =
          ChangeWait.awaitEnd(
              manager, name, ChangeWait.formerConfiguration(before), run, progressLine);
      progressLine.finish();
      return CachesAlterCommand.show(reporting, ended);
    }
  }
}

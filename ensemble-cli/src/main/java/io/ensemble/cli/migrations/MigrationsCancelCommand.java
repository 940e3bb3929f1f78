package io.ensemble.cli.migrations;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.caches.CachesAlterCommand;
import io.ensemble.cli.migrations.ChangeWait.ChangeResult;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.output.ProgressLine;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.reconfiguration.ChangeRun;
import java.util.NoSuchElementException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "cancel",
    description = {
      "Cancel a change: the cache stays unchanged.",
      "Possible while keys are copied for the first time; refused once the former configuration is "
          + "sealed, when the change continues. Removes the new stores, also if the mover has "
          + "crashed."
    })
final class MigrationsCancelCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();

  @Parameters(paramLabel = "NAME", description = "Name of the cache.")
  String name = "";

  @Override
  public Integer call() {
    try (ProgressLine progressLine =
            ProgressLine.on(reporting.err(), "cancelling the change of " + name);
        FederationConnection connected = federation.connect()) {
      EnsembleCacheManager manager = connected.manager();
      StoredDefinition before =
          manager
              .stored(name)
              .orElseThrow(
                  () ->
                      connected.notConfigured(
                          name, "cancelled: change the parts back after the present change"));
      ChangeRun run = manager.changes().join(name);
      run.cancel();
      try {
        run = manager.changes().resume(name); // The mover of the change may be dead.
      } catch (NoSuchElementException over) {
        progressLine.show("the new stores were removed");
      }
      ChangeResult ended =
          ChangeWait.awaitEnd(manager, name, before.configuration(), run, progressLine);
      progressLine.finish();
      CachesAlterCommand.show(reporting, ended);
      return ended.outcome().equals("cancelled") ? ExitCode.OK : ExitCode.FAILED;
    }
  }
}

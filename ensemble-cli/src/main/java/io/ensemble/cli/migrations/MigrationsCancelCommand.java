package io.ensemble.cli.migrations;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.caches.CachesAlterCommand;
import io.ensemble.cli.migrations.ChangeWait.Ended;
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
      "Give a change up: the cache stays what it is.",
      "Possible while keys are copied for the first time; refused from the sealing on, when the change"
          + " goes on. Removes the new stores, whether or not the process that copied is alive."
    })
final class MigrationsCancelCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();

  @Parameters(paramLabel = "NAME", description = "The cache's name.")
  String name = "";

  @Override
  public Integer call() {
    try (ProgressLine progressLine =
            ProgressLine.on(reporting.err(), "giving up the change of " + name);
        FederationConnection connected = federation.connect()) {
      EnsembleCacheManager manager = connected.manager();
      StoredDefinition before =
          manager
              .stored(name)
              .orElseThrow(
                  () ->
                      connected.notConfigured(
                          name, "given up: change the parts back when it is over"));
      ChangeRun run = manager.changes().join(name);
      run.giveUp();
      try {
        run = manager.changes().resume(name); // The mover of the change may be dead.
      } catch (NoSuchElementException over) {
        progressLine.show("the new stores are gone");
      }
      Ended ended = ChangeWait.end(manager, name, before.configuration(), run, progressLine);
      progressLine.finish();
      CachesAlterCommand.show(reporting, ended);
      return ended.outcome().equals("given up") ? ExitCode.OK : ExitCode.FAILED;
    }
  }
}

package io.ensemble.cli.caches;

import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.migrations.ChangeWait;
import io.ensemble.cli.migrations.ChangeWait.ChangeResult;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.output.ProgressLine;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.reconfiguration.ChangeRun;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "rebuild",
    description = {
      "Create new stores for a cache on nodes that answer, while clients use it.",
      "Replaces replicas on nodes that do not return. Such a node may still have its store, which "
          + "is not used when the node returns. A majority of the replicas must answer, and each "
          + "site requires a free node for each of its replicas. Otherwise as 'alter': all entries "
          + "are copied, no acknowledged write is lost, and the command may be repeated after an "
          + "interruption. Of a cache with shards, one shard after the other."
    })
final class CachesRebuildCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();

  @Parameters(paramLabel = "NAME", description = "Name of the cache.")
  String name = "";

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Maximum number of keys copied per second while the cache serves; default: no limit.")
  long rate;

  @Option(
      names = "--no-wait",
      description =
          "Only begin the change. './ensemble migrations resume', or a process with maintenance, "
              + "carries it out.")
  boolean noWait;

  @Override
  public Integer call() {
    if (rate < 0) {
      throw new CommandException(
          ExitCode.USAGE, "--rate must be 0 or more keys per second; got " + rate);
    }
    try (FederationConnection connected = federation.connect()) {
      return CachesAlterCommand.changeEach(
          connected,
          name,
          "rebuilding",
          reporting,
          (cache, progressLine) -> rebuild(connected, cache, progressLine));
    }
  }

  private ChangeResult rebuild(
      FederationConnection connected, String cache, ProgressLine progressLine) {
    StoredDefinition stored =
        connected.manager().stored(cache).orElseThrow(() -> connected.noSuchCache(cache));
    ChangeRun run = connected.manager().changes().rebuild(cache, rate);
    if (noWait) {
      return ChangeResult.of("begun", connected.manager().stored(cache).orElse(stored), 0, 0);
    }
    ChangeResult ended =
        ChangeWait.awaitEnd(connected.manager(), cache, stored.configuration(), run, progressLine);
    progressLine.finish();
    return ended;
  }
}

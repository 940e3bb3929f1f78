package io.ensemble.cli.caches;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "caches",
    description = "List, create, describe, alter, rebuild, promote, re-encrypt and delete caches.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      CachesListCommand.class,
      CachesCreateCommand.class,
      CachesDescribeCommand.class,
      CachesAlterCommand.class,
      CachesRebuildCommand.class,
      CachesPromoteCommand.class,
      CachesReencryptCommand.class,
      CachesDeleteCommand.class
    })
public final class CachesCommand implements Runnable {

  @Spec CommandSpec spec = CommandSpec.create();

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  boolean help;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(),
        "a command is required: list, create, describe, alter, rebuild, promote, reencrypt or "
            + "delete");
  }
}

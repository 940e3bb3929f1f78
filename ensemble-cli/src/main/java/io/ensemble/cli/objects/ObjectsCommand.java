package io.ensemble.cli.objects;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "objects",
    description = "List the atomic objects on an MWMR cache.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {ObjectsListCommand.class})
public final class ObjectsCommand implements Runnable {

  @Spec CommandSpec spec = CommandSpec.create();

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  boolean help;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is required: list");
  }
}

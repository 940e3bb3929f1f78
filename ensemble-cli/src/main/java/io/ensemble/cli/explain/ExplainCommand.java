package io.ensemble.cli.explain;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "explain",
    description = "Explain the state of a key or the placement of a cache.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {ExplainKeyCommand.class, ExplainPlacementCommand.class})
public final class ExplainCommand implements Runnable {

  @Spec CommandSpec spec = CommandSpec.create();

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  boolean help;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is required: key or placement");
  }
}

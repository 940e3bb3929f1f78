package io.ensemble.cli.keys;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "keys",
    description = "Create and change keysets of private caches. Never prints keys.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      KeysCreateCommand.class,
      KeysShowCommand.class,
      KeysRotateCommand.class,
      KeysRetireCommand.class
    })
public final class KeysCommand implements Runnable {

  @Spec CommandSpec spec = CommandSpec.create();

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  boolean help;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "a command is required: create, show, rotate or retire");
  }
}

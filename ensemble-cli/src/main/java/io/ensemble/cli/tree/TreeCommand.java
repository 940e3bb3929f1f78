package io.ensemble.cli.tree;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "tree",
    description = "Read, change and watch a shared tree on an MWMR cache.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      TreeListCommand.class,
      TreeReadCommand.class,
      TreeWriteCommand.class,
      TreeRemoveCommand.class,
      TreeWatchCommand.class
    })
public final class TreeCommand implements Runnable {

  @Spec CommandSpec spec = CommandSpec.create();

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  boolean help;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "a command is required: ls, read, write, rm or watch");
  }
}

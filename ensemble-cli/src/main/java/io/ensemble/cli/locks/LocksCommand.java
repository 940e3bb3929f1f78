package io.ensemble.cli.locks;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "locks",
    description = "Show and revoke locks on MWMR caches.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {LocksShowCommand.class, LocksRevokeCommand.class})
public final class LocksCommand implements Runnable {

  @Spec CommandSpec spec = CommandSpec.create();

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  boolean help;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is required: show or revoke");
  }
}

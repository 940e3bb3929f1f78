package io.ensemble.cli.backup;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "backup",
    description =
        "Copy caches to a directory or a bucket, and check such a copy; 'restore' restores them.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {BackupCreateCommand.class, BackupVerifyCommand.class, BackupListCommand.class})
public final class BackupCommand implements Runnable {

  @Spec CommandSpec spec = CommandSpec.create();

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  boolean help;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "a command is required: create, verify or list");
  }
}

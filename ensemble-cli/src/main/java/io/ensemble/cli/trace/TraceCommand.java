package io.ensemble.cli.trace;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "trace",
    description = {
      "Create traces of versions, for benchmarks and demonstrations of versioned caches.",
      "A trace is a text file with a JSON object per line: key, version and value, or a read; compressed if "
          + "its name ends with .gz."
    },
    subcommands = {
      TraceGitCommand.class,
      TraceSyntheticCommand.class,
      TraceWikiBenchCommand.class,
      TraceShowCommand.class
    })
public final class TraceCommand implements Runnable {

  @Spec CommandSpec spec = CommandSpec.create();

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  boolean help;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "a command is required: git, synthetic, wikibench or show");
  }
}

package io.ensemble.cli.trace;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "trace",
    description = {
      "Make traces of versions, which measurements and demonstrations of versioned caches take.",
      "A trace is a file of text, a JSON object a line: key, version and value; gzip if its name ends"
          + " with .gz."
    },
    subcommands = {TraceGitCommand.class, TraceSyntheticCommand.class, TraceShowCommand.class})
public final class TraceCommand implements Runnable {

  @Spec CommandSpec spec = CommandSpec.create();

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  boolean help;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "which of git, synthetic, show?");
  }
}

package io.ensemble.cli.zoofence;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

@Command(
    name = "catalog",
    description = "Commands for catalogs themselves.",
    subcommands = CatalogFlatteningCommand.class)
public final class CatalogCommand implements Runnable {

  @Spec CommandSpec spec = CommandSpec.create();

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  boolean help;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is required: flattening");
  }
}

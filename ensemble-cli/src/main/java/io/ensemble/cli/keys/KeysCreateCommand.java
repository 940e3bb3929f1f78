package io.ensemble.cli.keys;

import io.ensemble.cli.output.ReportOptions;
import io.ensemble.keyset.KeysetFile;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "create",
    description = {
      "Create a keyset: one key for values, and optionally one for names.",
      "Only the owner can read the file. Without it, data that is encrypted with it is lost."
    })
final class KeysCreateCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();

  @Parameters(index = "0", paramLabel = "FILE", description = "File of the keyset.")
  Path file = Path.of("");

  @Option(
      names = "--wrapped",
      description =
          "Encrypt the file with the key in $$ENSEMBLE_KEYSET_KEY: 32 random bytes in Base64.")
  boolean wrapped;

  @Option(
      names = "--names",
      description = "Add a key for names, for caches that are created with --private-keys.")
  boolean names;

  @Override
  public Integer call() {
    return KeysReport.of(file, KeysetFile.at(file).create(wrapped, names))
        .report(reporting, "created");
  }
}

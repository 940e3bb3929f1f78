package io.ensemble.cli.keys;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.keyset.KeysetFile;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "retire",
    description = {
      "Remove a key that no longer encrypts.",
      "Values that are still encrypted with the key cannot be read with this keyset afterwards; "
          + "'caches reencrypt' reports whether such values exist."
    })
final class KeysRetireCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();

  @Parameters(index = "0", paramLabel = "FILE", description = "File of the keyset.")
  Path file = Path.of("");

  @Parameters(index = "1", paramLabel = "KEY", description = "Id of the key.")
  String key = "";

  @Override
  public Integer call() {
    int id;
    try {
      id = Integer.parseUnsignedInt(key);
    } catch (NumberFormatException wrong) {
      throw new CommandException(
          ExitCode.USAGE, "the id of a key must be a number; got '%s'".formatted(key));
    }
    return KeysReport.of(file, KeysetFile.at(file).retire(id)).report(reporting, "retired");
  }
}

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
      "Drop a key that does not encrypt any more.",
      "What is still encrypted with it cannot be read with this keyset again; 'caches reencrypt'"
          + " tells whether there is such."
    })
final class KeysRetireCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();

  @Parameters(index = "0", paramLabel = "FILE", description = "The keyset's file.")
  Path file = Path.of("");

  @Parameters(index = "1", paramLabel = "KEY", description = "The key's id.")
  String key = "";

  @Override
  public Integer call() {
    int id;
    try {
      id = Integer.parseUnsignedInt(key);
    } catch (NumberFormatException wrong) {
      throw new CommandException(
          ExitCode.USAGE, "a key's id is a number; came '%s'".formatted(key));
    }
    return KeysReport.of(file, KeysetFile.at(file).retire(id)).report(reporting, "retired");
  }
}

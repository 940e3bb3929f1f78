package io.ensemble.cli.keys;

import io.ensemble.cli.output.ReportOptions;
import io.ensemble.keyset.KeysetFile;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "show",
    description = {"Show the ids of the keys of a keyset, and which key encrypts."})
final class KeysShowCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();

  @Parameters(index = "0", paramLabel = "FILE", description = "File of the keyset.")
  Path file = Path.of("");

  @Override
  public Integer call() {
    return KeysReport.of(file, KeysetFile.at(file).read()).report(reporting, "keyset");
  }
}

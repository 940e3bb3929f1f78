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
    name = "rotate",
    description = {
      "Encrypt with another key from now on; the former keys still decrypt.",
      "Clients without the new key cannot read values that are encrypted with it. If several "
          + "clients use the keyset: rotate --prepare, distribute the file and let all clients "
          + "open the cache again, rotate, distribute the file again, 'caches reencrypt', and then "
          + "'keys retire'."
    })
final class KeysRotateCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();

  @Parameters(index = "0", paramLabel = "FILE", description = "File of the keyset.")
  Path file = Path.of("");

  @Option(names = "--prepare", description = "Only add the key; the next rotate encrypts with it.")
  boolean prepare;

  @Override
  public Integer call() {
    KeysetFile keyset = KeysetFile.at(file);
    return KeysReport.of(file, prepare ? keyset.prepare() : keyset.rotate())
        .report(reporting, prepare ? "prepared" : "rotated");
  }
}

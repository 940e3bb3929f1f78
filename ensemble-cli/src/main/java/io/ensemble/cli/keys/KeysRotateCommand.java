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
      "Have another key encrypt from now on; the former ones go on decrypting.",
      "Who has not got the new key cannot read what is encrypted with it. So where several use the"
          + " keyset: rotate --prepare, bring the file to all of them and have them open the cache"
          + " anew, rotate, bring it to all again, 'caches reencrypt', and then 'keys retire'."
    })
final class KeysRotateCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();

  @Parameters(index = "0", paramLabel = "FILE", description = "The keyset's file.")
  Path file = Path.of("");

  @Option(names = "--prepare", description = "Only add the key; the next rotate has it encrypt.")
  boolean prepare;

  @Override
  public Integer call() {
    KeysetFile keyset = KeysetFile.at(file);
    return KeysReport.of(file, prepare ? keyset.prepare() : keyset.rotate())
        .report(reporting, prepare ? "prepared" : "rotated");
  }
}

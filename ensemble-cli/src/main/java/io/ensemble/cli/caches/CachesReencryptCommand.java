package io.ensemble.cli.caches;

import io.ensemble.Reencryption;
import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.option.KeysetOption;
import io.ensemble.cli.output.ProgressLine;
import io.ensemble.cli.output.ReportOptions;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "reencrypt",
    description = {
      "Encrypt all values of a private cache with the current key of its keyset.",
      "Clients may read and write meanwhile; their writes are not changed. Reports how many values "
          + "each key encrypts. After a pass without changes, and when all writers use the current "
          + "keyset, 'keys retire' can remove a former key. Fails if values of former keys remain, "
          + "or cannot be read."
    })
final class CachesReencryptCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();
  @Mixin KeysetOption keyset = new KeysetOption();

  @Parameters(paramLabel = "NAME", description = "Name of the cache.")
  String name = "";

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "0",
      description = "Maximum number of keys read per second; default: 0, no limit.")
  long rate;

  @Override
  public Integer call() {
    if (rate < 0) {
      throw new CommandException(ExitCode.USAGE, "--rate must be 0 or more");
    }
    try (FederationConnection connected = federation.connect(null, keyset, name);
        ProgressLine progress = ProgressLine.on(reporting.err(), "reencrypt")) {
      if (connected.manager().stored(name).isEmpty()) {
        throw connected.noSuchCache(name);
      }
      Reencryption done =
          connected
              .manager()
              .reencrypt(
                  name,
                  rate,
                  now ->
                      progress.show(
                          "%,d keys, %,d encrypted again"
                              .formatted(now.keys(), now.reencrypted())));
      progress.finish();
      reporting.report(
          done,
          out -> {
            out.printf(
                "%,d keys, %,d encrypted again, %,d left, %,d unreadable%n",
                done.keys(), done.reencrypted(), done.left(), done.unreadable());
            done.byKey().forEach((key, values) -> out.printf("key %s: %,d values%n", key, values));
          });
      return done.left() + done.unreadable() == 0 ? ExitCode.OK : ExitCode.FAILED;
    }
  }
}

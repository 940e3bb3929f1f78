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
      "Bring every value of a private cache under the present key of its keyset.",
      "The cache is read and written meanwhile; what is written then stays as it was written. Tells"
          + " how many values are under which key. Once a pass has found nothing to do, and all who"
          + " write have the present keyset, a former key can be retired with 'keys retire'. Fails"
          + " when values are left under former keys, or cannot be read."
    })
final class CachesReencryptCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();
  @Mixin KeysetOption keyset = new KeysetOption();

  @Parameters(paramLabel = "NAME", description = "The cache's name.")
  String name = "";

  @Option(
      names = "--rate",
      paramLabel = "N",
      defaultValue = "0",
      description = "How many keys a second it may look at; 0, the default, for as many as can be.")
  long rate;

  @Override
  public Integer call() {
    if (rate < 0) {
      throw new CommandException(ExitCode.USAGE, "--rate wants 0 or more");
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
                          "%,d keys, %,d encrypted anew".formatted(now.keys(), now.reencrypted())));
      progress.finish();
      reporting.report(
          done,
          out -> {
            out.printf(
                "%,d keys, %,d encrypted anew, %,d left, %,d unreadable%n",
                done.keys(), done.reencrypted(), done.left(), done.unreadable());
            done.byKey().forEach((key, values) -> out.printf("key %s: %,d values%n", key, values));
          });
      return done.left() + done.unreadable() == 0 ? ExitCode.OK : ExitCode.FAILED;
    }
  }
}

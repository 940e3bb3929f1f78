package io.ensemble.cli.entries;

import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.output.ReportOptions;
import io.ensemble.cli.output.ValueFormatter;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "get",
    description = {
      "Print the value of a key.",
      "Fails if the key is absent. A value that is not a string is printed by its toString method, "
          + "a byte array as hexadecimal digits."
    })
public final class GetCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin CacheOptions options = new CacheOptions();

  @Override
  public Integer call() {
    try (FederationConnection connected = options.connect()) {
      Object value = options.open(connected).get(options.key);
      String text = value == null ? null : ValueFormatter.text(value);
      reporting.report(
          new GetReport(options.cache, options.key, value != null, text),
          out -> {
            if (text != null) {
              out.println(text);
            }
          });
      if (value == null) {
        reporting
            .err()
            .printf("ensemble: absent: '%s' in cache '%s'%n", options.key, options.cache);
        return ExitCode.FAILED;
      }
      return ExitCode.OK;
    }
  }

  private record GetReport(String cache, String key, boolean present, @Nullable String value) {}
}

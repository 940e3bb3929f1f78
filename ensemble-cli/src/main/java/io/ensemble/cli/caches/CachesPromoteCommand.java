package io.ensemble.cli.caches;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.PrimaryTerm;
import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.option.DurationConverter;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.output.ReportOptions;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "promote",
    description = {
      "Make a site the primary of an SWMR cache.",
      "Waits for the change of the primary. Meanwhile no read or write succeeds for the time of a "
          + "lease, two seconds. The writer stays the same. A majority of the sites must answer. A "
          + "primary that does not answer is replaced automatically if the cache is at three or "
          + "more sites.",
      "With --without, a cache at two sites continues at SITE alone; otherwise it rejects reads "
          + "and writes while either site does not answer. Only SITE must answer. When the other "
          + "site answers again, './ensemble sites recover' refills it and makes it count again. "
          + "May be repeated.",
      "Each shard of a cache with shards is promoted, one after the other, each within --timeout."
    })
final class CachesPromoteCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();

  @Parameters(index = "0", paramLabel = "NAME", description = "Name of the cache.")
  String name = "";

  @Parameters(
      index = "1",
      paramLabel = "SITE",
      description = "Site of the cache that becomes the primary.")
  String site = "";

  @Option(
      names = "--without",
      paramLabel = "SITE",
      description =
          "The other of the two sites of the cache, which is lost; it does not count until it is "
              + "recovered. Safe also if this site is only unreachable. Never use this for both "
              + "sites.")
  @Nullable String without;

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      defaultValue = "30s",
      converter = DurationConverter.class,
      description = "Timeout; default: ${DEFAULT-VALUE}.")
  Duration timeout = Duration.ofSeconds(30);

  @Override
  public Integer call() {
    if (timeout.isZero()) {
      throw new CommandException(ExitCode.USAGE, "--timeout must be above zero");
    }
    try (FederationConnection connected = federation.connect()) {
      RuntimeException failed = null;
      for (String cache : connected.shardsOrItself(name)) {
        PrimaryTerm term;
        try {
          if (connected.manager().stored(cache).isEmpty()) {
            throw connected.noSuchCache(cache);
          }
          term = promote(connected.manager(), cache);
        } catch (RuntimeException one) { // The other shards do not wait for it.
          failed = failed == null ? one : failed;
          continue;
        }
        reporting.report(
            new Promoted(cache, term.primary(), term.epoch(), without),
            out ->
                out.printf(
                    "promoted: cache '%s' has its primary at %s%s%n",
                    cache,
                    term.primary(),
                    without == null ? "" : " and continues without " + without));
      }
      if (failed != null) {
        throw failed;
      }
      return ExitCode.OK;
    } catch (UnsupportedOperationException notSwmr) {
      throw new CommandException(ExitCode.USAGE, String.valueOf(notSwmr.getMessage()));
    }
  }

  private PrimaryTerm promote(EnsembleCacheManager manager, String cache) {
    String lost = without;
    return lost == null
        ? manager.promote(cache, site, timeout)
        : manager.promote(cache, site, lost, timeout);
  }

  private record Promoted(
      String cache,
      String primary,
      long epoch,
      @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String without) {}
}

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
      "Waits until it is; meanwhile nothing is read or written for the time of a lease, two seconds."
          + " The writer stays the writer. A majority of the cache's sites must answer. A primary"
          + " that is silent is replaced without this, if the cache is at three sites or more.",
      "With --without a cache at two sites goes on at SITE alone: nothing is read or written there"
          + " while either is away, until you say so. Only SITE must answer. When the other site is"
          + " back, './ensemble sites recover' fills it, and it counts again. May be repeated.",
      "Each shard of a cache with shards is promoted, one after the other, each within --timeout."
    })
final class CachesPromoteCommand implements Callable<Integer> {

  @Mixin ReportOptions reporting = new ReportOptions();
  @Mixin FederationOption federation = new FederationOption();

  @Parameters(index = "0", paramLabel = "NAME", description = "The cache's name.")
  String name = "";

  @Parameters(index = "1", paramLabel = "SITE", description = "The site, one of the cache's.")
  String site = "";

  @Option(
      names = "--without",
      paramLabel = "SITE",
      description =
          "The other one of the cache's two sites, which is lost: it counts no more until it is"
              + " recovered. Safe also if it is only cut off. Never do so for both.")
  @Nullable String without;

  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      defaultValue = "30s",
      converter = DurationConverter.class,
      description = "How long it may take; default: ${DEFAULT-VALUE}.")
  Duration timeout = Duration.ofSeconds(30);

  @Override
  public Integer call() {
    if (timeout.isZero()) {
      throw new CommandException(ExitCode.USAGE, "--timeout wants more than nothing");
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
                    without == null ? "" : " and goes on without " + without));
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

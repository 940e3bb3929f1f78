package io.ensemble.deploy;

import io.ensemble.PrimaryTerm;
import io.ensemble.deploy.federation.Federation;
import java.time.Duration;
import java.util.concurrent.Callable;
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
          + " that is silent is replaced without this, if the cache is at three sites or more."
    })
final class CachesPromoteCommand implements Callable<Integer> {

  @Mixin Reporting reporting = new Reporting();
  @Mixin FederationOption federation = new FederationOption();

  @Parameters(index = "0", paramLabel = "NAME", description = "The cache's name.")
  String name = "";

  @Parameters(index = "1", paramLabel = "SITE", description = "The site, one of the cache's.")
  String site = "";

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
      throw new CommandFailure(ExitCode.USAGE, "--timeout wants more than nothing");
    }
    try (Federation connected = federation.connect()) {
      if (connected.manager().stored(name).isEmpty()) {
        throw connected.noSuchCache(name);
      }
      PrimaryTerm term = connected.manager().promote(name, site, timeout);
      reporting.report(
          new Promoted(name, term.primary(), term.epoch()),
          out -> out.printf("promoted: cache '%s' has its primary at %s%n", name, term.primary()));
      return ExitCode.OK;
    } catch (UnsupportedOperationException notSwmr) {
      throw new CommandFailure(ExitCode.USAGE, String.valueOf(notSwmr.getMessage()));
    }
  }

  private record Promoted(String cache, String primary, long epoch) {}
}

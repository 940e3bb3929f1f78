package io.ensemble.cli.entries;

import io.ensemble.AsyncEnsembleCache;
import io.ensemble.EnsembleCache;
import io.ensemble.WriteOutcome;
import io.ensemble.check.federation.FederationConnection;
import io.ensemble.cli.option.DurationConverter;
import io.ensemble.cli.option.FederationOption;
import io.ensemble.cli.option.KeysetOption;
import io.ensemble.cli.output.ReportOptions;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The cache of an operation, and the connection to it. */
final class CacheOptions {

  @Mixin FederationOption federation = new FederationOption();
  @Mixin KeysetOption keyset = new KeysetOption();

  @Option(names = "--local-site", paramLabel = "SITE", description = "Local site of a WEAK cache.")
  @Nullable String localSite;

  @Option(
      names = "--deadline",
      paramLabel = "DURATION",
      converter = DurationConverter.class,
      description = "Timeout; default: the deadline of the cache.")
  @Nullable Duration deadline;

  @Parameters(index = "0", paramLabel = "CACHE", description = "Name of the cache.")
  String cache = "";

  @Parameters(index = "1", paramLabel = "KEY", description = "The key, a string.")
  String key = "";

  FederationConnection connect() {
    return federation.connect(localSite, keyset, cache);
  }

  /** One write of the key. */
  interface WriteAction {
    CompletionStage<? extends WriteOutcome<?>> on(AsyncEnsembleCache<String, Object> cache);
  }

  /** Writes, reports the outcome, a success as {@code done}, and returns the exit code. */
  int write(ReportOptions reportOptions, String done, WriteAction write) {
    try (FederationConnection connected = connect()) {
      WriteOutcome<?> ended = write.on(open(connected).async()).toCompletableFuture().join();
      return WriteReport.of(cache, key, ended).report(reportOptions, done);
    }
  }

  EnsembleCache<String, Object> open(FederationConnection connected) {
    EnsembleCache<String, Object> opened = connected.cache(cache);
    return deadline == null ? opened : opened.withDeadline(deadline);
  }
}

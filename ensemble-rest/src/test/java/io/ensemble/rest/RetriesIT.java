package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.rest.retries.RetryCounts;
import io.ensemble.rest.retries.RetryTestSites;
import io.ensemble.rest.retries.RetryTrial;
import io.ensemble.rest.retries.SiteFaults;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A request that may be sent again is performed once, whatever faults affect sites, answers and
 * connections. Clients repeat requests at either of two services until they have a final answer.
 * Meanwhile sites are killed, paused and partitioned, and replies are lost.
 */
class RetriesIT {

  private static final int SEEDS = Integer.getInteger("ensemble.retries.seeds", 5);

  private static final List<String> MET =
      List.of(
          "answered",
          "refused",
          "unknown",
          "without an answer",
          "repeated",
          "set",
          "held",
          "met",
          "deleted");
  private static final List<String> MET_WITH_ALL_FAULTS =
      Stream.concat(MET.stream(), Stream.of("object out of reach")).toList();

  @TempDir Path directory;

  /** The form of the gate: the same clients and checks, with two of the faults. */
  @Test
  @Timeout(240)
  void whatIsSentAgainIsDoneOnceWhileTwoSitesFail() {
    try (RetryTestSites sites = RetryTestSites.start(directory)) {
      RetryCounts tally =
          tried(sites, List.of(sites.service(), sites.service()), 1, SiteFaults::brief);
      require(tally, 1, MET);
    }
  }

  @Test
  @Tag("nightly")
  @Timeout(600)
  void whatIsSentAgainIsDoneOnceWhileSitesFail() {
    try (RetryTestSites sites = RetryTestSites.start(directory)) {
      RetryCounts tally =
          tried(sites, List.of(sites.service(), sites.service()), 1, SiteFaults::all);
      require(tally, 1, MET_WITH_ALL_FAULTS);
    }
  }

  @Test
  @Tag("deep")
  @Timeout(2_400)
  void whatIsSentAgainIsDoneOnceWhileSitesFailAndDieForLong() {
    try (RetryTestSites sites = RetryTestSites.start(directory)) {
      List<URI> services = List.of(sites.service(), sites.service());
      for (int seed = 2; seed < 2 + SEEDS; seed++) {
        RetryCounts tally =
            tried(
                sites,
                services,
                seed,
                faults -> {
                  faults.deaths();
                  faults.silences();
                  faults.all();
                  faults.deaths();
                });
        require(tally, seed, MET_WITH_ALL_FAULTS);
      }
    }
  }

  private static RetryCounts tried(
      RetryTestSites sites, List<URI> services, long seed, Consumer<SiteFaults> faults) {
    RetryCounts tally = new RetryTrial(sites, services, seed).run(faults);
    System.out.printf("retries, seed %d: %s%n", seed, tally);
    return tally;
  }

  /** A trial shows nothing unless the clients met each of these. */
  private static void require(RetryCounts tally, long seed, List<String> met) {
    for (String what : met) {
      assertThat(tally.of(what)).as("%s, of %s; seed %d", what, tally, seed).isPositive();
    }
  }
}

package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.rest.retries.RetriedSites;
import io.ensemble.rest.retries.SiteFaults;
import io.ensemble.rest.retries.Tally;
import io.ensemble.rest.retries.Trial;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A request that may be sent again is done once, whatever befalls sites, answers and connections:
 * clients repeat what they ask at either of two services until they know, while sites are killed,
 * stopped, cut off and not heard.
 */
class RetriesIT {

  private static final int SEEDS = Integer.getInteger("ensemble.retries.seeds", 5);

  @TempDir Path directory;

  @Test
  @Timeout(240)
  void whatIsSentAgainIsDoneOnceWhileSitesFail() {
    try (RetriedSites sites = RetriedSites.start(directory)) {
      tried(sites, List.of(sites.service(), sites.service()), 1, SiteFaults::all);
    }
  }

  @Test
  @Tag("deep")
  @Timeout(2_400)
  void whatIsSentAgainIsDoneOnceWhileSitesFailAndDieForLong() {
    try (RetriedSites sites = RetriedSites.start(directory)) {
      List<URI> services = List.of(sites.service(), sites.service());
      for (int seed = 2; seed < 2 + SEEDS; seed++) {
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
      }
    }
  }

  /** Each of what a client may meet has come, or the trial has shown nothing. */
  private static void tried(
      RetriedSites sites, List<URI> services, long seed, Consumer<SiteFaults> faults) {
    Tally tally = new Trial(sites, services, seed).run(faults);
    System.out.printf("retries, seed %d: %s%n", seed, tally);
    for (String what :
        List.of(
            "answered",
            "refused",
            "unknown",
            "object out of reach",
            "without an answer",
            "repeated",
            "set",
            "held",
            "met",
            "deleted")) {
      assertThat(tally.of(what)).as("%s, of %s; seed %d", what, tally, seed).isPositive();
    }
  }
}

package io.ensemble.testkit.site;

import static io.ensemble.testkit.site.SiteStoreContract.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.BoundedSite;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteLimits;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.site.hotrod.HotRod;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A relay in front of a site that resets connections as it accepts them, and then no more. */
@Timeout(300)
class HotRodSiteResetIT {

  private static final SiteLimits SHORT = new SiteLimits(16, 16, Duration.ofMillis(500));

  @Test
  void aSiteThatResetConnectionsForAWhileIsReachedAgain() {
    try (ThreadScheduler scheduler = new ThreadScheduler();
        EmbeddedFederation federation =
            EmbeddedFederation.start(
                EmbeddedFederation.Options.defaults().withSiteNames("lyon").withNodesPerSite(1))) {
      EmbeddedSite lyon = federation.sites().get(0);
      for (int client = 0; client < 10; client++) {
        try (BoundedSite site =
            HotRod.connect(Configurations.of(lyon).limits(SHORT).build(), scheduler)) {
          SiteStore store =
              Waiting.forStage(
                  site.create("store" + client, StoreKind.PLAIN, in(scheduler, 20_000)));

          lyon.link(0).reset();
          read(store, scheduler, Duration.ofSeconds(2));
          lyon.link(0).heal();

          assertThat(read(store, scheduler, Duration.ofSeconds(30)))
              .as("client %d", client)
              .isTrue();
        }
      }
    }
  }

  /** Reads until it gets an answer, for so long at most. */
  private static boolean read(SiteStore store, ThreadScheduler scheduler, Duration longest) {
    long end = System.nanoTime() + longest.toNanos();
    while (System.nanoTime() < end) {
      try {
        Optional<?> none = Waiting.forStage(store.read(bytes("k"), in(scheduler, 1_000)));
        return none.isEmpty(); // nothing is stored
      } catch (SiteException failed) {
        // Perhaps the next one.
      }
    }
    return false;
  }

  private static Deadline in(ThreadScheduler scheduler, long millis) {
    return Deadline.after(Duration.ofMillis(millis), scheduler);
  }
}

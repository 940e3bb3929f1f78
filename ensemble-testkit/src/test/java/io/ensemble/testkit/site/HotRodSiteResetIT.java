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
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.ensemble.testkit.embedded.SharedFederation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A relay in front of a site resets connections as it accepts them, and then stops doing so. */
@Timeout(300)
class HotRodSiteResetIT {

  private static final SiteLimits SHORT = new SiteLimits(16, 16, Duration.ofMillis(500));

  /** Formerly, about one in eight clients that reconnected during resets never recovered. */
  private static final int CLIENTS = 12;

  private final ThreadScheduler scheduler = new ThreadScheduler();
  private final List<BoundedSite> clients = new ArrayList<>();
  private final List<SiteStore> stores = new ArrayList<>();

  @AfterEach
  void close() {
    SharedFederation.restoreThreeSites();
    clients.forEach(BoundedSite::close);
    scheduler.close();
  }

  @Test
  void aSiteThatResetConnectionsForAWhileIsReachedAgain() {
    resetConnections("once-", 2);
  }

  @Tag("nightly")
  @Test
  void aSiteThatResetConnectionsAgainAndAgainIsReachedAgain() {
    resetConnections("again-", 8);
  }

  private void resetConnections(String prefix, int rounds) {
    EmbeddedSite lyon = SharedFederation.threeSites().site("lyon");
    for (int client = 0; client < CLIENTS; client++) {
      open(lyon, prefix + client);
    }

    for (int round = 0; round < rounds; round++) {
      lyon.link(0).reset();
      answeredWithin(Duration.ofSeconds(1)); // some connect during the resets
      lyon.link(0).heal();

      assertThat(answeredWithin(Duration.ofSeconds(90))).hasSize(CLIENTS);
    }
  }

  private void open(EmbeddedSite lyon, String store) {
    BoundedSite site =
        HotRod.connect(EmbeddedSiteConfigurations.of(lyon).limits(SHORT).build(), scheduler);
    clients.add(site);
    stores.add(RealTimeWait.forStage(site.create(store, StoreKind.PLAIN, in(scheduler, 20_000))));
  }

  /** Reads repeatedly until every client has an answer or {@code longest} has passed. */
  private Set<SiteStore> answeredWithin(Duration longest) {
    Set<SiteStore> answered = new HashSet<>();
    long end = System.nanoTime() + longest.toNanos();
    while (answered.size() < stores.size() && System.nanoTime() < end) {
      Map<SiteStore, CompletionStage<?>> reads = new HashMap<>();
      for (SiteStore store : stores) {
        reads.put(store, store.read(bytes("k"), in(scheduler, 300)));
      }
      reads.forEach(
          (store, read) -> {
            try {
              RealTimeWait.forStage(read);
              answered.add(store);
            } catch (SiteException failed) {
              // The next read may succeed.
            }
          });
    }
    return answered;
  }

  private static Deadline in(ThreadScheduler scheduler, long millis) {
    return Deadline.after(Duration.ofMillis(millis), scheduler);
  }
}

package io.ensemble.testkit.truth;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.truth.CasTrialRounds.Fault;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What contenders lose while nodes restart repeatedly, by the kind of locking. */
class RestartContentionIT {

  private static final int RUNS = Integer.getInteger("ensemble.truth.runs", 10);
  private static final int NODES = 3;

  /**
   * Stores on all nodes lose writes at random under pessimistic locking, in about one of four
   * restarts. These are counted, not asserted.
   */
  @Test
  @Tag("deep")
  @Timeout(3_600)
  void aStoreOfOneNodeLosesNothingWhileItsPeersComeAndGo() throws Exception {
    GuaranteeTable truths = new GuaranteeTable(RestartContentionIT.class, "restarts");
    List<SiteCacheSetting> settings =
        List.of(SiteCacheSetting.REPLICA, SiteCacheSetting.ALL_NODES, SiteCacheSetting.OPTIMISTIC);
    EmbeddedFederation.Options one = EmbeddedFederation.Options.defaults().withSiteNames("lyon");
    try (EmbeddedFederation federation = EmbeddedFederation.start(one.withNodesPerSite(NODES));
        RestartContention restarts = new RestartContention(federation.site("lyon"), truths)) {
      settings.forEach(restarts::create);
      for (int run = 0; run < RUNS; run++) {
        for (SiteCacheSetting setting : settings) {
          truths.add(Fault.KILL, Map.of(setting, restarts.run(setting, run % NODES)));
        }
      }
    }
    ChainAnomalies optimistic = truths.of(SiteCacheSetting.OPTIMISTIC, Fault.KILL);
    ChainAnomalies replica = truths.of(SiteCacheSetting.REPLICA, Fault.KILL);
    truths.judge(
        () -> {
          assertThat(optimistic.acknowledged()).isPositive();
          assertThat(optimistic.forgets()).as(optimistic.kinds()).isFalse();
          assertThat(replica.acknowledged()).isPositive();
          assertThat(replica.any()).as(replica.kinds()).isFalse();
        });
  }
}

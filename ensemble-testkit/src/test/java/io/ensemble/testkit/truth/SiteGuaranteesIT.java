package io.ensemble.testkit.truth;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.testkit.process.FederationFixtures;
import io.ensemble.testkit.process.ProcessFederation;
import io.ensemble.testkit.process.ProcessOptions;
import io.ensemble.testkit.process.ProcessSite;
import io.ensemble.testkit.truth.CasTrialRounds.Fault;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** The guarantees of a site of real servers, by the settings of its caches. */
class SiteGuaranteesIT {

  private static final int RUNS = Integer.getInteger("ensemble.truth.runs", 10);
  private static final int MOST_TRIES = 10;

  private static final List<SiteCacheSetting> THREE_NODES =
      Stream.of(SiteCacheSetting.values()).filter(setting -> !setting.isForFewerNodes()).toList();

  @TempDir(cleanup = CleanupMode.ON_SUCCESS) // Node files explain failures.
  Path directory;

  @Test
  @Tag("nightly")
  @Timeout(240)
  void aStoreOfOneNodeKeepsWhatItAcknowledgesWhileAPeerIsKilledAndOthersDoNot() throws Exception {
    GuaranteeTable truths = new GuaranteeTable(SiteGuaranteesIT.class, "short");
    try (ProcessFederation federation = site(3)) {
      ProcessSite site = federation.site("lyon");
      List<SiteCacheSetting> settings =
          List.of(SiteCacheSetting.REPLICA, SiteCacheSetting.ANY_NODE, SiteCacheSetting.ONE_OWNER);
      CasTrialRounds rounds = new CasTrialRounds(site, settings, truths);
      truths.add(Fault.KILL, rounds.run(Fault.KILL, 1));
      truths.assertAcceptedOnesHold(rounds.explanations());
      CasTrialRounds any = new CasTrialRounds(site, List.of(SiteCacheSetting.ANY_NODE), truths);
      for (int run = 0; run < MOST_TRIES && wentBack(truths) == 0; run++) {
        truths.add(Fault.NONE, any.run(Fault.NONE, 1));
      }
    }
    truths.judge(
        () -> {
          assertThat(truths.of(SiteCacheSetting.ONE_OWNER, Fault.KILL).lost()).isPositive();
          assertThat(wentBack(truths)).isPositive();
        });
  }

  /** The number of stale reads through the nodes in turn: random, a few of 1,000 reads. */
  private static int wentBack(GuaranteeTable truths) {
    return truths.of(SiteCacheSetting.ANY_NODE, Fault.KILL).wentBack()
        + truths.of(SiteCacheSetting.ANY_NODE, Fault.NONE).wentBack();
  }

  @Test
  @Tag("deep")
  @Timeout(3_600)
  void manyRunsWithAndWithoutTheOwnerKilled() throws Exception {
    GuaranteeTable truths = new GuaranteeTable(SiteGuaranteesIT.class, "many");
    try (ProcessFederation federation = site(3)) {
      ProcessSite site = federation.site("lyon");
      CasTrialRounds rounds = new CasTrialRounds(site, THREE_NODES, truths);
      for (int run = 0; run < RUNS; run++) {
        truths.add(Fault.NONE, rounds.run(Fault.NONE, run % 3));
        truths.add(Fault.KILL, rounds.run(Fault.KILL, run % 3));
      }
      truths.assertAcceptedOnesHold(rounds.explanations());
    }
  }

  /** {@code DurabilityIT} tests the restart of three such sites. */
  @Test
  @Tag("deep")
  @Timeout(900)
  void aSiteOfOneNodeOnDiskComesBackWithAllThatItAcknowledged() throws Exception {
    GuaranteeTable truths = new GuaranteeTable(SiteGuaranteesIT.class, "one");
    try (ProcessFederation federation = ProcessFederation.start(options(1).withPersistence(true))) {
      CasTrialRounds rounds =
          new CasTrialRounds(
              federation.site("lyon"), List.of(SiteCacheSetting.ONE_NODE_ON_DISK), truths);
      for (int run = 0; run < RUNS; run++) {
        truths.add(Fault.KILL, rounds.run(Fault.KILL, 0));
      }
      truths.assertAcceptedOnesHold(rounds.explanations());
    }
  }

  @Test
  @Tag("deep")
  @Timeout(900)
  void aSiteOfTwoNodesMayRefuseForGoodOnceOneIsKilled() throws Exception {
    GuaranteeTable truths = new GuaranteeTable(SiteGuaranteesIT.class, "two");
    for (int run = 0;
        run < MOST_TRIES && truths.of(SiteCacheSetting.TWO_NODES, Fault.KILL).silent() == 0;
        run++) {
      try (ProcessFederation federation = site(2)) {
        CasTrialRounds rounds =
            new CasTrialRounds(
                federation.site("lyon"), List.of(SiteCacheSetting.TWO_NODES), truths);
        truths.add(Fault.KILL, rounds.run(Fault.KILL, 1));
      }
    }
    truths.judge(
        () -> assertThat(truths.of(SiteCacheSetting.TWO_NODES, Fault.KILL).silent()).isPositive());
  }

  @Test
  @Tag("deep")
  @Timeout(900)
  void aSplitSiteGoesOnOnBothSidesUnlessItDeniesItAndAStoreOfOneNodeIsUnharmed() throws Exception {
    GuaranteeTable truths = new GuaranteeTable(SiteGuaranteesIT.class, "split");
    List<SiteCacheSetting> settings =
        List.of(
            SiteCacheSetting.REPLICA,
            SiteCacheSetting.ALL_NODES,
            SiteCacheSetting.ALL_NODES_ON_DISK,
            SiteCacheSetting.ALLOWED);
    for (int run = 0; run < 2; run++) {
      try (ProcessFederation federation = site(3)) {
        ProcessSite site = federation.site("lyon");
        truths.add(
            Fault.SPLIT,
            SplitBrainTrial.run(
                site,
                settings,
                List.of(SiteCacheSetting.REPLICA, SiteCacheSetting.ALLOWED),
                truths));
      }
    }
    truths.judge(
        () -> assertThat(truths.of(SiteCacheSetting.ALLOWED, Fault.SPLIT).lost()).isPositive());
    truths.assertAcceptedOnesHold("");
  }

  private ProcessFederation site(int nodes) {
    return ProcessFederation.start(options(nodes));
  }

  private ProcessOptions options(int nodes) {
    return FederationFixtures.options(directory, nodes).withSiteNames(List.of("lyon"));
  }
}

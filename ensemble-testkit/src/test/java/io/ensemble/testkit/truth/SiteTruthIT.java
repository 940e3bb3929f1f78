package io.ensemble.testkit.truth;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.testkit.process.Federated;
import io.ensemble.testkit.process.ProcessFederation;
import io.ensemble.testkit.process.ProcessOptions;
import io.ensemble.testkit.process.ProcessSite;
import io.ensemble.testkit.truth.Rounds.Fault;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** What a site of real servers guarantees, by how its caches are set. */
class SiteTruthIT {

  private static final int RUNS = Integer.getInteger("ensemble.truth.runs", 10);
  private static final int MOST_TRIES = 10;

  private static final List<Setting> THREE_NODES =
      Stream.of(Setting.values()).filter(setting -> !setting.isForFewerNodes()).toList();

  @TempDir(cleanup = CleanupMode.ON_SUCCESS) // What a node left tells why.
  Path directory;

  @Test
  @Timeout(240)
  void aStoreOfOneNodeKeepsWhatItAcknowledgesWhileAPeerIsKilledAndOthersDoNot() throws Exception {
    Truths truths = new Truths(SiteTruthIT.class, "short");
    try (ProcessFederation federation = site(3)) {
      ProcessSite site = federation.site("lyon");
      List<Setting> settings = List.of(Setting.REPLICA, Setting.ANY_NODE, Setting.ONE_OWNER);
      Rounds rounds = new Rounds(site, settings, truths);
      truths.add(Fault.KILL, rounds.run(Fault.KILL, 1));
      truths.assertAcceptedOnesHold(rounds.explanations());
      Rounds any = new Rounds(site, List.of(Setting.ANY_NODE), truths);
      for (int run = 0; run < MOST_TRIES && wentBack(truths) == 0; run++) {
        truths.add(Fault.NONE, any.run(Fault.NONE, 1));
      }
    }
    truths.judge(
        () -> {
          assertThat(truths.of(Setting.ONE_OWNER, Fault.KILL).lost()).isPositive();
          assertThat(wentBack(truths)).isPositive();
        });
  }

  /** Some of 1,000 reads that go through other nodes in turn; which ones is chance. */
  private static int wentBack(Truths truths) {
    return truths.of(Setting.ANY_NODE, Fault.KILL).wentBack()
        + truths.of(Setting.ANY_NODE, Fault.NONE).wentBack();
  }

  @Test
  @Tag("deep")
  @Timeout(3_600)
  void manyRunsWithAndWithoutTheOwnerKilled() throws Exception {
    Truths truths = new Truths(SiteTruthIT.class, "many");
    try (ProcessFederation federation = site(3)) {
      ProcessSite site = federation.site("lyon");
      Rounds rounds = new Rounds(site, THREE_NODES, truths);
      for (int run = 0; run < RUNS; run++) {
        truths.add(Fault.NONE, rounds.run(Fault.NONE, run % 3));
        truths.add(Fault.KILL, rounds.run(Fault.KILL, run % 3));
      }
      truths.assertAcceptedOnesHold(rounds.explanations());
    }
  }

  /** Three such sites come back in {@code DurabilityIT}. */
  @Test
  @Tag("deep")
  @Timeout(900)
  void aSiteOfOneNodeOnDiskComesBackWithAllThatItAcknowledged() throws Exception {
    Truths truths = new Truths(SiteTruthIT.class, "one");
    try (ProcessFederation federation = ProcessFederation.start(options(1).withPersistence(true))) {
      Rounds rounds =
          new Rounds(federation.site("lyon"), List.of(Setting.ONE_NODE_ON_DISK), truths);
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
    Truths truths = new Truths(SiteTruthIT.class, "two");
    for (int run = 0;
        run < MOST_TRIES && truths.of(Setting.TWO_NODES, Fault.KILL).silent() == 0;
        run++) {
      try (ProcessFederation federation = site(2)) {
        Rounds rounds = new Rounds(federation.site("lyon"), List.of(Setting.TWO_NODES), truths);
        truths.add(Fault.KILL, rounds.run(Fault.KILL, 1));
      }
    }
    truths.judge(() -> assertThat(truths.of(Setting.TWO_NODES, Fault.KILL).silent()).isPositive());
  }

  @Test
  @Tag("deep")
  @Timeout(900)
  void aSplitSiteGoesOnOnBothSidesUnlessItDeniesItAndAStoreOfOneNodeIsUnharmed() throws Exception {
    Truths truths = new Truths(SiteTruthIT.class, "split");
    List<Setting> settings =
        List.of(Setting.REPLICA, Setting.ALL_NODES, Setting.ALL_NODES_ON_DISK, Setting.ALLOWED);
    for (int run = 0; run < 2; run++) {
      try (ProcessFederation federation = site(3)) {
        ProcessSite site = federation.site("lyon");
        truths.add(
            Fault.SPLIT,
            Split.run(site, settings, List.of(Setting.REPLICA, Setting.ALLOWED), truths));
      }
    }
    truths.judge(() -> assertThat(truths.of(Setting.ALLOWED, Fault.SPLIT).lost()).isPositive());
    truths.assertAcceptedOnesHold("");
  }

  private ProcessFederation site(int nodes) {
    return ProcessFederation.start(options(nodes));
  }

  private ProcessOptions options(int nodes) {
    return Federated.options(directory, nodes).withSiteNames(List.of("lyon"));
  }
}

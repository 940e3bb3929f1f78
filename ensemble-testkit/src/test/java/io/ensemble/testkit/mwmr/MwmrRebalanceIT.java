package io.ensemble.testkit.mwmr;

import static io.ensemble.testkit.mwmr.RealSitesFixture.pass;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.ensemble.testkit.linearizability.FailureArtifacts;
import io.ensemble.testkit.linearizability.LinearizabilityChecker.Options;
import io.ensemble.testkit.mwmr.RealSitesFixture.Process;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * An MWMR cache at one real site of three nodes, with a replica on each. The nodes are restarted
 * one after the other while the cache is used, and each replica is recovered before the next
 * restart.
 */
@Timeout(120)
class MwmrRebalanceIT {

  private final RealSitesFixture scene =
      new RealSitesFixture(EmbeddedFederation.Options.defaults().withSiteNames("lyon"));

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  void historiesAreLinearizableWhileNodesLeaveAndJoin() throws Exception {
    EmbeddedSite lyon = scene.federation.site("lyon");
    Process one = scene.new Process();
    Process two = scene.new Process();
    scene.work(one);
    scene.work(two);
    pass(one, 1_000);
    for (int node = 0; node < 3; node++) {
      lyon.stopNode(node);
      pass(one, 700);
      lyon.restartNode(node);
      one.recoverLost();
      pass(one, 500);
    }
    lyon.killNode(1);
    pass(one, 1_500);
    lyon.restartNode(1);
    one.recoverLost();
    pass(one, 500);
    scene.stopWork();

    int operations = scene.recorder.history().operations().size();
    System.out.printf(
        "MWMR over one real site whose nodes come and go: %d operations, %d unanswered%n",
        operations, scene.unanswered.get());
    assertThat(operations - scene.unanswered.get()).as("answered").isGreaterThan(1_000);
    FailureArtifacts.requireLinearizable(
        scene.recorder.history(), Options.registers(), MwmrRebalanceIT.class, "run");
  }
}

package io.ensemble.testkit.mwmr;

import static io.ensemble.testkit.mwmr.RealSitesFixture.await;
import static io.ensemble.testkit.mwmr.RealSitesFixture.pass;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.cache.mwmr.MwmrInternals;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.history.HistoryRecorder.Pending;
import io.ensemble.testkit.linearizability.FailureArtifacts;
import io.ensemble.testkit.linearizability.LinearizabilityChecker.Options;
import io.ensemble.testkit.mwmr.RealSitesFixture.Process;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * An MWMR cache over three real sites of three nodes each, while nodes and sites fail. The failing
 * node is the one that holds its site's replica. The launcher's {@code CheckCommandIT} is a shorter
 * test of the user API under such faults.
 */
@Timeout(240)
class MwmrEngineIT {

  private final RealSitesFixture scene =
      new RealSitesFixture(EmbeddedFederation.Options.defaults());

  @AfterEach
  void close() {
    scene.close();
  }

  @Test
  @Tag("deep")
  void historiesAreLinearizableWhileNodesAndSitesFail() throws Exception {
    Process one = scene.new Process();
    Process two = scene.new Process();
    scene.work(one);
    scene.work(two);
    pass(one, 1_000);
    int holder = scene.holder("lyon");
    scene.federation.site("lyon").killNode(holder);
    pass(one, 1_500);
    scene.federation.site("lyon").restartNode(holder);
    one.recoverLost(); // The node lost its store; a loss of rome would be the second.
    pass(one, 1_000);
    scene.federation.site("oslo").hang();
    pass(one, 3_000);
    scene.federation.site("oslo").resume();
    pass(one, 1_000);
    scene.federation.site("rome").kill();
    pass(one, 1_500);
    scene.federation.site("rome").restart();
    long refilled = recover(one, "rome");
    pass(one, 2_000);
    scene.stopWork();

    scene.federation.site("oslo").hang();
    Process last = scene.new Process();
    readAll(last);
    scene.federation.site("oslo").resume();
    System.out.printf(
        "MWMR over real sites: %d operations, %d unanswered, %d keys put once, %d keys refilled%n",
        scene.recorder.history().operations().size(),
        scene.unanswered.get(),
        scene.acknowledged.size(),
        refilled);
    assertThat(refilled).isGreaterThan(RealSitesFixture.KEYS);
    assertThat(MwmrInternals.busyKeys(one.engine) + MwmrInternals.busyKeys(two.engine)).isZero();
    FailureArtifacts.requireLinearizable(
        scene.recorder.history(), Options.registers(), MwmrEngineIT.class, "run");
  }

  private long recover(Process by, String site) {
    StoredDefinition stored = await(scene.definitions.get("accounts")).orElseThrow();
    for (int tries = 0; ; tries++) {
      try {
        return await(by.catalog.recover(stored, site, by.engine, by.in(30_000))).keys();
      } catch (CompletionException e) {
        // The site may still be suspected.
        assertThat(tries).as("tries to recover; the last failed with %s", e).isLessThan(20);
        pass(by, 250);
      }
    }
  }

  /** Reads in a new process, which reaches only lyon and the refilled rome. */
  private void readAll(Process last) {
    long client = scene.recorder.newClient();
    for (int key = 0; key < RealSitesFixture.KEYS; key++) {
      Pending pending = scene.recorder.begin(client, "k" + key, "read", null);
      client =
          pending.ok(
              HistoryPayloads.number(
                  await(last.engine.read(HistoryPayloads.key("k" + key), last.in(9_000)))));
    }
    scene.acknowledged.forEach(
        (key, value) ->
            assertThat(
                    HistoryPayloads.number(
                        await(last.engine.read(HistoryPayloads.key(key), last.in(9_000)))))
                .as(key)
                .isEqualTo(value));
  }
}

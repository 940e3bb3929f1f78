package io.ensemble.simulation.swmr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.Acknowledgement;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine.EntryScan;
import io.ensemble.cache.swmr.FaultyVoterSetEnd;
import io.ensemble.cache.swmr.OpenSwmrCache;
import io.ensemble.simulation.Fault;
import io.ensemble.simulation.SimClient;
import io.ensemble.simulation.SimFederation;
import io.ensemble.testkit.mwmr.HistoryPayloads;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A scan returns entries that only the primary has, and fails if the term cannot be confirmed. */
class SwmrScanTest {

  private final SimFederation federation = SimFederation.builder().clients(0).seed(5).build();
  private final SimClient client = federation.newClient();
  private final List<String> sites = federation.siteNames();

  @Test
  void aWalkMeetsWhatThePrimaryAloneHas() {
    SwmrSimCache scene =
        new SwmrSimCache(federation, Acknowledgement.PRIMARY, FaultyVoterSetEnd.leases());
    DelayedRequests held = new DelayedRequests();
    OpenSwmrCache writer =
        scene.open(
            client,
            held::site,
            opened -> FaultyVoterSetEnd.open(opened, FaultyVoterSetEnd.leases()));
    write(scene, writer, "a");
    scene.get(writer.promote(sites.get(2), SwmrSimCache.soon(client)));
    federation.run(Duration.ofSeconds(20));
    for (String other : sites.subList(0, 2)) {
      held.hold(other, "putIfAbsent");
      held.hold(other, "replace");
    }
    write(scene, writer, "k");

    try (EntryScan scan = writer.scan(10)) {
      assertThat(scene.get(scan.next(SwmrSimCache.soon(client)))).hasSize(2);
    }
    try (EntryScan keys = writer.scanKeys(10)) {
      assertThat(scene.get(keys.next(SwmrSimCache.soon(client))))
          .extracting(EntryScan.Entry::key)
          .containsExactlyInAnyOrder(HistoryPayloads.key("a"), HistoryPayloads.key("k"));
    }
  }

  /** With two sites, a scan could complete at the reachable one, which may be obsolete. */
  @Test
  void aWalkThatFindsNothingAsksWhetherItsTermLasts() {
    SimFederation two = SimFederation.builder().sites("lyon", "oslo").clients(0).seed(5).build();
    SwmrSimCache scene = new SwmrSimCache(two);
    SimClient process = two.newClient();
    OpenSwmrCache cache = scene.open(process);
    try (EntryScan scan = cache.scan(10)) {
      assertThat(scene.get(scan.next(SwmrSimCache.soon(process)))).isEmpty();
    }
    two.inject(new Fault.Cut(process.name(), "lyon", true, true));

    try (EntryScan scan = cache.scan(10)) {
      assertThatThrownBy(() -> scene.get(scan.next(SwmrSimCache.soon(process))))
          .hasStackTraceContaining(QuorumUnavailableException.class.getName());
    }
  }

  private void write(SwmrSimCache scene, OpenSwmrCache by, String key) {
    assertThat(
            scene.get(
                by.write(
                    HistoryPayloads.key(key),
                    HistoryPayloads.payload(1),
                    SwmrSimCache.soon(client))))
        .isInstanceOf(WriteOutcome.Applied.class);
  }
}

package io.ensemble.simulation.swmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.Acknowledgement;
import io.ensemble.InDoubtWrites;
import io.ensemble.InDoubtWrites.Fate;
import io.ensemble.PrimaryTerm;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.swmr.FaultyVoterSetEnd;
import io.ensemble.cache.swmr.OpenSwmrCache;
import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.Fault;
import io.ensemble.simulation.Fault.LostState;
import io.ensemble.simulation.SimClient;
import io.ensemble.simulation.SimFederation;
import io.ensemble.site.Bytes;
import io.ensemble.testkit.mwmr.HistoryPayloads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The fates of a writer's writes in doubt if a later write of its own is of unknown outcome. */
class SwmrInDoubtTest {

  private static final Duration LONG = Duration.ofMinutes(2);

  private final SimFederation federation = SimFederation.builder().clients(0).seed(6).build();
  private final SwmrSimCache scene =
      new SwmrSimCache(federation, Acknowledgement.PRIMARY, FaultyVoterSetEnd.leases());
  private final SimClient client = federation.newClient();
  private final DelayedRequests atPrimary = new DelayedRequests();
  private final DelayedRequests atOthers = new DelayedRequests();
  private final OpenSwmrCache writer =
      scene.open(
          client,
          site -> atOthers.site(atPrimary.site(site)),
          cache -> FaultyVoterSetEnd.open(cache, FaultyVoterSetEnd.leases()));
  private final List<InDoubtWrites<Bytes>> reports = new ArrayList<>();

  SwmrInDoubtTest() {
    writer.listen(reports::add);
    assertThat(write(1, LONG)).isInstanceOf(WriteOutcome.Applied.class);
    federation.run(Duration.ofSeconds(20));
    assertThat(writer.window().writes()).isZero();
    assertThat(term().whole()).isTrue();
    atOthers.hold("oslo", "replace");
    atOthers.hold("rome", "replace");
    assertThat(write(2, LONG)).as("at the primary alone").isInstanceOf(WriteOutcome.Applied.class);
  }

  private WriteOutcome<Void> write(long value, Duration within) {
    return scene.get(
        writer.write(
            HistoryPayloads.key("k"),
            HistoryPayloads.payload(value),
            Deadline.after(within, client.scheduler())));
  }

  private PrimaryTerm term() {
    return scene.get(writer.term(Deadline.after(LONG, client.scheduler())));
  }

  /** A write that takes effect at the primary; its answer does not reach the writer. */
  private void writeLosingSight(String primary, long value) {
    atPrimary.hold(primary, "replace");
    assertThat(write(value, Duration.ofMillis(300))).isInstanceOf(WriteOutcome.Unknown.class);
    atPrimary.pass();
    assertThat(atPrimary.letGo()).isEqualTo(1);
    federation.run(Duration.ofMillis(50));
  }

  private List<Fate> fates() {
    federation.run(() -> reports.size() == 2, LONG);
    assertThat(reports).allMatch(report -> report.writes().size() == 1);
    return reports.stream().map(InDoubtWrites::fate).toList();
  }

  @Test
  void whatItsOwnUnknownWriteFollowedIsKept() {
    writeLosingSight("lyon", 3);
    writer.promote("oslo", Deadline.after(LONG, client.scheduler()));
    federation.run(() -> !reports.isEmpty(), LONG);
    atOthers.pass();
    atOthers.hold("rome", "read"); // So the majority includes the former primary.

    assertThat(fates()).containsExactly(Fate.UNKNOWN, Fate.KEPT);
  }

  @Test
  void whatItsOwnUnknownWriteOfTheNextEpochDidNotFollowIsLost() {
    federation.inject(new Fault.SiteDown("lyon", LostState.STORES));
    federation.run(() -> !reports.isEmpty(), LONG);
    atOthers.pass();
    assertThat(
            scene.get(
                writer.read(HistoryPayloads.key("k"), Deadline.after(LONG, client.scheduler()))))
        .contains(HistoryPayloads.payload(1));
    writeLosingSight(term().primary(), 3);

    assertThat(fates()).containsExactly(Fate.UNKNOWN, Fate.LOST);
  }
}

package io.ensemble.simulation.swmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.Acknowledgement;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.swmr.FaultyVoterSetEnd;
import io.ensemble.cache.swmr.OpenSwmrCache;
import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.SimClient;
import io.ensemble.simulation.SimFederation;
import io.ensemble.testkit.mwmr.HistoryPayloads;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A writer that closes the cache resigns, even if writes are left in its window. */
class SwmrWriterCloseTest {

  private static final Duration FAREWELL = Duration.ofSeconds(2);

  private final SimFederation federation = SimFederation.builder().clients(0).seed(4).build();
  private final SwmrSimCache scene =
      new SwmrSimCache(federation, Acknowledgement.PRIMARY, FaultyVoterSetEnd.leases());
  private final SimClient client = federation.newClient();
  private final DelayedRequests delayedRequests = new DelayedRequests();
  private final OpenSwmrCache writer =
      scene.open(
          client,
          delayedRequests::site,
          cache -> FaultyVoterSetEnd.open(cache, FaultyVoterSetEnd.leases()));
  private final OpenSwmrCache other = scene.open(federation.newClient());

  private Deadline in(Duration time) {
    return Deadline.after(time, client.scheduler());
  }

  /** Copies do not arrive, but the record of terms can be written. */
  @Test
  void theLeaseIsReleasedInTimeThoughTheWindowCannotBeEmptied() {
    assertThat(
            scene.get(
                writer.write(
                    HistoryPayloads.key("k"), HistoryPayloads.payload(0), in(SwmrSimCache.LONG))))
        .isInstanceOf(WriteOutcome.Applied.class);
    federation.run(() -> writer.window().writes() == 0, SwmrSimCache.LONG);
    delayedRequests.hold("oslo", "read");
    delayedRequests.hold("rome", "read");
    assertThat(
            scene.get(
                writer.write(
                    HistoryPayloads.key("k"), HistoryPayloads.payload(1), in(SwmrSimCache.LONG))))
        .isInstanceOf(WriteOutcome.Applied.class);
    long begun = client.scheduler().nanos();

    boolean copied = scene.get(writer.drain(in(FAREWELL)));
    long took = client.scheduler().nanos() - begun;
    boolean isThere = scene.get(other.term(in(FAREWELL))).writer().isPresent();
    writer.close();

    assertThat(copied).isFalse();
    assertThat(Duration.ofNanos(took)).isLessThan(FAREWELL);
    assertThat(isThere).as("a writer").isFalse();
  }

  @Test
  void whatCanBeCopiedIsAndNobodyWaitsForLonger() {
    assertThat(
            scene.get(
                writer.write(
                    HistoryPayloads.key("k"), HistoryPayloads.payload(1), in(SwmrSimCache.LONG))))
        .isInstanceOf(WriteOutcome.Applied.class);

    assertThat(scene.get(writer.drain(in(FAREWELL)))).isTrue();
    assertThat(writer.window().writes()).isZero();
    assertThat(
            scene.get(
                other.write(HistoryPayloads.key("k"), HistoryPayloads.payload(2), in(FAREWELL))))
        .isInstanceOf(WriteOutcome.Applied.class);
  }
}

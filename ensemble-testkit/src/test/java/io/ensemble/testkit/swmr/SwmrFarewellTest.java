package io.ensemble.testkit.swmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.Acknowledgement;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.swmr.OpenSwmrCache;
import io.ensemble.cache.swmr.PlantedRolls;
import io.ensemble.schedule.Deadline;
import io.ensemble.testkit.mwmr.Values;
import io.ensemble.testkit.sim.SimClient;
import io.ensemble.testkit.sim.SimFederation;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A writer that goes leaves its place to others, whatever it leaves behind. */
class SwmrFarewellTest {

  private static final Duration FAREWELL = Duration.ofSeconds(2);

  private final SimFederation federation = SimFederation.builder().clients(0).seed(4).build();
  private final SwmrScene scene =
      new SwmrScene(federation, Acknowledgement.PRIMARY, PlantedRolls.leases());
  private final SimClient client = federation.newClient();
  private final Held held = new Held();
  private final OpenSwmrCache writer =
      scene.open(client, held::site, cache -> PlantedRolls.open(cache, PlantedRolls.leases()));
  private final OpenSwmrCache other = scene.open(federation.newClient());

  private Deadline in(Duration time) {
    return Deadline.after(time, client.scheduler());
  }

  /** Copies do not arrive, and the record of terms can be written. */
  @Test
  void thePlaceIsGivenUpInTimeThoughTheWindowCannotBeEmptied() {
    assertThat(scene.get(writer.write(Values.key("k"), Values.payload(0), in(SwmrScene.LONG))))
        .isInstanceOf(WriteOutcome.Applied.class);
    federation.run(() -> writer.window().writes() == 0, SwmrScene.LONG);
    held.hold("oslo", "read");
    held.hold("rome", "read");
    assertThat(scene.get(writer.write(Values.key("k"), Values.payload(1), in(SwmrScene.LONG))))
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
    assertThat(scene.get(writer.write(Values.key("k"), Values.payload(1), in(SwmrScene.LONG))))
        .isInstanceOf(WriteOutcome.Applied.class);

    assertThat(scene.get(writer.drain(in(FAREWELL)))).isTrue();
    assertThat(writer.window().writes()).isZero();
    assertThat(scene.get(other.write(Values.key("k"), Values.payload(2), in(FAREWELL))))
        .isInstanceOf(WriteOutcome.Applied.class);
  }
}

package io.ensemble.testkit.mwmr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.WriteOutcome;
import io.ensemble.testkit.mwmr.SimCache.Opened;
import io.ensemble.testkit.sim.FaultPlan;
import io.ensemble.testkit.sim.SimClient;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An expired value is gone for everyone as soon as one client finds it so. */
class MwmrExpiryTest {

  private final Scene scene = new Scene(60_000_000, FaultPlan.none(), 256);
  private Opened slow;
  private Opened fast;
  private long between;

  @BeforeEach
  void clocksThatDiffer() {
    List<SimClient> clients = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      clients.add(scene.federation.newClient());
    }
    clients.sort(Comparator.comparingLong(client -> client.scheduler().epochMicros()));
    slow = scene.process(clients.get(0));
    fast = scene.process(clients.get(5));
    long late = fast.client().scheduler().epochMicros();
    between = late - (late - slow.client().scheduler().epochMicros()) / 2;
    assertThat(late - between).as("half the difference, in µs").isGreaterThan(10_000_000);
  }

  @Test
  void aSlowerClockDoesNotSeeItAgain() {
    scene.put(slow, "k", Values.payload(1, between));
    assertThat(scene.read(slow, "k")).isEqualTo(1);

    assertThat(scene.read(fast, "k")).isNull();

    assertThat(scene.read(slow, "k")).isNull();
  }

  @Test
  void anUnmetConditionEndsItTooAndIsNoWrite() {
    scene.put(slow, "k", Values.payload(1, between));

    WriteOutcome<Boolean> unmet = scene.cas(fast, "k", 1L, 2);

    assertThat(unmet)
        .isInstanceOfSatisfying(
            WriteOutcome.Applied.class,
            applied -> {
              assertThat(applied.result()).isEqualTo(false);
              assertThat(applied.wrote()).isFalse();
            });
    assertThat(scene.read(slow, "k")).isNull();
  }

  @Test
  void anExpiredValueCountsAsAbsent() {
    scene.put(slow, "k", Values.payload(1, between));

    WriteOutcome<Boolean> met = scene.cas(fast, "k", null, 2);

    assertThat(met)
        .isInstanceOfSatisfying(
            WriteOutcome.Applied.class, applied -> assertThat(applied.wrote()).isTrue());
    assertThat(scene.read(slow, "k")).isEqualTo(2);
  }

  @Test
  void whatCannotBeEndedIsNotDeniedEither() {
    scene.put(slow, "k", Values.payload(1, between));
    scene.read(fast, "other");
    // The read may be answered, the tombstone cannot be written.
    var read = fast.engine().read(Values.key("k"), Scene.in(fast.client(), 900));
    scene.until(2, "= 01");
    scene.federation.siteNames().forEach(site -> scene.cut(fast, site));

    assertThatThrownBy(() -> scene.get(read)).isInstanceOf(QuorumUnavailableException.class);
    assertThat(scene.read(slow, "k")).isEqualTo(1);
  }
}

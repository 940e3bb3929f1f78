package io.ensemble.testkit.mwmr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.WriteOutcome;
import io.ensemble.testkit.mwmr.MwmrSimCache.Opened;
import io.ensemble.testkit.sim.SimClient;
import io.ensemble.testkit.sim.SimFaultPlan;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Once one client has found a value expired, all clients find it absent. */
class MwmrExpiryTest {

  private final MwmrSimFixture mwmrSimFixture =
      new MwmrSimFixture(60_000_000, SimFaultPlan.none(), 256);
  private Opened slow;
  private Opened fast;
  private long between;

  @BeforeEach
  void clocksThatDiffer() {
    List<SimClient> clients = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      clients.add(mwmrSimFixture.federation.newClient());
    }
    clients.sort(Comparator.comparingLong(client -> client.scheduler().epochMicros()));
    slow = mwmrSimFixture.process(clients.get(0));
    fast = mwmrSimFixture.process(clients.get(5));
    long late = fast.client().scheduler().epochMicros();
    between = late - (late - slow.client().scheduler().epochMicros()) / 2;
    assertThat(late - between).as("half the difference, in µs").isGreaterThan(10_000_000);
  }

  @Test
  void aSlowerClockDoesNotSeeItAgain() {
    mwmrSimFixture.put(slow, "k", HistoryPayloads.payload(1, between));
    assertThat(mwmrSimFixture.read(slow, "k")).isEqualTo(1);

    assertThat(mwmrSimFixture.read(fast, "k")).isNull();

    assertThat(mwmrSimFixture.read(slow, "k")).isNull();
  }

  @Test
  void anUnmetConditionEndsItTooAndIsNoWrite() {
    mwmrSimFixture.put(slow, "k", HistoryPayloads.payload(1, between));

    WriteOutcome<Boolean> unmet = mwmrSimFixture.cas(fast, "k", 1L, 2);

    assertThat(unmet)
        .isInstanceOfSatisfying(
            WriteOutcome.Applied.class,
            applied -> {
              assertThat(applied.result()).isEqualTo(false);
              assertThat(applied.wrote()).isFalse();
            });
    assertThat(mwmrSimFixture.read(slow, "k")).isNull();
  }

  @Test
  void anExpiredValueCountsAsAbsent() {
    mwmrSimFixture.put(slow, "k", HistoryPayloads.payload(1, between));

    WriteOutcome<Boolean> met = mwmrSimFixture.cas(fast, "k", null, 2);

    assertThat(met)
        .isInstanceOfSatisfying(
            WriteOutcome.Applied.class, applied -> assertThat(applied.wrote()).isTrue());
    assertThat(mwmrSimFixture.read(slow, "k")).isEqualTo(2);
  }

  @Test
  void whatCannotBeEndedIsNotDeniedEither() {
    mwmrSimFixture.put(slow, "k", HistoryPayloads.payload(1, between));
    mwmrSimFixture.read(fast, "other");
    // The read gets its answers, but its tombstone cannot be written.
    var read = fast.engine().read(HistoryPayloads.key("k"), MwmrSimFixture.in(fast.client(), 900));
    mwmrSimFixture.until(2, "= 01");
    mwmrSimFixture.federation.siteNames().forEach(site -> mwmrSimFixture.cut(fast, site));

    assertThatThrownBy(() -> mwmrSimFixture.get(read))
        .isInstanceOf(QuorumUnavailableException.class);
    assertThat(mwmrSimFixture.read(slow, "k")).isEqualTo(1);
  }
}

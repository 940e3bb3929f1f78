package io.ensemble.testkit.mwmr;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.WriteOutcome;
import io.ensemble.cache.Payload;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.HybridClock;
import io.ensemble.testkit.sim.SimClient;
import io.ensemble.testkit.sim.SimFederation;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** An MWMR cache of which one client's clock shows the year 2100. */
class ClockSkewMwmrTest {

  private static final long YEARS_MICROS = Duration.ofDays(74 * 365).toNanos() / 1000;
  private static final Duration LONG = Duration.ofMinutes(10);

  private final SimFederation federation =
      SimFederation.builder().sites("s0", "s1", "s2").clients(2).seed(1).build();
  private final SimClient process = federation.clients().get(1);
  private final MwmrSimCache cache = new MwmrSimCache(federation, Duration.ofSeconds(5));
  private final MwmrSimCache.Opened healthy = cache.open(process);

  private long write(MwmrSimCache.Opened opened, String key, String value) {
    Deadline deadline = Deadline.after(Duration.ofSeconds(5), opened.client().scheduler());
    Payload payload = new Payload(bytes(value), 0);
    WriteOutcome<Void> outcome =
        federation.get(opened.engine().write(bytes(key), payload, deadline), LONG);
    assertThat(outcome).isInstanceOf(WriteOutcome.Applied.class);
    return ((WriteOutcome.Applied<Void>) outcome).stamp().micros();
  }

  private static Bytes bytes(String text) {
    return Bytes.of(text.getBytes(UTF_8));
  }

  @Test
  void itsKeysAreReadAndWrittenAsEverAndOthersHaveBallotsOfTheirTime() {
    SimClient first = federation.clients().get(0);
    MwmrSimCache.Opened ill =
        cache.open(first, new HybridClock(() -> first.scheduler().epochMicros() + YEARS_MICROS));
    long far = write(ill, "k", "from 2100");

    assertThat(write(healthy, "k", "a")).isGreaterThan(far);
    assertThat(write(healthy, "k", "b")).isGreaterThan(far);
    Deadline deadline = Deadline.after(Duration.ofSeconds(5), process.scheduler());
    assertThat(federation.get(healthy.engine().read(bytes("k"), deadline), LONG))
        .map(Payload::value)
        .contains(bytes("b"));

    assertThat(write(healthy, "other", "v"))
        .isLessThan(process.scheduler().epochMicros() + 1_000_000);
  }
}

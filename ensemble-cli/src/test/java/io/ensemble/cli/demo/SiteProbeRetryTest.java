package io.ensemble.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.QuorumFailure;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.site.SiteException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SiteProbeRetryTest {

  private static final RuntimeException TOO_FEW =
      new QuorumUnavailableException(
          "orders", new QuorumFailure(2, 3, Set.of("lyon", "oslo"), Map.of("rome", "UNREACHABLE")));

  private final AtomicInteger requests = new AtomicInteger();

  @Test
  void aSiteThatIsAwayAndTooFewSitesAreRetried() throws InterruptedException {
    Queue<RuntimeException> failures =
        new ArrayDeque<>(
            List.of(
                site(SiteException.Reason.UNREACHABLE),
                TOO_FEW,
                site(SiteException.Reason.TIMED_OUT)));

    String result =
        SiteProbeRetry.untilReached(
            () -> {
              RuntimeException failure = failures.poll();
              if (failure != null) {
                throw failure;
              }
              return "copied";
            },
            Duration.ofHours(1));

    assertThat(result).isEqualTo("copied");
  }

  @Test
  void atTheBoundTheRequestFails() {
    assertThatThrownBy(() -> SiteProbeRetry.untilReached(() -> fail(TOO_FEW), Duration.ZERO))
        .isSameAs(TOO_FEW);
    assertThat(requests).hasValue(1);
  }

  @Test
  void anotherFailureIsNotRetried() {
    RuntimeException degraded = site(SiteException.Reason.DEGRADED);

    assertThatThrownBy(() -> SiteProbeRetry.untilReached(() -> fail(degraded), Duration.ofHours(1)))
        .isSameAs(degraded);
    assertThat(requests).hasValue(1);
  }

  private String fail(RuntimeException failure) {
    requests.incrementAndGet();
    throw failure;
  }

  private static RuntimeException site(SiteException.Reason reason) {
    return new SiteException("rome", reason, "away");
  }
}

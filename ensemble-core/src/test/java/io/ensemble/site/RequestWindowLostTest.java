package io.ensemble.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Requests that the client never completes. */
class RequestWindowLostTest extends RequestWindowFixture {

  /** Twice the longest request, and three seconds. */
  private static final Duration LOST = Duration.ofSeconds(7);

  private CompletableFuture<String> submit() {
    return submit(100);
  }

  private void pass(Duration time) {
    scheduler.passMillis(time.toMillis());
  }

  @Test
  void theirPlacesAreFreeAgainLongAfterTheirCallersHaveGoneAndTheSiteBeginsAnewOnce() {
    submit();
    submit();
    pass(LOST);
    submit();
    assertThat(window.inFlight()).isEqualTo(2);
    assertThat(renewals).isZero();

    pass(Duration.ofMillis(100));
    CompletableFuture<String> next = submit();

    assertThat(renewals).isEqualTo(1);
    assertThat(sent).hasSize(3);
    assertThat(window.inFlight()).isEqualTo(1);
    sent.get(2).complete("answer");
    assertThat(next).isCompletedWithValue("answer");
  }

  @Test
  void oneThatIsCompletedAfterAllIsNotCountedTwice() {
    submit();
    pass(LOST.plusMillis(100));
    CompletableFuture<String> next = submit();
    assertThat(window.inFlight()).isEqualTo(1);

    sent.get(0).complete("late");

    assertThat(window.inFlight()).isEqualTo(1);
    sent.get(1).complete("answer");
    assertThat(next).isCompletedWithValue("answer");
    assertThat(window.inFlight()).isZero();
  }

  @Test
  void oneThatTheClientCompletesLateIsNotLost() {
    submit();
    pass(Duration.ofSeconds(2));
    sent.get(0)
        .completeExceptionally(
            new SiteException("lyon", SiteException.Reason.TIMED_OUT, "nothing came"));
    pass(LOST);

    submit();

    assertThat(renewals).isZero();
  }
}

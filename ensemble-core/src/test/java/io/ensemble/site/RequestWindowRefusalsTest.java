package io.ensemble.site;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteException.Reason;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** How a window reports requests that it did not send, and which failures it survives. */
class RequestWindowRefusalsTest extends RequestWindowFixture {

  @Test
  void whatWasNotSentSaysSoAndWhatWasSentDoesNot() {
    CompletableFuture<String> sentOne = submit(100);
    submit(100);
    CompletableFuture<String> waits = submit(50);
    CompletableFuture<String> unsent = submit(1000);
    submit(1000);
    assertThat(failure(submit(100)).isNotSent()).as("a full window").isTrue();
    assertThat(failure(submit(0)).isNotSent()).as("a deadline that has passed").isTrue();

    scheduler.passMillis(100);

    assertThat(failure(waits).isNotSent())
        .as("the request waited in the queue until its deadline")
        .isTrue();
    assertThat(failure(sentOne).isNotSent()).as("no answer").isFalse();
    window.close();
    assertThat(failure(unsent).isNotSent()).as("waited at the close").isTrue();
    assertThat(failure(submit(100)).isNotSent()).as("after the close").isTrue();
  }

  @Test
  void aSuspectedSiteIsNotSentAnything() {
    failNext(CircuitBreaker.FAILURES_TO_SUSPECT, Reason.UNREACHABLE);

    assertThat(failure(submit(100)).isNotSent()).isTrue();
  }

  @Test
  void anErrorInARequestKeepsNoPlace() {
    window = window(1, 3);
    Deadline soon = Deadline.after(Duration.ofSeconds(1), scheduler);
    CompletableFuture<String> first = submit(100);
    CompletionStage<String> broken =
        window.submit(
            soon,
            () -> {
              throw new NoClassDefFoundError("told to");
            });
    CompletableFuture<String> last = submit(1000);

    sent.get(0).complete("a");
    sent.get(1).complete("c");

    assertThat(first).isCompletedWithValue("a");
    assertThat(failure(broken)).hasRootCauseInstanceOf(NoClassDefFoundError.class);
    assertThat(failure(broken).isNotSent()).isFalse();
    assertThat(last).isCompletedWithValue("c");
    assertThat(window.inFlight()).isZero();
    CompletionStage<String> none = window.submit(soon, () -> null);
    assertThat(failure(none).reason()).isEqualTo(Reason.FAILED);
    assertThat(window.inFlight()).isZero();
  }

  @Test
  void withoutASchedulerNothingIsSent() {
    scheduler.ended = true;

    CompletableFuture<String> call = submit(100);

    assertThat(failure(call).isNotSent()).isTrue();
    assertThat(sent).isEmpty();
    assertThat(window.inFlight()).isZero();
  }
}

package io.ensemble.site;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.ensemble.detect.PhiAccrualDetector;
import io.ensemble.detect.PhiAccrualSettings;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteException.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** A window of two requests and three that wait, over a client that the test answers for. */
class RequestWindowFixture {

  final TestClockScheduler scheduler = new TestClockScheduler();
  final List<CompletableFuture<String>> sent = new ArrayList<>();
  int renewals;
  RequestWindow window = window(2, 3);

  RequestWindow window(int inFlight, int waiting) {
    return new RequestWindow(
        "lyon",
        new SiteLimits(inFlight, waiting, Duration.ofSeconds(2)),
        scheduler,
        () -> renewals++,
        new PhiAccrualDetector(PhiAccrualSettings.STANDARD));
  }

  CompletableFuture<String> submit(long millis) {
    Deadline deadline = Deadline.after(Duration.ofMillis(millis), scheduler);
    return window
        .submit(
            deadline,
            () -> {
              CompletableFuture<String> answer = new CompletableFuture<>();
              sent.add(answer);
              return answer;
            })
        .toCompletableFuture();
  }

  static SiteException failure(CompletionStage<?> stage) {
    CompletableFuture<?> future = stage.toCompletableFuture();
    assertThat(future).isCompletedExceptionally();
    return (SiteException) catchThrowableOfType(CompletionException.class, future::join).getCause();
  }

  static SiteException silence(Reason reason) {
    return new SiteException("lyon", reason, "nothing came");
  }

  void failNext(int count, Reason reason) {
    for (int i = 0; i < count; i++) {
      submit(100);
      sent.get(sent.size() - 1).completeExceptionally(silence(reason));
    }
  }
}

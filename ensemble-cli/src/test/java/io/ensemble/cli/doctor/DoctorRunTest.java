package io.ensemble.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.check.doctor.Finding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DoctorRunTest {

  @Test
  void aConnectionThatDoesNotCloseStopsNeitherTheReportNorTheTimer() {
    CompletableFuture<String> closing = new CompletableFuture<>();
    AutoCloseable hung =
        () -> {
          closing.complete(Thread.currentThread().getName());
          new CompletableFuture<Void>().get();
        };
    try (BoundedChecks checks = new BoundedChecks(Duration.ofMillis(100))) {
      List<CompletableFuture<List<Finding>>> running = new ArrayList<>();
      running.add(
          checks.start("c", "hung", "r", () -> new CompletableFuture<List<Finding>>().get()));
      List<CompletableFuture<? extends AutoCloseable>> used =
          List.of(CompletableFuture.completedFuture(hung));

      assertThat(DoctorRun.joined(running, used, Duration.ofMillis(100))).hasSize(1);

      assertThat(closing.join()).isEqualTo("doctor-close");
      assertThat(
              new CompletableFuture<String>()
                  .completeOnTimeout("the timer runs", 1, TimeUnit.MILLISECONDS)
                  .join())
          .isEqualTo("the timer runs");
    }
  }

  @Test
  void whatCouldNotBeOpenedIsNotClosed() {
    assertThat(
            DoctorRun.joined(
                List.of(),
                List.of(CompletableFuture.failedFuture(new IllegalStateException("down"))),
                Duration.ofSeconds(1)))
        .isEmpty();
  }
}

package io.ensemble.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.check.doctor.Finding;
import io.ensemble.check.doctor.FindingSeverity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BoundedChecksTest {

  private static final Finding FINE = Finding.ok("c", "fine", "seen");

  @Test
  void aCheckThatHangsBecomesAFindingAndDelaysNoOther() {
    CompletableFuture<List<Finding>> never = new CompletableFuture<>();
    try (BoundedChecks checks = new BoundedChecks(Duration.ofSeconds(1))) {
      List<CompletableFuture<List<Finding>>> running = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        running.add(checks.start("c", "hung", "see the page", never::get));
      }
      running.add(checks.start("c", "fine", "see the page", () -> List.of(FINE)));

      assertThat(running.get(20).join()).containsExactly(FINE);
      for (CompletableFuture<List<Finding>> hung : running.subList(0, 20)) {
        Finding found = hung.join().get(0);
        assertThat(found.severity()).isEqualTo(FindingSeverity.ERROR);
        assertThat(found.seen()).isEqualTo("no result within 1 s");
        assertThat(found.remedy()).isEqualTo("see the page");
      }
    }
  }

  @Test
  void aCheckThatFailsBecomesAFindingWithTheReason() {
    try (BoundedChecks checks = new BoundedChecks(Duration.ofSeconds(30))) {
      assertThat(
              checks
                  .start(
                      "c",
                      "broken",
                      "see the page",
                      () -> {
                        throw new IllegalStateException("a password is required");
                      })
                  .join())
          .singleElement()
          .satisfies(found -> assertThat(found.seen()).isEqualTo("a password is required"));
    }
  }

  @Test
  void aWatchThatHadTooLittleTimeIsNotChecked() {
    CompletableFuture<List<Finding>> never = new CompletableFuture<>();
    try (BoundedChecks checks = new BoundedChecks(Duration.ofSeconds(1))) {
      assertThat(checks.startWatch("c", "s", "r", Duration.ofSeconds(10), never::get).join())
          .containsExactly(
              Finding.notChecked("c", "s", "no result within 1 s", "give --timeout 10s or more"));
      assertThat(checks.startWatch("c", "s", "r", Duration.ofSeconds(1), never::get).join())
          .containsExactly(Finding.error("c", "s", "no result within 1 s", "r"));
    }
  }

  @Test
  void aWatchEndsWhenItIsDoneOrItsTimeIsOver() {
    List<Integer> attempts = new ArrayList<>();

    BoundedChecks.watch(() -> attempts.add(1) && attempts.size() == 2, Duration.ofSeconds(30));
    assertThat(attempts).hasSize(2);
    BoundedChecks.watch(() -> false, Duration.ofMillis(1));
  }
}

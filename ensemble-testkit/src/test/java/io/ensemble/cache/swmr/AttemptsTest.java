package io.ensemble.cache.swmr;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.ThreadScheduler;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Attempts whose scheduler has ended give what is known, and do not fail. */
class AttemptsTest {

  private final ThreadScheduler ended = new ThreadScheduler(1);
  private final Attempts attempts = new Attempts(ended, () -> false);
  private final Deadline deadline = Deadline.after(Duration.ofMinutes(1), ended);

  AttemptsTest() {
    ended.close();
  }

  @Test
  void whatCannotBeWaitedForGivesWhatItWouldAtTheDeadline() {
    assertThat(attempts.within(deadline, new CompletableFuture<>(), "unknown"))
        .isCompletedWithValue("unknown");
  }

  @Test
  void noOtherAttemptIsMade() {
    assertThat(
            attempts.untilDone(
                deadline, Attempts::never, () -> CompletableFuture.completedFuture("too late")))
        .isCompletedWithValue("too late");
  }
}

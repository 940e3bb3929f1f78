package io.ensemble.check.trial;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.check.zoofence.ZooFenceRequest;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TrialRequestTest {

  /** A quarter of 400 operations must have an answer. */
  @ParameterizedTest
  @CsvSource({
    "400,   0,  0, true",
    "399,   0,  0, false",
    "100, 200, 100, true",
    " 99, 200, 101, false",
    " 99, 700, 500, false",
    "100, 700, 500, true"
  })
  void clientsContinueUntilEnoughOperationsAreAnswered(
      long completed, long refused, long unknown, boolean satisfied) {
    ZooFenceRequest request = request(400, Duration.ofSeconds(4));
    ClientMessage sum =
        new ClientMessage(ClientMessage.PROGRESS, completed, refused, unknown, 0, null, 0);

    assertThat(request.isSatisfiedBy(sum)).isEqualTo(satisfied);
  }

  private static ZooFenceRequest request(int operations, Duration duration) {
    return new ZooFenceRequest(
        6, 2, operations, 5, duration, 1, Set.of(), 25, Duration.ofSeconds(2));
  }

  @Test
  void clientsDoNotRunOutOfOperationsBeforeTime() {
    ZooFenceRequest request = request(400, Duration.ofSeconds(4));
    long share = 100;

    long nanosBetween = request.duration().toNanos() / share;

    assertThat(request.mostOperations(share) * nanosBetween)
        .isGreaterThanOrEqualTo(request.longest().toNanos());
  }

  @Test
  void theOperationsOfAProcessEndBeforeThoseOfTheNext() {
    ZooFenceRequest request = request(TrialRequest.MOST_OPERATIONS, Duration.ofMillis(1));

    assertThat(request.mostOperations(TrialRequest.MOST_OPERATIONS))
        .isLessThan(TrialRequest.OPERATIONS_APART);
  }
}

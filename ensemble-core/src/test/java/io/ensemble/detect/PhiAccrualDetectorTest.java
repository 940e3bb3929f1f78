package io.ensemble.detect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.ensemble.detect.SuspicionLevel.State;
import org.junit.jupiter.api.Test;

class PhiAccrualDetectorTest {

  private static final long MILLIS = 1_000_000L;
  private static final long SECONDS = 1_000 * MILLIS;

  private final PhiAccrualDetector phiAccrualDetector =
      new PhiAccrualDetector(PhiAccrualSettings.STANDARD);
  private long now;

  /** Sends requests, one after the other, each answered after {@code waitNanos}. */
  private void served(int requests, long waitNanos) {
    for (int i = 0; i < requests; i++) {
      phiAccrualDetector.asked(now);
      now += waitNanos;
      phiAccrualDetector.answered(now);
    }
  }

  private State stateAfter(long silentNanos) {
    return phiAccrualDetector.health(now + silentNanos).state();
  }

  @Test
  void aSiteThatIsNotAskedIsNotSuspected() {
    served(100, MILLIS);

    assertThat(phiAccrualDetector.health(now + 3_600 * SECONDS)).isEqualTo(SuspicionLevel.UNASKED);
  }

  @Test
  void aNearSiteIsSuspectedSoonerThanAFarOne() {
    served(100, MILLIS);
    phiAccrualDetector.asked(now);
    assertThat(stateAfter(200 * MILLIS)).isEqualTo(State.REACHABLE);
    assertThat(stateAfter(700 * MILLIS)).isEqualTo(State.SUSPECTED);

    phiAccrualDetector.answered(now);
    served(100, 600 * MILLIS);
    phiAccrualDetector.asked(now);

    assertThat(stateAfter(700 * MILLIS)).isEqualTo(State.REACHABLE);
    assertThat(stateAfter(1_300 * MILLIS)).isEqualTo(State.SUSPECTED);
  }

  @Test
  void aSiteOfUnsteadyWaitsIsGivenMoreTime() {
    for (int i = 0; i < 50; i++) {
      served(1, MILLIS);
      served(1, SECONDS);
    }
    phiAccrualDetector.asked(now);

    assertThat(stateAfter(2 * SECONDS)).isEqualTo(State.REACHABLE);
    assertThat(stateAfter(5 * SECONDS)).isEqualTo(State.SUSPECTED);
  }

  @Test
  void silenceCountsFromTheLastAnswerOfWhateverRequest() {
    served(100, MILLIS);
    phiAccrualDetector.asked(now);
    for (int i = 0; i < 50; i++) { // One request stays open while others are answered.
      phiAccrualDetector.asked(now);
      now += 100 * MILLIS;
      phiAccrualDetector.answered(now);
    }

    assertThat(stateAfter(0)).isEqualTo(State.REACHABLE);
    assertThat(phiAccrualDetector.health(now + 50 * MILLIS).silentNanos()).isEqualTo(50 * MILLIS);
    assertThat(stateAfter(2 * SECONDS)).isEqualTo(State.SUSPECTED);
  }

  @Test
  void aSiteThatIsSilentForLongIsDownAndAnAnswerEndsItAtOnce() {
    served(100, MILLIS);
    phiAccrualDetector.asked(now);
    phiAccrualDetector.unanswered();

    assertThat(stateAfter(29 * SECONDS)).as("though nobody asks").isEqualTo(State.SUSPECTED);
    assertThat(stateAfter(30 * SECONDS)).isEqualTo(State.DOWN);
    now += 60 * SECONDS;
    phiAccrualDetector.asked(now);
    phiAccrualDetector.answered(now);
    assertThat(phiAccrualDetector.health(now)).isEqualTo(SuspicionLevel.UNASKED);
  }

  @Test
  void anOutageDoesNotMakeTheNextOnePass() {
    served(100, MILLIS);
    phiAccrualDetector.asked(now);
    now += 600 * SECONDS;
    phiAccrualDetector.answered(now);
    phiAccrualDetector.asked(now);

    assertThat(stateAfter(3 * SECONDS)).isEqualTo(State.SUSPECTED);
  }

  @Test
  void whatNeverLeftSaysNothing() {
    served(100, MILLIS);
    phiAccrualDetector.asked(now);
    phiAccrualDetector.unsent();

    assertThat(stateAfter(600 * SECONDS)).isEqualTo(State.REACHABLE);
  }

  @Test
  void phiIsTheLogarithmOfAChance() {
    served(100, 1); // The floor is the deviation; the mean is almost zero.
    phiAccrualDetector.asked(now);
    double floor = PhiAccrualSettings.STANDARD.floorNanos();

    // Tails of the normal distribution beyond 1, 2, 3 and 5 deviations.
    assertThat(phiAccrualDetector.health(now + (long) floor).phi()).isCloseTo(0.80, within(0.02));
    assertThat(phiAccrualDetector.health(now + (long) (2 * floor)).phi())
        .isCloseTo(1.64, within(0.02));
    assertThat(phiAccrualDetector.health(now + (long) (3 * floor)).phi())
        .isCloseTo(2.87, within(0.05));
    assertThat(phiAccrualDetector.health(now + (long) (5 * floor)).phi())
        .isCloseTo(6.54, within(0.8));
    assertThat(phiAccrualDetector.health(now + 3_600 * SECONDS).phi())
        .isFinite()
        .isGreaterThan(1_000);
  }
}

package io.ensemble.cache.swmr.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.stamp.Stamp;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How a writer's later writes decide the fates of writes in doubt of one or several epochs. */
class InDoubtEpochsTest extends InDoubtTrackerFixture {

  /** The later write is of unknown outcome, so it is not in the window. */
  @Test
  void aLaterOwnWriteOfTheEpochIsNotAnothersAndKeepsThoseBefore() {
    threeInDoubt();
    settleBy(FOUR);
    assertThat(reports).containsExactlyInAnyOrder("11 KEPT", "12 KEPT", "13 KEPT");
    assertThat(doubtful).isZero();
  }

  @Test
  void anOwnWriteBetweenThemKeepsThoseBeforeAndNotThoseAfter() {
    doubts.add(List.of(write(ONE, BEFORE, true), write(THREE, ONE, true)));
    settleBy(TWO);
    listen();
    assertThat(reports).containsExactlyInAnyOrder("11 UNKNOWN", "13 UNKNOWN", "11 KEPT", "13 LOST");
  }

  @Test
  void anOwnWriteOfALaterEpochTellsByWhatItReplacedThoughItsOutcomeWasUnknown() {
    threeInDoubt();
    doubts.addPossible(write(2, FOUR, ONE, false));
    doubts.addPossible(write(2, FIVE, FOUR, false));
    assertThat(doubtful).as("one more for the epoch").isEqualTo(4);
    settleBy(FIVE);
    assertThat(reports).containsExactlyInAnyOrder("11 KEPT", "12 LOST", "13 LOST");
    assertThat(doubtful).isZero();
  }

  @Test
  void theNextWriteTellsByWhatThatReplacedWhichItReplaces() {
    threeInDoubt();
    doubts.addPossible(write(2, FOUR, BEFORE, false));
    doubts.written(KEY, 2, FOUR);
    listen();
    assertThat(reports).containsExactlyInAnyOrder("11 LOST", "12 LOST", "13 LOST");
    assertThat(doubtful).isZero();
    assertThat(doubts.hasWrites()).isFalse();
  }

  @Test
  void anOwnWriteThatIsNotFoundTellsNothing() {
    threeInDoubt();
    doubts.addPossible(write(2, FOUR, BEFORE, false));
    settleBy(TWO);
    assertThat(reports).containsExactlyInAnyOrder("11 KEPT", "12 KEPT", "13 LOST");
  }

  private void nextEpochInDoubt(Stamp stamp, Stamp replaced) {
    doubts.addPossible(write(2, stamp, replaced, false));
    doubts.add(List.of(write(2, stamp, replaced, true)));
    present = present.succeeded("b", SELF);
    listen();
    assertThat(reports).containsExactly(stamp.micros() + " UNKNOWN");
    reports.clear();
  }

  @Test
  void theFatesOfTwoEpochsAreToldOnceEach() {
    threeInDoubt();
    nextEpochInDoubt(FOUR, TWO);
    settleBy(FOUR);
    assertThat(reports).containsExactlyInAnyOrder("11 KEPT", "12 KEPT", "13 LOST", "14 KEPT");
    assertThat(doubtful).isZero();

    settleBy(TWO);
    listen();
    assertThat(reports).as("told once").hasSize(4);
  }

  @Test
  void whatTheFormerEpochHadIsBeforeWhatTheLaterOneLost() {
    threeInDoubt();
    nextEpochInDoubt(FOUR, OTHER);
    settleBy(THREE);
    assertThat(reports).containsExactlyInAnyOrder("11 KEPT", "12 KEPT", "13 KEPT", "14 LOST");
  }

  @Test
  void whatTheLaterEpochBeganWithIsNotOfTheFormer() {
    threeInDoubt();
    nextEpochInDoubt(FOUR, OTHER);
    settleBy(OTHER);
    assertThat(reports)
        .containsExactlyInAnyOrder("11 OVERWRITTEN", "12 OVERWRITTEN", "13 OVERWRITTEN", "14 LOST");
  }

  /** A value read during an epoch does not decide that epoch's own writes, which end later. */
  @Test
  void whatIsFoundInAnEpochTellsOfThoseBeforeAlone() {
    threeInDoubt();
    doubts.add(List.of(write(2, FOUR, THREE, true)));
    listen();
    reports.clear();
    settleBy(TWO);
    assertThat(reports).containsExactlyInAnyOrder("11 KEPT", "12 KEPT", "13 LOST");
    assertThat(doubtful).isEqualTo(1);

    reports.clear();
    settleBy(BEFORE);
    assertThat(reports).as("not of the former ones again").hasSize(1);
    assertThat(doubtful).isZero();
  }
}

package io.ensemble.testkit.losses;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.NullNode;
import io.ensemble.InDoubtWrites.Fate;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.OperationHistory;
import org.junit.jupiter.api.Test;

/** A write may be lost only if it was reported, is of unknown outcome, or its writer crashed. */
class FailoverLossesTest extends FailoverLossesFixture {

  @Test
  void aKeyGoesBackOverReportedWritesToAnyBefore() {
    wrote(1, 10);
    Stamp second = wrote(2, 20);
    Stamp third = wrote(3, 30);
    losses.seen(2, 100, 110);
    tell(Fate.UNKNOWN, second, third);
    read(3L, 40);
    read(1L, 120);

    assertThat(isAllowed()).isTrue();
    assertThat(losses.mistakes(new OperationHistory(operations))).isEmpty();
    assertThat(losses.unsettled()).containsExactlyInAnyOrder(second, third);
  }

  @Test
  void nothingGoesBackBeforeTheEpochEnds() {
    wrote(1, 10);
    Stamp second = wrote(2, 20);
    losses.seen(2, 100, 110);
    tell(Fate.UNKNOWN, second);
    read(1L, 50);

    assertThat(isAllowed()).isFalse();
  }

  @Test
  void whatIsNotReportedIsNotLost() {
    wrote(1, 10);
    wrote(2, 20);
    Stamp third = wrote(3, 30);
    losses.seen(2, 100, 110);
    tell(Fate.UNKNOWN, third);
    read(2L, 120);

    assertThat(isAllowed()).isTrue();

    read(1L, 130);

    assertThat(isAllowed()).isFalse();
  }

  @Test
  void whatIsReportedAsKeptIsNotLost() {
    wrote(1, 10);
    Stamp second = wrote(2, 20);
    losses.seen(2, 100, 110);
    tell(Fate.UNKNOWN, second);
    tell(Fate.KEPT, second);
    read(1L, 210);

    assertThat(isAllowed()).isFalse();
  }

  @Test
  void stampsOrderWritesThatWereCalledInAnotherOrder() {
    wrote(1, 10);
    Stamp third = wrote(3, 20);
    wrote(2, 20);
    losses.seen(2, 100, 110);
    tell(Fate.UNKNOWN, third);
    read(2L, 120);

    assertThat(isAllowed()).isTrue();

    read(1L, 130);

    assertThat(isAllowed()).isFalse();
  }

  @Test
  void aWriteUnderWayWhileTheEpochEndsHidesNoLoss() {
    wrote(1, 10);
    Stamp second = wrote(2, 20);
    losses.seen(2, 100, 110);
    tell(Fate.UNKNOWN, second);
    Stamp later = new Stamp(9, new WriterId(1, 1));
    losses.applied(losses.begin(0, KEY, 9L, 90), later, 150);
    operations.add(
        new HistoryOperation(
            client++,
            KEY,
            "write",
            null,
            LongNode.valueOf(9),
            NullNode.instance,
            90,
            150L,
            HistoryOutcome.OK));
    read(1L, 120);
    read(9L, 160);

    assertThat(isAllowed()).isTrue();
  }

  @Test
  void aWriteOfUnknownOutcomeMayGoBackToo() {
    wrote(1, 10);
    losses.begin(0, KEY, 2L, 20);
    add(KEY, "write", 2L, null, 20, HistoryOutcome.UNKNOWN);
    losses.seen(2, 100, 110);
    read(2L, 30);
    read(1L, 120);

    assertThat(isAllowed()).isTrue();
  }

  @Test
  void theLastWritesOfTheDeadMayBeLostAWindowOfThem() {
    wrote(1, 10);
    wrote(2, 20);
    wrote(3, 30);
    losses.seen(2, 100, 110);
    losses.died(0);
    read(1L, 120);

    assertThat(isAllowed()).isTrue();

    read(null, 130);

    assertThat(isAllowed()).isFalse();
  }

  @Test
  void theDeadMayHaveLostOlderWritesOfOneKeyThanTheyKeptOfAnother() {
    wrote(1, 10);
    wrote(2, 20);
    wrote("other", 3, 30);
    wrote("other", 4, 40);
    losses.seen(2, 100, 110);
    losses.died(0);
    read(null, 120);
    read("other", 4L, 120);

    assertThat(isAllowed()).isTrue();

    read("other", 3L, 130);

    assertThat(isAllowed()).as("a window is full").isFalse();
  }

  @Test
  void theDeadMayHaveWrittenUntilTheNextEpochWasActive() {
    wrote(1, 10);
    wrote(2, 105);
    wrote(3, 120);
    losses.seen(2, 100, 110);
    losses.active(1, 0);
    losses.active(2, 130);
    losses.died(0);
    read(1L, 140);

    assertThat(isAllowed()).isTrue();

    read(null, 150);

    assertThat(isAllowed()).isFalse();
  }

  @Test
  void theLivingHaveToReportWhatTheyWroteUntilThen() {
    wrote(1, 10);
    wrote(2, 105);
    losses.seen(2, 100, 110);
    losses.active(2, 130);
    read(1L, 140);

    assertThat(isAllowed()).isFalse();
  }

  @Test
  void reportsThatContradictThemselvesAreTold() {
    Stamp first = wrote(1, 10);
    Stamp second = wrote(2, 20);
    Stamp third = wrote(3, 30);
    tell(Fate.UNKNOWN, first, second, third);
    tell(Fate.LOST, third);
    tell(Fate.KEPT, third);
    tell(Fate.UNKNOWN, new Stamp(7, new WriterId(1, 1)));
    read(3L, 300);

    assertThat(losses.mistakes(new OperationHistory(operations)))
        .anyMatch(line -> line.startsWith("3 writes of 0 in epoch 1 in doubt, over 2"))
        .anyMatch(line -> line.startsWith("reported as KEPT after LOST"))
        .anyMatch(line -> line.startsWith("reported, but the write was not acknowledged"))
        .anyMatch(line -> line.startsWith("reported as lost, and read after that"));
  }

  @Test
  void failOversInARowDoNotDoubtMoreThanAWindowAtOnce() {
    Stamp first = wrote(1, 10);
    Stamp second = wrote(2, 20);
    Stamp third = wrote(3, 120);
    tell(Fate.UNKNOWN, first, second);
    tell(Fate.KEPT, first);
    tell(2, Fate.UNKNOWN, third);
    assertThat(losses.mistakes(new OperationHistory(operations))).isEmpty();

    tell(2, Fate.UNKNOWN, wrote(4, 130));

    assertThat(losses.mistakes(new OperationHistory(operations)))
        .containsExactly("3 writes of 0 at once in doubt, over 2");
  }

  @Test
  void aLossThatWasToldExcusesNoneAfterIt() {
    wrote(1, 10);
    Stamp second = wrote(2, 20);
    losses.seen(2, 100, 110);
    tell(Fate.UNKNOWN, second);
    tell(Fate.LOST, second);
    wrote(3, 300);
    read(3L, 310);
    assertThat(isAllowed()).isTrue();

    read(1L, 400);

    assertThat(isAllowed()).isFalse();
  }
}

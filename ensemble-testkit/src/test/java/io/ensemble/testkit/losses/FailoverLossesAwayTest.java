package io.ensemble.testkit.losses;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.LongNode;
import io.ensemble.InDoubtWrites.Fate;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A write that is reported as kept may be unreadable until the report. */
class FailoverLossesAwayTest extends FailoverLossesFixture {

  /**
   * A read that finds nothing in a new epoch writes nothing back; a later read may find the write.
   */
  @Test
  void whatIsReportedAsKeptMayBeAwayUntilThen() {
    Stamp first = wrote(1, 10);
    Stamp second = wrote(2, 20);
    losses.seen(2, 100, 110);
    tell(Fate.UNKNOWN, first, second);
    tell(Fate.KEPT, second);
    read(null, 120);
    read(2L, 130);

    assertThat(isAllowed()).isTrue();

    read(2L, 210);
    assertThat(isAllowed()).isTrue();
    read(null, 220);

    assertThat(isAllowed()).as("after the report").isFalse();
  }

  /** A read of an earlier value in a new epoch recovers that value in place of the write. */
  @Test
  void whatIsReportedAsKeptWasNotAwayForAnEarlierValue() {
    Stamp first = wrote(1, 10);
    Stamp second = wrote(2, 20);
    losses.seen(2, 100, 110);
    tell(Fate.UNKNOWN, first, second);
    tell(Fate.KEPT, second);
    read(1L, 120);
    read(2L, 130);

    assertThat(isAllowed()).isFalse();
  }

  @Test
  void asManyKeysMayBeAwayAsHaveWritesInDoubt() {
    List<Stamp> all = new ArrayList<>();
    for (int key = 0; key < 300; key++) {
      all.add(wrote("k" + key, 1 + key, 10));
    }
    losses.seen(2, 100, 110);
    tell(Fate.UNKNOWN, all.toArray(Stamp[]::new));
    tell(Fate.KEPT, all.toArray(Stamp[]::new));
    for (int key = 0; key < 300; key++) {
      read("k" + key, null, 120);
      read("k" + key, 1L + key, 130);
    }

    assertThat(isAllowed()).isTrue();

    read("k7", null, 220);

    assertThat(isAllowed()).isFalse();
  }

  @Test
  void whatIsNotInDoubtIsNotAwayThoughALaterWriteIs() {
    wrote(1, 10);
    wrote(2, 20);
    Stamp third = wrote(3, 30);
    losses.seen(2, 100, 110);
    tell(Fate.UNKNOWN, third);
    tell(Fate.KEPT, third);
    read(1L, 120);
    read(3L, 130);

    assertThat(isAllowed()).isFalse();
  }

  /** A crashed writer does not report; the loss is settled when a later epoch is whole. */
  @Test
  void aWriteOfTheDeadMayBeAwayUntilALaterEpochIsWhole() {
    wrote(1, 10);
    losses.seen(2, 100, 110);
    losses.died(0);
    losses.whole(2, 300);
    read(null, 120);
    read(1L, 290);

    assertThat(isAllowed()).isTrue();

    read(null, 310);
    read(1L, 320);

    assertThat(isAllowed()).as("again, after that").isFalse();
  }

  /** Only a writer ends what a term has left unsettled. */
  @Test
  void aWriteOfTheDeadMayBeAwayWhileNoLaterEpochIsWhole() {
    wrote(1, 10);
    losses.seen(2, 100, 110);
    losses.died(0);
    read(null, 120);
    read(1L, 290);

    assertThat(isAllowed()).isTrue();

    losses.whole(2, 115);

    assertThat(isAllowed()).as("it was whole before the write was away").isFalse();
  }

  /** The write was called before the end of the epoch and took effect in the next one. */
  @Test
  void aWriteUnderWayHidesNoneOfUnknownOutcome() {
    wrote(1, 10);
    losses.begin(0, KEY, null, 20);
    add(KEY, "delete", null, null, 20, HistoryOutcome.UNKNOWN);
    read(null, 30);
    losses.seen(2, 100, 110);
    Stamp later = new Stamp(9, new WriterId(1, 1));
    losses.applied(losses.begin(0, KEY, 9L, 90), later, 150);
    operations.add(
        new HistoryOperation(
            client++,
            KEY,
            "swap",
            null,
            LongNode.valueOf(9),
            LongNode.valueOf(1),
            90,
            150L,
            HistoryOutcome.OK));
    read(9L, 160);

    assertThat(isAllowed()).isTrue();

    read(1L, 170);
    read(9L, 180);

    assertThat(isAllowed()).isFalse();
  }
}

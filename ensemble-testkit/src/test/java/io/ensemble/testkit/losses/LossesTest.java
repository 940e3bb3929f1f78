package io.ensemble.testkit.losses;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.NullNode;
import io.ensemble.DoubtfulWrites;
import io.ensemble.DoubtfulWrites.Fate;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import io.ensemble.testkit.history.History;
import io.ensemble.testkit.history.Operation;
import io.ensemble.testkit.history.Outcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is reported may be lost, and nothing else. Epoch 1 ends between 100 and 110. */
class LossesTest {
  private static final String KEY = "k";

  private final Losses losses = new Losses(2, 0);
  private final List<Operation> operations = new ArrayList<>();
  private long client;

  private Stamp wrote(long value, long at) {
    return wrote(KEY, value, at);
  }

  private Stamp wrote(String key, long value, long at) {
    Stamp stamp = new Stamp(value, new WriterId(1, 1));
    losses.applied(losses.begin(0, key, value, at), stamp);
    add(key, "write", value, null, at, Outcome.OK);
    return stamp;
  }

  private void read(Long value, long at) {
    read(KEY, value, at);
  }

  private void read(String key, Long value, long at) {
    add(key, "read", null, value, at, Outcome.OK);
  }

  private void add(String key, String op, Long in, Long out, long at, Outcome outcome) {
    operations.add(
        new Operation(
            client++,
            key,
            op,
            null,
            in == null ? NullNode.instance : LongNode.valueOf(in),
            out == null ? NullNode.instance : LongNode.valueOf(out),
            at,
            outcome == Outcome.OK ? at + 1 : null,
            outcome));
  }

  private void tell(Fate fate, Stamp... stamps) {
    tell(1, fate, stamps);
  }

  private void tell(long epoch, Fate fate, Stamp... stamps) {
    losses.report(
        0,
        new DoubtfulWrites<>(
            "c",
            epoch,
            fate,
            Arrays.stream(stamps).map(stamp -> new DoubtfulWrites.Write<>(KEY, stamp)).toList()),
        200);
  }

  private boolean isAllowed() {
    History history = new History(operations);
    return losses.judge(history).isLinearizable();
  }

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
    assertThat(losses.mistakes(new History(operations))).isEmpty();
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

  /** A reader of a new epoch who finds nothing leaves nothing; a later one may find the write. */
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

  /** Who reads an earlier value in a new epoch has had it recovered there, in the write's place. */
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
    losses.applied(losses.begin(0, KEY, 9L, 90), later);
    operations.add(
        new Operation(
            client++,
            KEY,
            "write",
            null,
            LongNode.valueOf(9),
            NullNode.instance,
            90,
            150L,
            Outcome.OK));
    read(1L, 120);
    read(9L, 160);

    assertThat(isAllowed()).isTrue();
  }

  @Test
  void aWriteOfUnknownOutcomeMayGoBackToo() {
    wrote(1, 10);
    losses.begin(0, KEY, 2L, 20);
    add(KEY, "write", 2L, null, 20, Outcome.UNKNOWN);
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

    assertThat(losses.mistakes(new History(operations)))
        .anyMatch(line -> line.startsWith("3 writes of 0 in epoch 1 in doubt, over 2"))
        .anyMatch(line -> line.startsWith("reported as KEPT after LOST"))
        .anyMatch(line -> line.startsWith("nobody was told that this write was done"))
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
    assertThat(losses.mistakes(new History(operations))).isEmpty();

    tell(2, Fate.UNKNOWN, wrote(4, 130));

    assertThat(losses.mistakes(new History(operations)))
        .containsExactly("3 writes of 0 at once in doubt, over 2");
  }
}

package io.ensemble.versioning.listen;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.versioning.drive.Additions.Addition;
import io.ensemble.versioning.drive.Additions.Page;
import io.ensemble.versioning.listen.Telling.Added;
import io.ensemble.versioning.listen.Telling.Gone;
import io.ensemble.versioning.listen.Telling.Noted;
import io.ensemble.versioning.listen.Telling.OtherHistory;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What follows from how far a key was told and what a look finds. */
class TellingTest {

  private static final long ID = Mark.history("id");
  private static final int LIMIT = 3;

  private static Telling<Long> told(long upTo, Page<Long> page) {
    return Telling.of(mark(upTo), Optional.of(page), LIMIT);
  }

  private static Mark mark(long sequence) {
    return new Mark(ID, sequence);
  }

  /** A version is a hundred times its number. */
  private static Page<Long> page(long lastSequence, long... sequences) {
    List<Addition<Long>> items = Arrays.stream(sequences).mapToObj(s -> addition(s)).toList();
    return new Page<>("id", items, Optional.of(7L), lastSequence);
  }

  private static Addition<Long> addition(long sequence) {
    return new Addition<>(100 * sequence, sequence, Optional.empty());
  }

  private static Added<Long> added(long sequence) {
    return new Added<>(addition(sequence), mark(sequence));
  }

  private static Gone<Long> gone(long first, long last) {
    return new Gone<>(first, last, Optional.of(7L), mark(last));
  }

  @Test
  void aKeyWithoutAHistoryHasNothingToTell() {
    assertThat(Telling.<Long>of(Mark.NONE, Optional.empty(), LIMIT))
        .isEqualTo(new Telling<Long>(List.of(), false));
    assertThat(Telling.<Long>of(mark(5), Optional.empty(), LIMIT))
        .isEqualTo(new Telling<Long>(List.of(), false));
  }

  @Test
  void whatWasAddedIsToldOneByOne() {
    assertThat(told(4, page(6, 5, 6))).isEqualTo(new Telling<>(List.of(added(5), added(6)), false));
  }

  @Test
  void aFullPageIsFollowedByAnotherLook() {
    assertThat(told(4, page(9, 5, 6, 7)))
        .isEqualTo(new Telling<>(List.of(added(5), added(6), added(7)), true));
  }

  @Test
  void whatIsMissingBeforeAVersionIsGone() {
    assertThat(told(4, page(9, 7, 9)))
        .isEqualTo(new Telling<>(List.of(gone(5, 6), added(7), gone(8, 8), added(9)), false));
  }

  @Test
  void whatIsMissingAtTheEndIsGone() {
    assertThat(told(4, page(9, 5))).isEqualTo(new Telling<>(List.of(added(5), gone(6, 9)), false));
    assertThat(told(4, page(9))).isEqualTo(new Telling<>(List.of(gone(5, 9)), false));
  }

  @Test
  void whatAFullPageDoesNotReachIsNotGone() {
    assertThat(told(4, page(99, 5, 6, 7)).steps()).hasSize(3);
  }

  @Test
  void allThatWasToldIsNotToldAgain() {
    assertThat(told(4, page(4))).isEqualTo(new Telling<Long>(List.of(), false));
  }

  @Test
  void aLookIntoThePastTellsNothing() {
    assertThat(told(4, page(3))).isEqualTo(new Telling<Long>(List.of(), false));
  }

  @Test
  void anotherHistoryIsSaidAndToldFromItsBeginning() {
    Telling<Long> telling =
        Telling.of(new Mark(Mark.history("former"), 8), Optional.of(page(9, 9)), LIMIT);

    assertThat(telling).isEqualTo(new Telling<>(List.of(new OtherHistory<>(8, mark(0))), true));
  }

  @Test
  void theFirstHistoryOfAKeyIsNoOther() {
    assertThat(Telling.of(Mark.NONE, Optional.of(page(1, 1)), LIMIT))
        .isEqualTo(new Telling<>(List.of(added(1)), false));
    assertThat(Telling.of(Mark.NONE, Optional.of(page(0)), LIMIT))
        .isEqualTo(new Telling<>(List.of(new Noted<>(mark(0))), false));
  }
}

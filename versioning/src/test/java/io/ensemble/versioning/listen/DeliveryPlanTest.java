package io.ensemble.versioning.listen;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.versioning.drive.VersionFeed.Addition;
import io.ensemble.versioning.drive.VersionFeed.Page;
import io.ensemble.versioning.listen.DeliveryPlan.Added;
import io.ensemble.versioning.listen.DeliveryPlan.Gone;
import io.ensemble.versioning.listen.DeliveryPlan.Noted;
import io.ensemble.versioning.listen.DeliveryPlan.OtherHistory;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The deliveries that follow from the position of a key and a page of additions. */
class DeliveryPlanTest {

  private static final long ID = KeyPosition.history("id");
  private static final int LIMIT = 3;

  private static DeliveryPlan<Long> told(long upTo, Page<Long> page) {
    return DeliveryPlan.of(mark(upTo), Optional.of(page), LIMIT);
  }

  private static KeyPosition mark(long sequence) {
    return new KeyPosition(ID, sequence);
  }

  /** Each version is a hundred times its sequence number. */
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
    assertThat(DeliveryPlan.<Long>of(KeyPosition.NONE, Optional.empty(), LIMIT))
        .isEqualTo(new DeliveryPlan<Long>(List.of(), false));
    assertThat(DeliveryPlan.<Long>of(mark(5), Optional.empty(), LIMIT))
        .isEqualTo(new DeliveryPlan<Long>(List.of(), false));
  }

  @Test
  void whatWasAddedIsToldOneByOne() {
    assertThat(told(4, page(6, 5, 6)))
        .isEqualTo(new DeliveryPlan<>(List.of(added(5), added(6)), false));
  }

  @Test
  void aFullPageIsFollowedByAnotherLook() {
    assertThat(told(4, page(9, 5, 6, 7)))
        .isEqualTo(new DeliveryPlan<>(List.of(added(5), added(6), added(7)), true));
  }

  @Test
  void whatIsMissingBeforeAVersionIsGone() {
    assertThat(told(4, page(9, 7, 9)))
        .isEqualTo(new DeliveryPlan<>(List.of(gone(5, 6), added(7), gone(8, 8), added(9)), false));
  }

  @Test
  void whatIsMissingAtTheEndIsGone() {
    assertThat(told(4, page(9, 5)))
        .isEqualTo(new DeliveryPlan<>(List.of(added(5), gone(6, 9)), false));
    assertThat(told(4, page(9))).isEqualTo(new DeliveryPlan<>(List.of(gone(5, 9)), false));
  }

  @Test
  void whatAFullPageDoesNotReachIsNotGone() {
    assertThat(told(4, page(99, 5, 6, 7)).steps()).hasSize(3);
  }

  @Test
  void allThatWasToldIsNotToldAgain() {
    assertThat(told(4, page(4))).isEqualTo(new DeliveryPlan<Long>(List.of(), false));
  }

  @Test
  void aLookIntoThePastTellsNothing() {
    assertThat(told(4, page(3))).isEqualTo(new DeliveryPlan<Long>(List.of(), false));
  }

  @Test
  void anotherHistoryIsSaidAndToldFromItsBeginning() {
    DeliveryPlan<Long> telling =
        DeliveryPlan.of(
            new KeyPosition(KeyPosition.history("former"), 8), Optional.of(page(9, 9)), LIMIT);

    assertThat(telling)
        .isEqualTo(new DeliveryPlan<>(List.of(new OtherHistory<>(8, mark(0))), true));
  }

  @Test
  void theFirstHistoryOfAKeyIsNoOther() {
    assertThat(DeliveryPlan.of(KeyPosition.NONE, Optional.of(page(1, 1)), LIMIT))
        .isEqualTo(new DeliveryPlan<>(List.of(added(1)), false));
    assertThat(DeliveryPlan.of(KeyPosition.NONE, Optional.of(page(0)), LIMIT))
        .isEqualTo(new DeliveryPlan<>(List.of(new Noted<>(mark(0))), false));
  }
}

package io.ensemble.sibling;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import org.junit.jupiter.api.Test;

class ResidentTest {

  private static final Resident<String> NOTHING = Resident.none();

  @Test
  void aStoreIsOneActorForAsLongAsItHasTheKey() {
    Resident<String> first = put(NOTHING, 1, "a");
    Resident<String> second = put(first, 2, "b");

    assertThat(second.actor()).isNotNull().isEqualTo(first.actor());
    assertThat(second.siblings().seen().latest()).hasSize(1);
  }

  @Test
  void aStoreThatHasForgottenIsAnotherActorAndCoversNothingOfTheFormer() {
    Resident<String> elsewhere = NOTHING.joined(put(NOTHING, 1, "known elsewhere").siblings());

    Resident<String> forgotten = put(put(NOTHING, 9, "new"), 10, "newer");

    assertThat(forgotten.joined(elsewhere.siblings()).siblings().values())
        .containsExactly("newer", "known elsewhere");
  }

  @Test
  void evenHearingOfItsOwnFormerWritesDoesNotMakeItTheFormerActor() {
    Resident<String> first = put(NOTHING, 1, "a");
    Resident<String> second = put(first, 2, "b");

    Resident<String> refilled = NOTHING.joined(first.siblings());
    Resident<String> next = put(refilled, 9, "c");

    assertThat(refilled.actor()).isNull();
    assertThat(next.joined(second.siblings()).siblings().values()).containsExactly("c", "b");
  }

  @Test
  void aStoreThatHasGoneBackInTimeIsAnotherActorOnceItHearsOfThat() {
    Resident<String> first = put(NOTHING, 1, "a");
    Resident<String> second = put(first, 2, "b");

    Resident<String> heard = first.joined(second.siblings());
    Resident<String> told =
        first.written(stamp(9), second.siblings().seen(), "c"); // By a writer who read elsewhere.

    assertThat(heard.actor()).isNull();
    assertThat(told.actor()).isNotNull().isNotEqualTo(first.actor());
  }

  @Test
  void aCopyThatBringsNothingChangesNothing() {
    Resident<String> second = put(put(NOTHING, 1, "a"), 2, "b");

    assertThat(second.joined(put(NOTHING, 1, "a").siblings())).isSameAs(second);
    assertThat(second.atMost(1)).isSameAs(second);
  }

  @Test
  void aRemovedKeyThatIsWrittenAgainAfterThePurgeIsNotCoveredByATombstoneThatWasLeft() {
    Resident<String> removed = put(put(NOTHING, 100, "a"), 101, null);
    Siblings<String> left = removed.siblings();

    Resident<String> again = put(NOTHING, 50, "a clock that is behind");

    assertThat(again.joined(left).siblings().values()).containsExactly("a clock that is behind");
  }

  private static Resident<String> put(Resident<String> at, long micros, String value) {
    return at.written(stamp(micros), at.siblings().seen(), value);
  }

  private static Stamp stamp(long micros) {
    return new Stamp(micros, new WriterId(0, 7));
  }
}

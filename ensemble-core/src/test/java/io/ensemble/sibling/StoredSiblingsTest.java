package io.ensemble.sibling;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import org.junit.jupiter.api.Test;

class StoredSiblingsTest {

  private static final StoredSiblings<String> NOTHING = StoredSiblings.none();

  @Test
  void aStoreIsOneActorForAsLongAsItHasTheKey() {
    StoredSiblings<String> first = put(NOTHING, 1, "a");
    StoredSiblings<String> second = put(first, 2, "b");

    assertThat(second.actor()).isNotNull().isEqualTo(first.actor());
    assertThat(second.siblings().seen().latest()).hasSize(1);
  }

  @Test
  void aStoreThatHasForgottenIsAnotherActorAndCoversNothingOfTheFormer() {
    StoredSiblings<String> elsewhere =
        NOTHING.joined(put(NOTHING, 1, "known elsewhere").siblings());

    StoredSiblings<String> forgotten = put(put(NOTHING, 9, "new"), 10, "newer");

    assertThat(forgotten.joined(elsewhere.siblings()).siblings().values())
        .containsExactly("newer", "known elsewhere");
  }

  @Test
  void evenHearingOfItsOwnFormerWritesDoesNotMakeItTheFormerActor() {
    StoredSiblings<String> first = put(NOTHING, 1, "a");
    StoredSiblings<String> second = put(first, 2, "b");

    StoredSiblings<String> refilled = NOTHING.joined(first.siblings());
    StoredSiblings<String> next = put(refilled, 9, "c");

    assertThat(refilled.actor()).isNull();
    assertThat(next.joined(second.siblings()).siblings().values()).containsExactly("c", "b");
  }

  @Test
  void aStoreThatHasGoneBackInTimeIsAnotherActorOnceItHearsOfThat() {
    StoredSiblings<String> first = put(NOTHING, 1, "a");
    StoredSiblings<String> second = put(first, 2, "b");

    StoredSiblings<String> heard = first.joined(second.siblings());
    StoredSiblings<String> told =
        first.written(stamp(9), second.siblings().seen(), "c"); // The writer read elsewhere.

    assertThat(heard.actor()).isNull();
    assertThat(told.actor()).isNotNull().isNotEqualTo(first.actor());
  }

  @Test
  void aCopyThatBringsNothingChangesNothing() {
    StoredSiblings<String> second = put(put(NOTHING, 1, "a"), 2, "b");

    assertThat(second.joined(put(NOTHING, 1, "a").siblings())).isSameAs(second);
    assertThat(second.atMost(1)).isSameAs(second);
  }

  @Test
  void aRemovedKeyThatIsWrittenAgainAfterThePurgeIsNotCoveredByATombstoneThatWasLeft() {
    StoredSiblings<String> removed = put(put(NOTHING, 100, "a"), 101, null);
    Siblings<String> left = removed.siblings();

    StoredSiblings<String> again = put(NOTHING, 50, "a clock that is behind");

    assertThat(again.joined(left).siblings().values()).containsExactly("a clock that is behind");
  }

  private static StoredSiblings<String> put(StoredSiblings<String> at, long micros, String value) {
    return at.written(stamp(micros), at.siblings().seen(), value);
  }

  private static Stamp stamp(long micros) {
    return new Stamp(micros, new WriterId(0, 7));
  }
}

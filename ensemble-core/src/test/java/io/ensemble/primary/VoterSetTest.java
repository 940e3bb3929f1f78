package io.ensemble.primary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.stamp.WriterId;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The voters of a cache, and which of them may be the only voter. */
class VoterSetTest {

  private static final VoterSet BOTH = VoterSet.first(List.of("a", "b"));
  private static final Term LAST =
      Term.first("a", new WriterId(1, 2)).succeeded("b", WriterId.NONE);

  @Test
  void aCacheBeginsWithAllItsSitesAndTheFirstIsThePrimary() {
    assertThat(BOTH.firstTerm()).isEqualTo(Term.first("a", WriterId.NONE));
    assertThat(BOTH.firstTerm().active()).isTrue();
    assertThat(BOTH.isComplete("a", BOTH.firstTerm())).isTrue();
    assertThat(BOTH.isComplete("b", BOTH.firstTerm())).isTrue();
    assertThat(BOTH.isComplete("c", BOTH.firstTerm())).isFalse();
  }

  @Test
  void theNextRollsTermIsAboveEveryFormerOneAndWaits() {
    VoterSet alone = BOTH.succeeded(LAST, List.of("b"));

    assertThat(alone.number()).isEqualTo(2);
    assertThat(alone.since()).isEqualTo(2);
    assertThat(alone.succeeded(LAST, List.of("b")).since()).as("still alone").isEqualTo(2);
    assertThat(alone.counts("a")).isFalse();
    Term first = alone.firstTerm();
    assertThat(first.epoch()).isEqualTo(LAST.epoch() + 1);
    assertThat(first.primary()).isEqualTo("b");
    assertThat(first.writer()).isEqualTo(WriterId.NONE);
    assertThat(first.active()).as("others may still trust the former roll's").isFalse();
    assertThat(first.floor()).isEqualTo(LAST.floor());
  }

  @Test
  void aSiteThatCameBackIsCompleteOnceEveryKeyWasRecovered() {
    VoterSet alone = BOTH.succeeded(LAST, List.of("b"));
    VoterSet again = alone.succeeded(alone.firstTerm().activated().recovered(), List.of("b", "a"));
    Term begun = again.firstTerm().activated();

    assertThat(again.isFilled(begun)).isFalse();
    assertThat(again.isComplete("b", begun)).as("it had all from the beginning").isTrue();
    assertThat(again.isComplete("a", begun)).isFalse();
    Term whole = begun.recovered();
    assertThat(again.isComplete("a", whole)).isTrue();
    Term moved = whole.succeeded("a", WriterId.NONE).activated();
    assertThat(again.isComplete("a", moved)).as("all was there, and every write since").isTrue();
  }

  @Test
  void aRollOfNobodyOrOfOneTwiceIsRefused() {
    assertThatThrownBy(() -> VoterSet.first(List.of()))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> VoterSet.first(List.of("a", "a")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new VoterSet(2, List.of("a"), 3, 4, 2))
        .isInstanceOf(IllegalArgumentException.class);
  }
}

package io.ensemble.zoofence.flattening;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

final class EditionTest {
  private static final List<String> NAMES = List.of("lyon", "nice", "bern");

  private final Edition first =
      Edition.first(FlatteningText.read("/ hash 1\n/all *\n/all/one 1\n", NAMES));

  private static Move move(String path, String rule) {
    return new Move(path, rule, "7:3", Move.Phase.COPYING);
  }

  private static Edition again(Edition edition) {
    return Edition.read(edition.bytes(), NAMES);
  }

  @Test
  void itReadsAsItWasWritten() {
    assertThat(again(first)).isEqualTo(first);

    Edition moving = first.beginning(move("/a b\n%20", "levels 2 1"));
    assertThat(again(moving)).isEqualTo(moving);
  }

  @Test
  void onlyAMoveThatHasCopiedChangesWhoHoldsWhat() {
    Edition moving = first.beginning(move("/all/one", "bern"));
    assertThat(moving.isMoving()).isTrue();
    assertThat(moving.number()).isZero();
    assertThat(moving.flattening()).isEqualTo(first.flattening());

    Edition moved = again(moving.moved(NAMES));
    assertThat(moved.isMoving()).isFalse();
    assertThat(moved.number()).isEqualTo(1);
    assertThat(moved.flattening().holders("/all/one/x")).isEqualTo(InstanceSet.of(2));
    assertThat(moved.flattening().holders("/all/x")).isEqualTo(InstanceSet.first(3));

    assertThat(moved.ended().number()).isEqualTo(1);
    assertThat(again(moving.givenUp())).isEqualTo(first);
  }

  @Test
  void whatIsKeptWithoutANumberIsTheFirst() {
    assertThat(Edition.read("/all 1,2\n".getBytes(), NAMES).number()).isZero();
  }

  @Test
  void aMoveThatBreaksTheRulesIsRefused() {
    Move wide = move("/all/one/x", "nice");

    assertThatThrownBy(() -> first.behind(wide, NAMES))
        .isInstanceOf(FlatteningException.class)
        .hasMessageContaining("/all/one/x");
    assertThatThrownBy(() -> first.behind(move("/all", "5"), NAMES)).hasMessageContaining("5");
    assertThatThrownBy(() -> first.moved(NAMES)).isInstanceOf(IllegalStateException.class);
  }
}

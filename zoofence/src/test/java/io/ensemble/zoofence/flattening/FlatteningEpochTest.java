package io.ensemble.zoofence.flattening;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

final class FlatteningEpochTest {
  private static final List<String> NAMES = List.of("lyon", "nice", "bern");

  private final FlatteningEpoch first =
      FlatteningEpoch.first(FlatteningText.read("/ hash 1\n/all *\n/all/one 1\n", NAMES));

  private static SubtreeMove move(String path, String rule) {
    return new SubtreeMove(path, rule, "7:3", SubtreeMove.Phase.COPYING);
  }

  private static FlatteningEpoch again(FlatteningEpoch flatteningEpoch) {
    return FlatteningEpoch.read(flatteningEpoch.bytes(), NAMES);
  }

  @Test
  void itReadsAsItWasWritten() {
    assertThat(again(first)).isEqualTo(first);

    FlatteningEpoch moving = first.beginning(move("/a b\n%20", "levels 2 1"));
    assertThat(again(moving)).isEqualTo(moving);
  }

  @Test
  void onlyAMoveThatHasCopiedChangesWhoHoldsWhat() {
    FlatteningEpoch moving = first.beginning(move("/all/one", "bern"));
    assertThat(moving.isMoving()).isTrue();
    assertThat(moving.number()).isZero();
    assertThat(moving.flattening()).isEqualTo(first.flattening());

    FlatteningEpoch moved = again(moving.moved(NAMES));
    assertThat(moved.isMoving()).isFalse();
    assertThat(moved.number()).isEqualTo(1);
    assertThat(moved.flattening().holders("/all/one/x")).isEqualTo(InstanceSet.of(2));
    assertThat(moved.flattening().holders("/all/x")).isEqualTo(InstanceSet.first(3));

    assertThat(moved.ended().number()).isEqualTo(1);
    assertThat(again(moving.withoutMove())).isEqualTo(first);
  }

  @Test
  void whatIsKeptWithoutANumberIsTheFirst() {
    assertThat(FlatteningEpoch.read("/all 1,2\n".getBytes(), NAMES).number()).isZero();
  }

  @Test
  void aMoveThatBreaksTheRulesIsRefused() {
    SubtreeMove wide = move("/all/one/x", "nice");

    assertThatThrownBy(() -> first.behind(wide, NAMES))
        .isInstanceOf(FlatteningException.class)
        .hasMessageContaining("/all/one/x");
    assertThatThrownBy(() -> first.behind(move("/all", "5"), NAMES)).hasMessageContaining("5");
    assertThatThrownBy(() -> first.moved(NAMES)).isInstanceOf(IllegalStateException.class);
  }
}

package io.ensemble.check.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.check.migration.Reconfigurer.ChangeVariant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The next sites of a cache, and the random choices of each change. */
class ReconfigurerTest {

  private static final List<String> ALL = List.of("a", "b", "c", "d");

  @Test
  void oneSiteLeavesAndTheSpareOneComes() {
    assertThat(Reconfigurer.rotated(List.of("a", "b", "c"), ALL, 0)).containsExactly("b", "c", "d");
    assertThat(Reconfigurer.rotated(List.of("b", "c", "d"), ALL, 2)).containsExactly("b", "c", "a");
    assertThatThrownBy(() -> Reconfigurer.rotated(ALL, ALL, 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("every site");
  }

  @Test
  void whateverCanBeChosenIsChosenByAndBy() {
    List<ChangeVariant> all =
        IntStream.range(0, 100).mapToObj(one -> ChangeVariant.of(one, 3)).toList();

    assertThat(all).extracting(ChangeVariant::leaves).contains(0, 1, 2).doesNotContain(3);
    assertThat(all).extracting(ChangeVariant::kills).contains(true, false);
    assertThat(all)
        .filteredOn(ChangeVariant::kills)
        .extracting(ChangeVariant::atOnce)
        .contains(true, false);
    assertThat(all)
        .extracting(ChangeVariant::afterMillis)
        .contains(0L)
        .allMatch(after -> after < 4_000);
  }
}

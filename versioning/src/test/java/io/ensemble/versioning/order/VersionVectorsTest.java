package io.ensemble.versioning.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class VersionVectorsTest {

  private final VersionVectors space = new VersionVectors("z");

  private static VersionVector vector(Map<String, Long> counts) {
    return new VersionVector(new TreeMap<>(counts));
  }

  /** A sum that overflows would reverse the order. */
  @Test
  void countsHaveABound() {
    assertThatIllegalArgumentException().isThrownBy(() -> vector(Map.of("a", Long.MAX_VALUE)));

    VersionVector one = vector(Map.of("a", 1L << 48));
    VersionVector both = vector(Map.of("a", 1L << 48, "b", 1L << 48));
    assertThat(space.isBelow(one, both)).isTrue();
    assertThat(space.compare(one, both)).isNegative();
  }

  @Test
  void equalOnesAreTheSameBytesWhateverMapTheyCameFrom() {
    TreeMap<String, Long> turned = new TreeMap<>(Comparator.reverseOrder());
    turned.putAll(Map.of("a", 1L, "b", 2L));

    assertThat(space.write(new VersionVector(turned)))
        .isEqualTo(space.write(vector(Map.of("a", 1L, "b", 2L))));
  }

  @Test
  void namesThatCannotBeWrittenAreRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> VersionVector.of("x".repeat(128)));
    assertThatIllegalArgumentException().isThrownBy(() -> VersionVector.of(""));
  }
}

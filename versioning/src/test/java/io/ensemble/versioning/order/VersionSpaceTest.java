package io.ensemble.versioning.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** The contract of version spaces. */
class VersionSpaceTest {

  private static final int VERSIONS = 60;

  @Test
  void numbersAreALattice() {
    laws(new Timestamps(() -> 0), random -> (long) random.nextInt(20));
  }

  @Test
  void hybridTimesAreALattice() {
    laws(new HybridTimes(() -> 5), r -> new HybridTime(r.nextInt(5), r.nextInt(4)));
  }

  @Test
  void versionVectorsAreALattice() {
    laws(
        new VersionVectors("a"),
        random -> {
          TreeMap<String, Long> counts = new TreeMap<>();
          for (String writer : List.of("a", "b", "c")) {
            if (random.nextBoolean()) {
              counts.put(writer, 1L + random.nextInt(3));
            }
          }
          return new VersionVector(counts);
        });
  }

  private static <T> void laws(VersionSpace<T> space, Function<Random, T> version) {
    Random random = new Random(1);
    List<T> all = new ArrayList<>(List.of(space.initial()));
    for (int i = 0; i < VERSIONS; i++) {
      all.add(version.apply(random));
    }
    for (T a : all) {
      assertThat(space.read(space.write(a))).isEqualTo(a);
      assertThat(space.isBelow(a, a)).isFalse();
      assertThat(a.equals(space.initial()) || space.isBelow(space.initial(), a)).isTrue();
      assertThat(space.isBelow(a, space.above(a, space.proposal()))).isTrue();
      for (T b : all) {
        T join = space.join(a, b);
        assertThat(join).isEqualTo(space.join(b, a));
        assertThat(join.equals(a) || space.isBelow(a, join)).isTrue();
        assertThat(join.equals(b) || space.isBelow(b, join)).isTrue();
        assertThat(space.compare(a, b) == 0).isEqualTo(a.equals(b));
        assertThat(Integer.signum(space.compare(a, b)))
            .isEqualTo(-Integer.signum(space.compare(b, a)));
        if (space.isBelow(a, b)) {
          assertThat(space.compare(a, b)).isNegative();
          assertThat(space.isBelow(b, a)).isFalse();
          assertThat(join).isEqualTo(b);
        } else if (space.isTotal()) {
          assertThat(a.equals(b) || space.isBelow(b, a)).isTrue();
        }
        for (T c : all) {
          boolean bound =
              (c.equals(a) || space.isBelow(a, c)) && (c.equals(b) || space.isBelow(b, c));
          assertThat(!bound || c.equals(join) || space.isBelow(join, c)).isTrue();
          assertThat(!(space.isBelow(a, b) && space.isBelow(b, c)) || space.isBelow(a, c)).isTrue();
        }
      }
    }
  }

  @Test
  void whatAProcessProposesComesAfterAllThatItHasMet() {
    AtomicLong clock = new AtomicLong(1_000);
    HybridTimes times = new HybridTimes(clock::get);
    HybridTime first = times.proposal();
    times.observe(new HybridTime(2_000, 7));

    assertThat(times.proposal()).isEqualTo(new HybridTime(2_000, 8));
    clock.set(900);
    assertThat(times.proposal()).isEqualTo(new HybridTime(2_000, 9));
    clock.set(3_000);
    assertThat(times.proposal()).isEqualTo(new HybridTime(3_000, 0));
    assertThat(first).isEqualTo(new HybridTime(1_000, 0));
  }

  @Test
  void otherBytesAreNoVersions() {
    assertThatThrownBy(() -> new Timestamps().read(new byte[3]))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new HybridTimes().read(new byte[8]))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new VersionVectors("a").read(new byte[] {5, 1}))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new VersionVectors("a").read(new byte[] {-5, 1}))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new HybridTime(-1, 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new VersionVectors("")).isInstanceOf(IllegalArgumentException.class);
  }
}

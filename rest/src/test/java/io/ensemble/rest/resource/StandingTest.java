package io.ensemble.rest.resource;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.catalog.StoredDefinition;
import io.ensemble.primary.Roll;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How many sites a cache can lose more is not told better than it is. */
class StandingTest {

  private static final String BIRTH = "0123456789abcdef01234567";
  private static final String TOKEN = "00000001";
  private static final Map<String, String> STORES = Map.of("a", TOKEN, "b", TOKEN, "c", TOKEN);

  private static CacheDefinition cache(Mode mode) {
    return CacheDefinition.of("c", mode).sites("a", "b", "c").build();
  }

  private static Standing of(Mode mode, Map<String, String> stores, String... away) {
    return Standing.of(StoredDefinition.first(cache(mode), BIRTH, stores), Set.of(away));
  }

  @Test
  void aMajorityHasToBeThereAndInWeakOne() {
    for (Mode mode : new Mode[] {Mode.SWMR, Mode.MWMR}) {
      assertThat(of(mode, STORES)).isEqualTo(new Standing(3, 2));
      assertThat(of(mode, STORES, "b").canLose()).isZero();
      assertThat(of(mode, STORES, "b").isServed()).isTrue();
      assertThat(of(mode, STORES, "b", "c").isServed()).isFalse();
    }
    assertThat(of(Mode.WEAK, STORES).canLose()).isEqualTo(2);
    assertThat(of(Mode.WEAK, STORES, "a", "b").isServed()).isTrue();
    assertThat(of(Mode.WEAK, STORES, "a", "b", "c").isServed()).isFalse();
  }

  @Test
  void aSiteWithoutItsStoreDoesNotCount() {
    assertThat(of(Mode.MWMR, Map.of("a", TOKEN, "b", TOKEN))).isEqualTo(new Standing(2, 2));
    assertThat(of(Mode.MWMR, Map.of("a", TOKEN, "b", TOKEN), "a").isServed()).isFalse();
  }

  /** After a promotion without the other site the one that is left counts alone. */
  @Test
  void inSwmrThoseOfTheRollCount() {
    StoredDefinition alone =
        new StoredDefinition(
            cache(Mode.SWMR),
            BIRTH,
            1,
            new Roll(2, List.of("b"), 7, 7, 2),
            STORES,
            2,
            Optional.empty(),
            true);

    assertThat(Standing.of(alone, Set.of())).isEqualTo(new Standing(1, 1));
    assertThat(Standing.of(alone, Set.of("b")).isServed()).isFalse();
  }

  @Test
  void ofPartsTheWorstOneIsTold() {
    Standing good = new Standing(3, 2);
    Standing bare = new Standing(2, 2);
    Standing gone = new Standing(1, 2);

    assertThat(good.and(bare)).isEqualTo(bare);
    assertThat(bare.and(good)).isEqualTo(bare);
    assertThat(bare.and(gone)).isEqualTo(gone);
    assertThat(gone.and(bare).isServed()).isFalse();
    assertThat(good.and(gone).and(good).isServed()).isFalse();
  }
}

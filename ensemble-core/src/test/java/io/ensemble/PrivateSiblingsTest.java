package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Private caches that keep concurrent values. */
class PrivateSiblingsTest extends PrivateFixture {

  private static CacheDefinition siblings() {
    return CacheDefinition.of("n", Mode.WEAK)
        .sites("a", "b", "c")
        .siblings(4)
        .privacy(Privacy.VALUES_AND_KEYS)
        .build();
  }

  @Test
  void siblingsAreReadJoinedAndWalkedOver() {
    EnsembleCache<String, String> cache = manager.createCache(siblings());
    ReconciledCache<String, String> reconciled =
        cache.reconciled(values -> String.join("+", new TreeSet<>(values)));
    CausalContext nothing = reconciled.siblings("k").context();
    reconciled.put("k", "v", nothing);
    reconciled.put("k", "w", nothing);

    assertThat(reconciled.siblings("k").values()).containsExactlyInAnyOrder("v", "w");
    assertThat(reconciled.get("k")).isEqualTo("v+w");
    assertThat(reconciled.values()).containsExactly("v+w");
    named.rotate();
    manager.stopCache("n");
    assertThat(manager.reencrypt("n", 0, report -> {}).reencrypted()).isEqualTo(1);
    named.retireFirst();
    manager.stopCache("n");
    assertThat(reconciled().siblings("k").values()).containsExactlyInAnyOrder("v", "w");
  }

  private ReconciledCache<String, String> reconciled() {
    EnsembleCache<String, String> cache = Objects.requireNonNull(manager.getCache("n"));
    return cache.reconciled(values -> String.join("+", new TreeSet<>(values)));
  }

  /** A walk shows the latest sibling only; the others would be lost with the former key. */
  @Test
  void aPassTakesTheSiblingsThatNobodySees() {
    manager.createCache(siblings());
    CausalContext nothing = reconciled().siblings("k").context();
    reconciled().put("k", "v", nothing);
    named.rotate();
    manager.stopCache("n");
    reconciled().put("k", "w", nothing);

    Reencryption first = manager.reencrypt("n", 0, report -> {});
    Reencryption second = manager.reencrypt("n", 0, report -> {});

    assertThat(first.reencrypted()).isEqualTo(1);
    assertThat(second.reencrypted()).isZero();
    named.retireFirst();
    manager.stopCache("n");
    assertThat(reconciled().siblings("k").values()).containsExactlyInAnyOrder("v", "w");
    CausalContext before = reconciled().siblings("k").context();
    reconciled().put("k", "x", before);
    assertThat(reconciled().siblings("k").values()).containsExactly("x");
  }
}

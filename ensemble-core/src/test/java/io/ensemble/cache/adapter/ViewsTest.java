package io.ensemble.cache.adapter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.ensemble.QuorumUnavailableException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import org.infinispan.commons.util.CloseableIterator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Keys, values and entries as live, lazy collections. */
class ViewsTest extends CacheAdapterFixture {

  private final Map<String, Object> model = new HashMap<>();

  @BeforeEach
  void fill() {
    for (int i = 0; i < 600; i++) {
      model.put("k" + i, i);
    }
    cache.putAll(model);
  }

  @Test
  void viewsHoldWhatTheCacheHolds() {
    assertThat(cache.keySet()).containsExactlyInAnyOrderElementsOf(model.keySet());
    assertThat(cache.values()).containsExactlyInAnyOrderElementsOf(model.values());
    assertThat(cache.entrySet()).isEqualTo(model.entrySet());
    assertThat(cache.keySet()).hasSize(600).hasSameHashCodeAs(model.keySet());
    assertThat(cache.keySet().stream().map(String::length).distinct().count()).isEqualTo(3);
    assertThat(engine.openScans).hasValue(0);
  }

  @Test
  void viewsAreLiveAndWriteThrough() {
    Set<String> keys = cache.keySet();
    cache.put("new", 1);
    assertThat(keys.contains("new")).isTrue();
    assertThat(keys.remove("new")).isTrue();
    assertThat(keys.remove("new")).isFalse();
    assertThat(cache.containsKey("new")).isFalse();

    assertThat(cache.entrySet().contains(Map.entry("k7", 7))).isTrue();
    assertThat(cache.entrySet().contains(Map.entry("k7", 8))).isFalse();
    assertThat(cache.entrySet().remove(Map.entry("k7", 8))).isFalse();
    assertThat(cache.entrySet().remove(Map.entry("k7", 7))).isTrue();
    assertThat(cache.values().remove(8)).isTrue();
    assertThat(cache.containsKey("k8")).isFalse();
    assertThat(cache.values().contains(9)).isTrue();

    assertThat(keys.removeAll(List.of("k1", "k2", "absent"))).isTrue();
    assertThat(keys.retainAll(Set.of("k3", "k4"))).isTrue();
    assertThat(cache.size()).isEqualTo(2);
    keys.clear();
    assertThat(keys).isEmpty();
  }

  @Test
  void theyRefuseToAdd() {
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> cache.keySet().add("x"));
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> cache.values().add("x"));
  }

  @Test
  void anEntryPutsWhatIsSet() {
    for (Map.Entry<String, Object> entry : cache.entrySet()) {
      if (entry.getKey().equals("k5")) {
        assertThat(entry.setValue("five")).isEqualTo(5);
        assertThat(entry.getValue()).isEqualTo("five");
      }
    }

    assertThat(cache.get("k5")).isEqualTo("five");
  }

  @Test
  void anIteratorRemovesWhatItMet() {
    var keys = cache.keySet().iterator();
    assertThatIllegalStateException().isThrownBy(keys::remove);
    String first = keys.next();
    keys.remove();
    assertThatIllegalStateException().isThrownBy(keys::remove);
    keys.close();

    assertThat(cache.containsKey(first)).isFalse();
    assertThat(cache.values().removeIf(value -> ((Integer) value) % 2 == 0)).isTrue();
    assertThat(cache.values()).allMatch(value -> ((Integer) value) % 2 == 1);
  }

  @Test
  void anIteratorGoesOnAfterAFailedFetch() {
    Set<String> met = new HashSet<>();
    CloseableIterator<String> keys = cache.keySet().iterator();
    for (int i = 0; i < CacheWalk.BATCH; i++) {
      met.add(keys.next());
    }
    engine.nextFailures.add(new QuorumUnavailableException("c", ALONE));
    assertThatExceptionOfType(QuorumUnavailableException.class).isThrownBy(keys::hasNext);

    keys.forEachRemaining(met::add);

    assertThat(met).isEqualTo(model.keySet());
    assertThatExceptionOfType(NoSuchElementException.class).isThrownBy(keys::next);
    assertThat(engine.openScans).hasValue(0);
  }

  @Test
  void anIteratorLeftEarlyIsClosedAndEnds() {
    CloseableIterator<String> keys = cache.keySet().iterator();
    keys.next();
    assertThat(engine.openScans).hasValue(1);

    keys.close();
    keys.close();

    assertThat(engine.openScans).hasValue(0);
    assertThat(keys.hasNext()).isFalse();
  }

  @Test
  void arraysAreMadeInOneWalk() {
    assertThat(cache.keySet().toArray()).hasSize(600);
    assertThat(cache.keySet().toArray(new String[0])).hasSize(600).contains("k0");
    assertThat(cache.values().toArray(new Object[700])).hasSize(700).contains(0);
  }
}

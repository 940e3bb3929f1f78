package io.ensemble.objects.value;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.value.SampleClasses.Node;
import io.ensemble.objects.value.SampleClasses.Pair;
import io.ensemble.objects.value.SampleClasses.Point;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Equal states have the same canonical bytes, whatever the history of their hash tables. */
class CanonicalEncodingTest {

  private final ValueCodec valueCodec =
      ValueCodec.of(Set.of(SampleClasses.ALL), ReferenceResolver.NONE);

  @Test
  void hashTablesThatDifferInHistoryHaveTheSameBytes() {
    for (long seed = 0; seed < 50; seed++) {
      Random random = new Random(seed);

      Object one = state(random, seed % 2 == 0 ? HashMap::new : ConcurrentHashMap::new);
      Object other = state(random, seed % 2 == 0 ? HashMap::new : ConcurrentHashMap::new);

      assertThat(valueCodec.canonical(other))
          .as("seed %d", seed)
          .isEqualTo(valueCodec.canonical(one));
    }
  }

  @Test
  void statesThatDifferHaveOtherBytes() {
    Map<Object, Object> one = new HashMap<>(Map.of("a", 1, "b", 2));
    Map<Object, Object> other = new HashMap<>(Map.of("a", 2, "b", 1));

    assertThat(valueCodec.canonical(other)).isNotEqualTo(valueCodec.canonical(one));
  }

  @Test
  void anOrderThatIsMeantMakesADifference() {
    Map<Object, Object> one = new LinkedHashMap<>();
    one.put("a", 1);
    one.put("b", 1);
    Map<Object, Object> other = new LinkedHashMap<>();
    other.put("b", 1);
    other.put("a", 1);

    assertThat(valueCodec.canonical(other)).isNotEqualTo(valueCodec.canonical(one));
  }

  @Test
  void canonicalBytesCanBeReadAndKeepWhatIsShared() {
    List<Object> shared = new ArrayList<>(List.of(1));
    Map<Object, Object> map = new HashMap<>(Map.of("x", shared, new Point(1, 2), shared));

    Map<?, ?> read = (Map<?, ?>) valueCodec.read(valueCodec.canonical(map));

    assertThat(read).isEqualTo(map);
    assertThat(read.get("x")).isSameAs(read.get(new Point(1, 2)));
    assertThat(valueCodec.canonical(read)).isEqualTo(valueCodec.canonical(map));
  }

  @Test
  @Timeout(60)
  void nodesInSetsOfOneAnotherTakeBoundedTime() {
    List<Node> nodes = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      nodes.add(new Node("n" + i));
    }
    nodes.forEach(node -> node.next = new HashSet<Object>(nodes));

    assertThat(valueCodec.canonical(nodes.get(0))).isNotNull();
  }

  /** Equal states, filled in random order, with and without entries that were removed again. */
  private static Object state(Random random, Supplier<Map<Object, Object>> maker) {
    Map<Object, Object> state = maker.get();
    List<Integer> order = shuffled(random);
    if (random.nextBoolean()) {
      order.forEach(n -> state.put("gone" + n, n));
      order.forEach(n -> state.remove("gone" + n));
    }
    for (int n : shuffled(random)) {
      Set<Object> inner = new HashSet<>(random.nextInt(200));
      shuffled(random).forEach(m -> inner.add(new Pair(m, Set.of("p" + m, n))));
      state.put(n % 2 == 0 ? "k" + n : new HashSet<>(Set.of(new Point(n, n), "z")), inner);
    }
    return state;
  }

  private static List<Integer> shuffled(Random random) {
    List<Integer> order = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      order.add(i);
    }
    Collections.shuffle(order, random);
    return order;
  }
}

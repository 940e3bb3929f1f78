package io.ensemble.objects.value;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.value.SampleClasses.Color;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Hashtable;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.Stack;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.Vector;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Containers of the JDK keep their class and their order. */
class ContainerSerializersTest {

  private final ValueCodec valueCodec =
      ValueCodec.of(Set.of(SampleClasses.ALL), ReferenceResolver.NONE);

  static Stream<Collection<Object>> collections() {
    return Stream.of(
        new ArrayList<>(),
        new LinkedList<>(),
        new ArrayDeque<>(),
        new PriorityQueue<>(),
        new PriorityQueue<>(backwards()),
        new Vector<>(),
        new Stack<>(),
        new HashSet<>(),
        new LinkedHashSet<>(),
        new TreeSet<>(),
        new TreeSet<>(backwards()),
        new ConcurrentSkipListSet<>(),
        new CopyOnWriteArrayList<>(),
        new CopyOnWriteArraySet<>(),
        new ConcurrentLinkedQueue<>(),
        new ConcurrentLinkedDeque<>(),
        ConcurrentHashMap.newKeySet());
  }

  @ParameterizedTest
  @MethodSource("collections")
  void aCollectionIsOfTheSameClassAndOrder(Collection<Object> collection) {
    Object empty = valueCodec.read(valueCodec.write(collection));
    Stream.iterate(999, n -> n * 7 % 1000).limit(80).forEach(n -> collection.add("e" + n));

    Object read = valueCodec.read(valueCodec.write(collection));

    assertThat(read).hasSameClassAs(collection);
    assertThat(((Collection<?>) read).toArray()).isEqualTo(collection.toArray());
    assertThat((Collection<?>) empty).isEmpty();
  }

  static Stream<Map<Object, Object>> maps() {
    return Stream.of(
        new HashMap<>(),
        new LinkedHashMap<>(),
        new TreeMap<>(),
        new TreeMap<>(backwards()),
        new ConcurrentHashMap<>(),
        new ConcurrentSkipListMap<>());
  }

  @ParameterizedTest
  @MethodSource("maps")
  void aMapIsOfTheSameClassAndOrder(Map<Object, Object> map) {
    Stream.iterate(999, n -> n * 7 % 1000).limit(80).forEach(n -> map.put("e" + n, n));

    Object read = valueCodec.read(valueCodec.write(map));

    assertThat(read).isEqualTo(map).hasSameClassAs(map);
    assertThat(((Map<?, ?>) read).keySet().toArray()).isEqualTo(map.keySet().toArray());
  }

  @Test
  void aHashtableIsReadAsOne() {
    Map<Object, Object> table = new Hashtable<>(Map.of("a", 1, "b", 2));

    assertThat(valueCodec.read(valueCodec.write(table)))
        .isEqualTo(table)
        .isInstanceOf(Hashtable.class);
  }

  static Stream<Object> unmodifiable() {
    Map<String, Integer> map = new TreeMap<>(Map.of("a", 1, "b", 2));
    return Stream.of(
        List.of(),
        List.of(1, 2, 3),
        Stream.of(1, null).toList(),
        Collections.emptyList(),
        Collections.unmodifiableList(new ArrayList<>(List.of(1))),
        Collections.singletonList(null),
        Collections.nCopies(3, "x"),
        new ArrayList<>(List.of(1, 2, 3)).subList(1, 2),
        Set.of(1, 2, 3),
        Set.of(),
        map.keySet(),
        map.entrySet(),
        Collections.unmodifiableSet(new LinkedHashSet<>(List.of(2, 1))),
        Map.of("a", 1),
        Map.of("a", 1, "b", 2),
        Collections.emptyMap(),
        Collections.unmodifiableMap(new TreeMap<>(Map.of(1, 2))));
  }

  @ParameterizedTest
  @MethodSource("unmodifiable")
  void whatCannotBeChangedStaysSo(Object value) {
    Object read = valueCodec.read(valueCodec.write(value));

    assertThat(read).isEqualTo(value);
    assertThat(read.getClass().getName()).startsWith("java.util.Collections$Unmodifiable");
    assertThat(valueCodec.read(valueCodec.write(read))).isEqualTo(value);
  }

  @Test
  void theValuesOfAMapAreReadAsAList() {
    Object read = valueCodec.read(valueCodec.write(new TreeMap<>(Map.of("a", 1, "b", 2)).values()));

    assertThat(read).isEqualTo(List.of(1, 2));
  }

  @Test
  void aListOfFixedSizeCanBeSetAndNotGrow() {
    @SuppressWarnings("unchecked")
    List<Object> read = (List<Object>) valueCodec.read(valueCodec.write(Arrays.asList("a", null)));

    read.set(1, "b");

    assertThat(read).containsExactly("a", "b").hasSameClassAs(Arrays.asList());
  }

  @Test
  void enumContainersKnowTheirEnumEvenIfEmpty() {
    EnumMap<Color, Object> map = new EnumMap<>(Map.of(Color.GREEN, 1));

    assertThat(valueCodec.read(valueCodec.write(map))).isEqualTo(map).isInstanceOf(EnumMap.class);
    @SuppressWarnings("unchecked")
    Map<Color, Object> empty =
        (Map<Color, Object>)
            valueCodec.read(valueCodec.write(new EnumMap<Color, Object>(Color.class)));
    empty.put(Color.RED, 1);
    @SuppressWarnings("unchecked")
    Set<Color> none = (Set<Color>) valueCodec.read(valueCodec.write(EnumSet.noneOf(Color.class)));
    none.add(Color.RED);
    assertThat(empty).isInstanceOf(EnumMap.class);
    assertThat(none).isInstanceOf(EnumSet.class);
    assertThat(valueCodec.read(valueCodec.write(EnumSet.allOf(Color.class))))
        .isEqualTo(Set.of(Color.RED, Color.GREEN));
  }

  @Test
  void whatHoldsOneValueIsReadAsItWas() {
    LongAdder sum = new LongAdder();
    sum.add(-9);
    Object[] all = {
      new AtomicBoolean(true),
      new AtomicInteger(-3),
      new AtomicLong(1L << 40),
      new AtomicReference<>("x"),
      sum,
      new StringBuilder("b")
    };

    Object[] read = (Object[]) valueCodec.read(valueCodec.write(all));

    assertThat(Stream.of(read).map(Object::toString))
        .containsExactly("true", "-3", "1099511627776", "x", "-9", "b");
    assertThat(Stream.of(read).map(Object::getClass).collect(Collectors.toList()))
        .isEqualTo(Stream.of(all).map(Object::getClass).collect(Collectors.toList()));
  }

  @SuppressWarnings("unchecked") // every element is a String
  private static Comparator<Object> backwards() {
    return (Comparator<Object>) (Comparator<?>) Comparator.<String>reverseOrder();
  }
}

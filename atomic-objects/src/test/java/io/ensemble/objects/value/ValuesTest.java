package io.ensemble.objects.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.objects.machine.UnreadableException;
import io.ensemble.objects.value.Shop.Color;
import io.ensemble.objects.value.Shop.Counter;
import io.ensemble.objects.value.Shop.Hidden;
import io.ensemble.objects.value.Shop.Hiding;
import io.ensemble.objects.value.Shop.Line;
import io.ensemble.objects.value.Shop.Node;
import io.ensemble.objects.value.Shop.Order;
import io.ensemble.objects.value.Shop.Pair;
import io.ensemble.objects.value.Shop.Planet;
import io.ensemble.objects.value.Shop.Point;
import io.ensemble.objects.value.Shop.Ring;
import io.ensemble.objects.value.Shop.Row;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.YearMonth;
import java.time.ZonedDateTime;
import java.util.AbstractMap;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
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
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.Stack;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.Vector;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is written is read as it was. */
class ValuesTest {

  private final Values values = Values.of(Set.of(Shop.ALL), References.NONE);

  static Stream<Object> plain() {
    return Stream.of(
        true,
        false,
        (byte) -7,
        (short) -300,
        'ß',
        0,
        -1,
        Integer.MIN_VALUE,
        Integer.MAX_VALUE,
        Long.MIN_VALUE,
        Long.MAX_VALUE,
        1.5f,
        Double.NaN,
        -0.0,
        "",
        "grüße \uD83D\uDE00",
        "half a pair \uD800",
        "x".repeat(100_000),
        new BigInteger("-123456789012345678901234567890"),
        new BigDecimal("1.20"),
        new UUID(1, -1),
        URI.create("http://example.org/a?b=c"),
        Instant.parse("1950-01-02T03:04:05.000000006Z"),
        Instant.MAX,
        Duration.ofNanos(-1),
        LocalDate.of(2024, 2, 29),
        LocalTime.of(1, 2, 3, 4),
        LocalDateTime.of(2024, 2, 29, 0, 0),
        OffsetDateTime.parse("2024-02-29T10:00:00+01:00"),
        ZonedDateTime.parse("2024-10-27T02:30:00+01:00[Europe/Paris]"),
        Period.ofDays(3),
        YearMonth.of(2024, 2),
        DayOfWeek.MONDAY,
        TimeUnit.NANOSECONDS,
        OptionalInt.empty(),
        OptionalInt.of(-5),
        OptionalLong.of(7),
        OptionalDouble.of(1.25),
        Optional.empty(),
        Optional.of("x"),
        Color.GREEN,
        Planet.EARTH,
        new Line("pen", 3, 0.5, Color.RED),
        new Pair(null, new Pair(1, "x")),
        new AbstractMap.SimpleImmutableEntry<>("k", 1),
        new AbstractMap.SimpleEntry<>("k", null),
        BitSet.valueOf(new long[] {5, 1L << 63}));
  }

  @ParameterizedTest
  @MethodSource("plain")
  void aPlainValueIsReadAsItWas(Object value) {
    Object read = values.read(values.write(value));

    assertThat(read).isEqualTo(value).hasSameClassAs(value);
  }

  static Stream<Arguments> arrays() {
    return Stream.<Object>of(
        new boolean[] {true, false},
        new byte[] {1, -1},
        new short[] {1, -1},
        new char[] {'a', '\uFFFF'},
        new int[] {1, -1},
        new long[] {1, Long.MIN_VALUE},
        new float[] {1.5f},
        new double[] {1.5, Double.MIN_VALUE},
        new int[0],
        new int[][] {{1}, {}, null},
        new String[] {"a", null},
        new Object[] {1, "a", new Object[] {2L}},
        new Line[][] {{new Line("a", 1, 1, null)}},
        new List<?>[] {List.of(1)},
        new Color[] {Color.RED})
        // Each by itself, not as an array of arguments.
        .map(array -> Arguments.of((Object) array));
  }

  @ParameterizedTest
  @MethodSource("arrays")
  void anArrayIsReadAsItWas(Object array) {
    Object read = values.read(values.write(array));

    assertThat(Objects.deepEquals(read, array)).isTrue();
    assertThat(read).hasSameClassAs(array);
  }

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
    Object empty = values.read(values.write(collection));
    Stream.iterate(999, n -> n * 7 % 1000).limit(80).forEach(n -> collection.add("e" + n));

    Object read = values.read(values.write(collection));

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

    Object read = values.read(values.write(map));

    assertThat(read).isEqualTo(map).hasSameClassAs(map);
    assertThat(((Map<?, ?>) read).keySet().toArray()).isEqualTo(map.keySet().toArray());
  }

  @Test
  void aHashtableIsReadAsOne() {
    Map<Object, Object> table = new Hashtable<>(Map.of("a", 1, "b", 2));

    assertThat(values.read(values.write(table))).isEqualTo(table).isInstanceOf(Hashtable.class);
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
    Object read = values.read(values.write(value));

    assertThat(read).isEqualTo(value);
    assertThat(read.getClass().getName()).startsWith("java.util.Collections$Unmodifiable");
    assertThat(values.read(values.write(read))).isEqualTo(value);
  }

  @Test
  void theValuesOfAMapAreReadAsAList() {
    Object read = values.read(values.write(new TreeMap<>(Map.of("a", 1, "b", 2)).values()));

    assertThat(read).isEqualTo(List.of(1, 2));
  }

  @Test
  void aListOfFixedSizeCanBeSetAndNotGrow() {
    @SuppressWarnings("unchecked")
    List<Object> read = (List<Object>) values.read(values.write(Arrays.asList("a", null)));

    read.set(1, "b");

    assertThat(read).containsExactly("a", "b").hasSameClassAs(Arrays.asList());
  }

  @Test
  void enumContainersKnowTheirEnumEvenIfEmpty() {
    EnumMap<Color, Object> map = new EnumMap<>(Map.of(Color.GREEN, 1));

    assertThat(values.read(values.write(map))).isEqualTo(map).isInstanceOf(EnumMap.class);
    @SuppressWarnings("unchecked")
    Map<Color, Object> empty =
        (Map<Color, Object>) values.read(values.write(new EnumMap<Color, Object>(Color.class)));
    empty.put(Color.RED, 1);
    @SuppressWarnings("unchecked")
    Set<Color> none = (Set<Color>) values.read(values.write(EnumSet.noneOf(Color.class)));
    none.add(Color.RED);
    assertThat(empty).isInstanceOf(EnumMap.class);
    assertThat(none).isInstanceOf(EnumSet.class);
    assertThat(values.read(values.write(EnumSet.allOf(Color.class))))
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

    Object[] read = (Object[]) values.read(values.write(all));

    assertThat(Stream.of(read).map(Object::toString))
        .containsExactly("true", "-3", "1099511627776", "x", "-9", "b");
    assertThat(Stream.of(read).map(Object::getClass).collect(Collectors.toList()))
        .isEqualTo(Stream.of(all).map(Object::getClass).collect(Collectors.toList()));
  }

  @SuppressWarnings("unchecked") // every element is a String
  private static Comparator<Object> backwards() {
    return (Comparator<Object>) (Comparator<?>) Comparator.<String>reverseOrder();
  }

  @Test
  void nullIsAValue() {
    assertThat(values.read(values.write(null))).isNull();
  }

  @Test
  void anObjectIsWrittenByItsFieldsFinalAndPrivateOnesToo() {
    Order order = new Order(7);
    order.lines.add(new Line("pen", 2, 1.5, Color.RED));
    order.notes.put("k", new Node("n"));
    order.sizes = new int[] {1, 2};

    Order read = (Order) values.read(values.write(order));

    assertThat(read).usingRecursiveComparison().ignoringFields("notes.k.forgotten").isEqualTo(order);
    assertThat(read.id()).isEqualTo(7);
  }

  @Test
  void aTransientFieldIsAsTheConstructorMadeIt() {
    Node read = (Node) values.read(values.write(new Node("n")));

    assertThat(read.name).isEqualTo("n");
    assertThat(read.forgotten).isEqualTo("here");
  }

  @Test
  void aFieldThatHidesAnotherIsAFieldOfItsOwn() {
    Hiding hiding = new Hiding();
    hiding.x = 1;
    ((Hidden) hiding).x = 2;

    Hiding read = (Hiding) values.read(values.write(hiding));

    assertThat(read.x).isEqualTo(1);
    assertThat(((Hidden) read).x).isEqualTo(2);
  }

  @Test
  void whatIsMetTwiceIsReadAsOne() {
    List<Object> shared = new ArrayList<>(List.of(1));
    int[] array = {1};
    Line line = new Line("a", 1, 1, null);

    Object[] read =
        (Object[]) values.read(values.write(new Object[] {shared, shared, array, array, line, line}));

    assertThat(read[1]).isSameAs(read[0]).isEqualTo(shared);
    assertThat(read[3]).isSameAs(read[2]);
    assertThat(read[5]).isSameAs(read[4]);
  }

  @Test
  void aCycleIsReadAsOne() {
    Node node = new Node("a");
    List<Object> list = new ArrayList<>();
    node.next = new Object[] {Optional.of(new Pair(node, list)), List.of(list)};
    list.add(list);

    Node read = (Node) values.read(values.write(node));

    Object[] next = (Object[]) read.next;
    Pair pair = (Pair) ((Optional<?>) next[0]).get();
    assertThat(pair.left()).isSameAs(read);
    assertThat(((List<?>) pair.right()).get(0)).isSameAs(pair.right());
    assertThat(((List<?>) next[1]).get(0)).isSameAs(pair.right());
  }

  @Test
  void aHashTableInACycleIsFilledWhenItsElementsAreComplete() {
    Ring ring = new Ring();
    ring.name = "r";
    Row row = new Row(ring, "x");
    ring.rows = new HashSet<>(Set.of(row, new Row(ring, "y")));

    Ring read = (Ring) values.read(values.write(ring));

    Row wanted = new Row(read, "x");
    assertThat(read.rows).hasSize(2);
    assertThat(read.rows.contains(wanted)).isTrue();
    assertThat(read.rows.iterator().next().ring).isSameAs(read);
  }

  @Test
  void aRecordThatCopiesWhatItIsGivenIsReadAsItWas() {
    Object bag = new Shop.Bag(new HashSet<>(Set.of(new Point(1, 2), "x")));

    assertThat(values.read(values.write(bag))).isEqualTo(bag);
  }

  @Test
  void anObjectOfOneNumberIsShort() {
    byte[] bytes = values.write(new Counter(5));

    assertThat(bytes).hasSizeLessThan(100);
  }

  @Test
  void theCodecOfAClassTakesNoOther() {
    StateCodec<Counter> codec = values.fields(Counter.class);

    assertThat(codec.read(codec.write(new Counter(5))).count).isEqualTo(5);
    assertThatThrownBy(() -> codec.read(values.write("x")))
        .isInstanceOf(UnreadableException.class)
        .hasMessageContaining("wanted a state of " + Counter.class.getName())
        .hasMessageContaining("java.lang.String");
  }
}

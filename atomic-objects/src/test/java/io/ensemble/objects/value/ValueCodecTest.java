package io.ensemble.objects.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.objects.machine.UnreadableException;
import io.ensemble.objects.value.SampleClasses.Color;
import io.ensemble.objects.value.SampleClasses.Counter;
import io.ensemble.objects.value.SampleClasses.Hidden;
import io.ensemble.objects.value.SampleClasses.Hiding;
import io.ensemble.objects.value.SampleClasses.Line;
import io.ensemble.objects.value.SampleClasses.Node;
import io.ensemble.objects.value.SampleClasses.Order;
import io.ensemble.objects.value.SampleClasses.Pair;
import io.ensemble.objects.value.SampleClasses.Planet;
import io.ensemble.objects.value.SampleClasses.Point;
import io.ensemble.objects.value.SampleClasses.Ring;
import io.ensemble.objects.value.SampleClasses.Row;
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
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Values are read as they were written. */
class ValueCodecTest {

  private final ValueCodec valueCodec =
      ValueCodec.of(Set.of(SampleClasses.ALL), ReferenceResolver.NONE);

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
    Object read = valueCodec.read(valueCodec.write(value));

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
        // Each array is one argument, not an array of arguments.
        .map(Arguments::of);
  }

  @ParameterizedTest
  @MethodSource("arrays")
  void anArrayIsReadAsItWas(Object array) {
    Object read = valueCodec.read(valueCodec.write(array));

    assertThat(Objects.deepEquals(read, array)).isTrue();
    assertThat(read).hasSameClassAs(array);
  }

  @Test
  void nullIsAValue() {
    assertThat(valueCodec.read(valueCodec.write(null))).isNull();
  }

  @Test
  void anObjectIsWrittenByItsFieldsFinalAndPrivateOnesToo() {
    Order order = new Order(7);
    order.lines.add(new Line("pen", 2, 1.5, Color.RED));
    order.notes.put("k", new Node("n"));
    order.sizes = new int[] {1, 2};

    Order read = (Order) valueCodec.read(valueCodec.write(order));

    assertThat(read)
        .usingRecursiveComparison()
        .ignoringFields("notes.k.forgotten")
        .isEqualTo(order);
    assertThat(read.id()).isEqualTo(7);
  }

  @Test
  void aTransientFieldIsAsTheConstructorMadeIt() {
    Node read = (Node) valueCodec.read(valueCodec.write(new Node("n")));

    assertThat(read.name).isEqualTo("n");
    assertThat(read.forgotten).isEqualTo("here");
  }

  @Test
  void aFieldThatHidesAnotherIsAFieldOfItsOwn() {
    Hiding hiding = new Hiding();
    hiding.x = 1;
    ((Hidden) hiding).x = 2;

    Hiding read = (Hiding) valueCodec.read(valueCodec.write(hiding));

    assertThat(read.x).isEqualTo(1);
    assertThat(((Hidden) read).x).isEqualTo(2);
  }

  @Test
  void whatIsMetTwiceIsReadAsOne() {
    List<Object> shared = new ArrayList<>(List.of(1));
    int[] array = {1};
    Line line = new Line("a", 1, 1, null);

    Object[] read =
        (Object[])
            valueCodec.read(
                valueCodec.write(new Object[] {shared, shared, array, array, line, line}));

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

    Node read = (Node) valueCodec.read(valueCodec.write(node));

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

    Ring read = (Ring) valueCodec.read(valueCodec.write(ring));

    Row wanted = new Row(read, "x");
    assertThat(read.rows).hasSize(2);
    assertThat(read.rows.contains(wanted)).isTrue();
    assertThat(read.rows.iterator().next().ring).isSameAs(read);
  }

  @Test
  void aRecordThatCopiesWhatItIsGivenIsReadAsItWas() {
    Object bag = new SampleClasses.Bag(new HashSet<>(Set.of(new Point(1, 2), "x")));

    assertThat(valueCodec.read(valueCodec.write(bag))).isEqualTo(bag);
  }

  @Test
  void anObjectOfOneNumberIsShort() {
    byte[] bytes = valueCodec.write(new Counter(5));

    assertThat(bytes).hasSizeLessThan(100);
  }

  @Test
  void theCodecOfAClassTakesNoOther() {
    StateCodec<Counter> codec = valueCodec.fields(Counter.class);

    assertThat(codec.read(codec.write(new Counter(5))).count).isEqualTo(5);
    assertThatThrownBy(() -> codec.read(valueCodec.write("x")))
        .isInstanceOf(UnreadableException.class)
        .hasMessageContaining("expected a state of " + Counter.class.getName())
        .hasMessageContaining("java.lang.String");
  }
}

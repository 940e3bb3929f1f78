package io.ensemble.collection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an iteration returns, from where it continues, and how much it holds. */
class HashOrderCursorTest {

  private static final long MANY_BYTES = 1 << 20;

  private static <R> List<R> rest(CollectionCursor<R> cursor) {
    List<R> all = new ArrayList<>();
    for (Optional<R> next = cursor.next(); next.isPresent(); next = cursor.next()) {
      all.add(next.get());
    }
    return all;
  }

  private static Integer[] numbers(int count) {
    return IntStream.range(0, count).boxed().toArray(Integer[]::new);
  }

  private static CollectionCursor<Integer> values(EntryCollection<String, Integer> collection) {
    return collection.open((key, value) -> value);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 99, 100, 101, 5_000})
  void eachKeyIsReturnedOnceWhateverFitsIntoMemory(int mostKeys) {
    MapSource source = MapSource.of(100);

    try (CollectionCursor<Integer> cursor =
        values(EntryCollection.of(source).withMemory(8, mostKeys, MANY_BYTES))) {
      assertThat(rest(cursor)).containsExactlyInAnyOrder(numbers(100));
      assertThat(cursor.next()).isEmpty();
    }
    assertThat(source.passes).isEqualTo((100 + mostKeys - 1) / mostKeys);
    assertThat(source.openScans).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void keysThatStayAreReturnedOnceAndOthersAtMostOnceWhileOthersWrite(long seed) {
    MapSource source = MapSource.of(300);
    Random random = new Random(seed);
    source.beforeResponse =
        () -> {
          for (int i = 0; i < 3; i++) {
            var other = MapSource.encoded("other" + random.nextInt(200));
            if (random.nextBoolean()) {
              source.entries.put(other, 10_000 + random.nextInt(10));
            } else {
              source.entries.remove(other);
            }
          }
        };

    List<Map.Entry<String, Integer>> found;
    try (CollectionCursor<Map.Entry<String, Integer>> cursor =
        EntryCollection.of(source)
            .withMemory(1 + random.nextInt(64), 1 + random.nextInt(400), MANY_BYTES)
            .open()) {
      found = rest(cursor);
    }

    assertThat(found).extracting(Map.Entry::getKey).doesNotHaveDuplicates();
    assertThat(found)
        .filteredOn(entry -> entry.getKey().startsWith("k"))
        .extracting(Map.Entry::getValue)
        .containsExactlyInAnyOrder(numbers(300));
  }

  @Test
  void aProgressListenerThatFailsLosesNoItem() {
    List<Integer> all = new ArrayList<>();
    int[] failures = {0};
    try (CollectionCursor<Integer> cursor =
        values(
            EntryCollection.of(MapSource.of(2_500))
                .withProgress(
                    progress -> {
                      if (all.size() >= 1_000 && failures[0]++ == 0) {
                        throw new IllegalArgumentException("broken");
                      }
                    }))) {
      Optional<Integer> next = Optional.of(0);
      while (next.isPresent()) {
        try {
          next = cursor.next();
          next.ifPresent(all::add);
        } catch (IllegalArgumentException broken) {
          next = Optional.of(0);
        }
      }
    }

    assertThat(failures[0]).isPositive();
    assertThat(all).containsExactlyInAnyOrder(numbers(2_500));
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, CollectionSlice.MOST_RANGES + 1})
  void anotherNumberOfSlicesIsRefused(int wanted) {
    assertThatThrownBy(() -> EntryCollection.of(MapSource.of(1)).slices(wanted))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("got " + wanted);
  }

  @Test
  void anotherProcessContinuesAtEachPosition() {
    List<Integer> inOrder = rest(values(EntryCollection.of(MapSource.of(60))));
    for (int taken = 0; taken <= 60; taken++) {
      List<Integer> all = new ArrayList<>();
      CollectionCursor<Integer> first =
          values(EntryCollection.of(MapSource.of(60)).withMemory(8, 25, MANY_BYTES));
      for (int i = 0; i < taken; i++) {
        all.add(first.next().orElseThrow());
      }
      String position = first.position();

      all.addAll(rest(values(EntryCollection.of(MapSource.of(60)).from(position))));

      assertThat(all).as("after " + taken).isEqualTo(inOrder);
      assertThat(position).hasSize(62);
    }
  }

  @Test
  void aPositionAtTheEndHasNothingBehindIt() {
    CollectionCursor<Integer> cursor = values(EntryCollection.of(MapSource.of(10)));
    rest(cursor);
    MapSource source = MapSource.of(20);

    assertThat(rest(values(EntryCollection.of(source).from(cursor.position())))).isEmpty();
    assertThat(source.passes).isZero();
  }

  /** Also the reader's own exceptions: an item that was not returned is not done. */
  @Test
  void aFunctionThatThrowsLeavesTheCursorBeforeTheEntry() {
    List<Integer> inOrder = rest(values(EntryCollection.of(MapSource.of(40))));
    for (int bad : inOrder) {
      CollectionCursor<Integer> cursor =
          EntryCollection.of(MapSource.of(40))
              .open(
                  (key, value) -> {
                    if (value == bad) {
                      throw new ArithmeticException("planted");
                    }
                    return value;
                  });
      List<Integer> found = new ArrayList<>();
      int place = inOrder.indexOf(bad);
      for (int i = 0; i < place; i++) {
        found.add(cursor.next().orElseThrow());
      }
      String before = cursor.position();

      assertThatThrownBy(cursor::next).isInstanceOf(ArithmeticException.class);
      assertThatThrownBy(cursor::next).isInstanceOf(ArithmeticException.class);
      assertThat(cursor.position()).isEqualTo(before);
      assertThat(values(EntryCollection.of(MapSource.of(40)).from(before)).next()).contains(bad);
      cursor.skip();
      assertThatIllegalStateException().isThrownBy(cursor::skip);
      found.addAll(rest(cursor));

      List<Integer> others = new ArrayList<>(inOrder);
      others.remove(place);
      assertThat(found).isEqualTo(others);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5, 64})
  void soManyReadsAreUnderWayAndNoMore(int readsAhead) {
    MapSource source = MapSource.of(200);

    assertThat(rest(values(EntryCollection.of(source).withMemory(readsAhead, 1_000, MANY_BYTES))))
        .hasSize(200);

    assertThat(source.mostUnderWay).isEqualTo(readsAhead);
  }

  @Test
  void aFilterOfKeysSavesTheirReads() {
    MapSource source = MapSource.of(100);
    EntryCollection<String, Integer> even =
        EntryCollection.of(source)
            .filterKeys(key -> key.endsWith("7"))
            .filter((key, value) -> value > 50)
            .filter((key, value) -> value < 80);

    assertThat(rest(even.open((key, value) -> value == 67 ? null : key)))
        .containsExactlyInAnyOrder("k57", "k77");
    assertThat(source.reads).isEqualTo(10);
  }

  @Test
  void aKeyThatIsAbsentAtItsTurnIsLeftOut() {
    MapSource source = MapSource.of(3);
    source.entries.put(MapSource.encoded("gone"), null);

    assertThat(rest(values(EntryCollection.of(source)))).hasSize(3);
  }

  @Test
  void failuresAreTriedAgain() {
    MapSource source = MapSource.of(100);
    source.failingPasses = 2;
    source.failingReads = 2;

    assertThat(rest(values(EntryCollection.of(source)))).containsExactlyInAnyOrder(numbers(100));
    assertThat(source.passes).isEqualTo(3);
    assertThat(source.openScans).isZero();
  }

  @Test
  void aPassThatFailsWaitsAndIsTriedUntilTheDeadline() {
    MapSource source = MapSource.of(40);
    source.patience = Duration.ofSeconds(10);
    source.failingPasses = 8;

    try (CollectionCursor<Integer> cursor =
        EntryCollection.of(source).open((key, value) -> value)) {
      assertThat(cursor.next()).isPresent();
    }

    assertThat(source.pauses)
        .as("more tries than the three attempts")
        .extracting(Duration::toMillis)
        .containsExactly(50L, 100L, 200L, 400L, 800L, 1_000L, 1_000L, 1_000L);
  }

  @Test
  void aPassThatFailsForLongerThanTheDeadlineFails() {
    MapSource source = MapSource.of(40);
    source.patience = Duration.ofSeconds(10);
    source.failingPasses = Integer.MAX_VALUE;

    try (CollectionCursor<Integer> cursor =
        EntryCollection.of(source).open((key, value) -> value)) {
      assertThatIllegalStateException().isThrownBy(cursor::next).withMessage("scan failed");
    }

    assertThat(Duration.ofNanos(source.nanos))
        .isBetween(Duration.ofSeconds(8), Duration.ofSeconds(10));
    assertThat(source.openScans).isZero();
  }

  @Test
  void aScanWhoseFirstRequestFailsIsClosed() {
    MapSource source = MapSource.of(40);
    source.beforeResponse =
        () -> {
          throw new IllegalStateException("planned");
        };

    try (CollectionCursor<Integer> cursor =
        EntryCollection.of(source).open((key, value) -> value)) {
      assertThatIllegalStateException().isThrownBy(cursor::next).withMessage("planned");
    }

    assertThat(source.closedScans).as("each scan that was asked").isEqualTo(source.passes);
  }

  @Test
  void aCallThatFailedMayBeRepeated() {
    MapSource source = MapSource.of(100);
    CollectionCursor<Integer> cursor = values(EntryCollection.of(source).withAttempts(2));
    source.failingPasses = 2;

    assertThatIllegalStateException().isThrownBy(cursor::next).withMessage("scan failed");
    assertThatIllegalStateException().isThrownBy(cursor::skip);
    List<Integer> found = new ArrayList<>();
    found.add(cursor.next().orElseThrow());
    source.failingReads = 2;
    assertThatIllegalStateException().isThrownBy(cursor::next).withMessage("read failed");
    found.addAll(rest(cursor));

    assertThat(found).containsExactlyInAnyOrder(numbers(100));
  }

  @Test
  void slicesTogetherHaveEachKeyOnce() {
    MapSource source = MapSource.of(500);
    EntryCollection<String, Integer> all = EntryCollection.of(source);
    List<Integer> found = new ArrayList<>();
    for (CollectionSlice slice : all.slices(7)) {
      List<Integer> here = rest(values(all.in(slice)));
      assertThat(here).hasSizeBetween(40, 110);
      found.addAll(here);
    }

    assertThat(found).containsExactlyInAnyOrder(numbers(500));
  }

  @Test
  void progressGoesFromZeroToOne() {
    MapSource source = MapSource.of(2_500);
    List<CollectionProgress> reports = new ArrayList<>();

    rest(
        values(
            EntryCollection.of(source)
                .withMemory(64, 1_000, MANY_BYTES)
                .withProgress(reports::add)));

    assertThat(reports).extracting(CollectionProgress::fraction).isSorted().startsWith(0.0);
    CollectionProgress last = reports.get(reports.size() - 1);
    assertThat(last).isEqualTo(new CollectionProgress(3, 3 * 2 * 2_500, 2_500, 1));
    assertThat(reports)
        .filteredOn(report -> report.visited() == 1_000)
        .allSatisfy(report -> assertThat(report.fraction()).isBetween(0.35, 0.45));
  }

  @Test
  void aPositionOfAnotherCacheOrSliceIsRefused() {
    EntryCollection<String, Integer> all = EntryCollection.of(MapSource.of(3));
    String position = values(all).position();

    assertThatIllegalArgumentException()
        .isThrownBy(() -> all.in(all.slices(2).get(1)).from(position).open())
        .withMessageContaining("same slice");
    for (String bad : List.of("", "%", "AAAA", position + "AAAA", position.substring(4))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> all.from(bad).open())
          .withMessageContaining("position must be");
    }
  }

  @Test
  void aClosedCursorFailsAndBoundsAreChecked() {
    EntryCollection<String, Integer> all = EntryCollection.of(MapSource.of(3));
    CollectionCursor<Integer> cursor = values(all);
    cursor.close();

    assertThatIllegalStateException().isThrownBy(cursor::next);
    assertThatIllegalArgumentException().isThrownBy(() -> all.withMemory(0, 1, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> all.withMemory(1_025, 1, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> all.withMemory(1, 0, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> all.withMemory(1, 1, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> all.withAttempts(101));
    assertThatIllegalArgumentException().isThrownBy(() -> new CollectionSlice(0, 1, 2, 2));
  }

  @Test
  void keysInMemoryAreBoundedByNumberAndBytes() {
    NextKeys keys = new NextKeys(CollectionSlice.ALL, null, 10, 55);
    Set<KeyHash> all = new TreeSet<>();
    KeyHash.Hasher hasher = new KeyHash.Hasher();
    for (int i = 0; i < 1_000; i++) {
      String key = i < 500 ? "k" + i : "a-longer-key-" + i;
      keys.add(MapSource.encoded(key));
      all.add(hasher.of(MapSource.encoded(key)));
      assertThat(keys.size()).isBetween(1, 10);
      assertThat(keys.size() == 1 || keys.bytes() <= 55).isTrue();
    }

    List<KeyHash> kept = new ArrayList<>();
    int size = keys.size();
    for (var key = keys.poll(); key != null; key = keys.poll()) {
      kept.add(key.getKey());
    }
    assertThat(kept).hasSize(size).isEqualTo(new ArrayList<>(all).subList(0, size));
    assertThat(keys.isCut()).isTrue();
    assertThat(keys.bytes()).isZero();
  }

  @Test
  void aKeyLongerThanTheBoundIsReturnedAllTheSame() {
    MapSource source = MapSource.of(20);

    assertThat(rest(values(EntryCollection.of(source).withMemory(4, 100, 1)))).hasSize(20);
    assertThat(source.passes).isEqualTo(20);
  }

  @Test
  @Tag("nightly")
  void aMillionEntriesAreReturnedOnce() {
    MapSource source = MapSource.of(1_000_000);
    Set<Integer> found = new HashSet<>();
    try (CollectionCursor<Integer> cursor = values(EntryCollection.of(source))) {
      for (Optional<Integer> next = cursor.next(); next.isPresent(); next = cursor.next()) {
        assertThat(found.add(next.get())).isTrue();
      }
    }

    assertThat(found).hasSize(1_000_000);
    assertThat(source.passes).isEqualTo(5);
  }
}

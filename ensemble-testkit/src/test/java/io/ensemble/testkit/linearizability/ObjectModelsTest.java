package io.ensemble.testkit.linearizability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.HistoryReader;
import io.ensemble.testkit.history.JsonValues;
import io.ensemble.testkit.history.MalformedHistoryException;
import io.ensemble.testkit.history.OperationHistory;
import io.ensemble.testkit.linearizability.LinearizabilityChecker.Options;
import io.ensemble.testkit.linearizability.RandomObjects.Shape;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Models of counters, queues, maps, versioned keys and znodes, against a naive checker and on known
 * histories.
 */
@Execution(ExecutionMode.CONCURRENT)
class ObjectModelsTest {
  private static final int SEEDS =
      Integer.getInteger("history.seeds", Boolean.getBoolean("ensemble.deep") ? 600 : 150);

  private record Point(Set<HistoryOperation> left, JsonNode content) {}

  static Stream<Shape> shapes() {
    return Stream.of(
        new Shape(NaiveObject.COUNTER, 3, 1, 8, 0, 0, 0, 0),
        new Shape(NaiveObject.COUNTER, 4, 2, 11, 0, 0, 0, 30),
        new Shape(NaiveObject.QUEUE, 3, 1, 8, 0, 0, 0, 0),
        new Shape(NaiveObject.QUEUE, 4, 1, 10, 0, 0, 0, 30),
        new Shape(NaiveObject.QUEUE, 4, 1, 9, 2, 0, 0, 20),
        new Shape(NaiveObject.QUEUE, 6, 1, 10, 0, 0, 0, 50),
        new Shape(NaiveObject.MAP, 3, 1, 8, 0, 2, 40, 0),
        new Shape(NaiveObject.MAP, 4, 1, 10, 0, 2, 30, 30),
        new Shape(NaiveObject.MAP, 4, 1, 9, 2, 3, 30, 20),
        new Shape(NaiveObject.MAP, 4, 1, 10, 0, 3, 0, 20),
        new Shape(NaiveObject.VERSIONED, 3, 1, 8, 0, 5, 0, 0),
        new Shape(NaiveObject.VERSIONED, 4, 1, 9, 0, 6, 15, 0),
        new Shape(NaiveObject.VERSIONED, 4, 1, 9, 0, 6, 0, 30),
        new Shape(NaiveObject.ZNODE, 3, 1, 9, 0, 0, 0, 0),
        new Shape(NaiveObject.ZNODE, 4, 1, 10, 2, 0, 0, 30));
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void historyOfARealObjectIsLinearizable(Shape shape) {
    requireLinearizable(shape, 0, SEEDS);
  }

  @Tag("nightly")
  @ParameterizedTest
  @MethodSource("shapes")
  void moreHistoriesOfRealObjectsAreLinearizable(Shape shape) {
    requireLinearizable(shape, 150, 1_000);
  }

  private static void requireLinearizable(Shape shape, long first, int seeds) {
    for (long seed = first; seed < first + seeds; seed++) {
      OperationHistory history = new OperationHistory(RandomObjects.linearizable(seed, shape));

      LinearizabilityVerdict verdict =
          LinearizabilityChecker.check(history, Options.of(shape.kind().model()));

      FailureArtifacts.requireLinearizable(
          verdict, history, ObjectModelsTest.class, seed + " " + shape);
    }
  }

  @ParameterizedTest
  @MethodSource("shapes")
  void changedHistoryIsJudgedAsTheNaiveCheckerDoes(Shape shape) {
    requireSameVerdict(shape, 0, SEEDS);
  }

  @Tag("nightly")
  @ParameterizedTest
  @MethodSource("shapes")
  void moreChangedHistoriesAreJudgedAsTheNaiveCheckerDoes(Shape shape) {
    requireSameVerdict(shape, 150, 1_000);
  }

  private static void requireSameVerdict(Shape shape, long first, int seeds) {
    int good = 0;
    int bad = 0;
    for (long seed = first; seed < first + seeds; seed++) {
      Random random = new Random(~seed);
      List<HistoryOperation> operations = RandomObjects.linearizable(seed, shape);
      for (int changes = random.nextInt(3); changes >= 0; changes--) {
        operations = RandomObjects.mutated(operations, random);
      }
      OperationHistory history = new OperationHistory(operations);

      boolean expected = naive(shape.kind(), operations);
      LinearizabilityVerdict verdict =
          LinearizabilityChecker.check(history, Options.of(shape.kind().model()));

      long number = seed;
      FailureArtifacts.judge(
          () -> assertVerdict(shape.kind(), history, verdict, expected, number),
          history,
          ObjectModelsTest.class,
          seed + " " + shape);
      if (expected) {
        good++;
      } else {
        bad++;
      }
    }
    assertThat(good).as("linearizable").isGreaterThan(seeds / 20);
    assertThat(bad).as("violations").isGreaterThan(seeds / 20);
  }

  private static void assertVerdict(
      NaiveObject kind,
      OperationHistory history,
      LinearizabilityVerdict verdict,
      boolean expected,
      long seed) {
    assertThat(verdict.isLinearizable()).as("seed %d %s", seed, verdict).isEqualTo(expected);
    if (verdict instanceof LinearizabilityVerdict.Violation violation) {
      assertCulpritIsTheFirst(kind, history.operations(), violation, seed);
    }
  }

  /** With the culprit's return the history is not linearizable; without it, it is. */
  private static void assertCulpritIsTheFirst(
      NaiveObject kind,
      List<HistoryOperation> operations,
      LinearizabilityVerdict.Violation violation,
      long seed) {
    HistoryOperation culprit = violation.culprit();
    List<HistoryOperation> own =
        operations.stream()
            .filter(o -> o.key().equals(violation.key()))
            .filter(o -> culprit.entry() == null || sameGroup(operations, o, culprit))
            .toList();
    List<HistoryOperation> byReturn =
        own.stream()
            .filter(o -> o.outcome() == HistoryOutcome.OK)
            .sorted(
                Comparator.comparingLong(HistoryOperation::lastNanos)
                    .thenComparingLong(HistoryOperation::callNanos))
            .toList();
    int rank = byReturn.indexOf(culprit);

    assertThat(naive(kind, prefix(own, byReturn, rank + 1))).as("seed %d with", seed).isFalse();
    if (rank > 0) {
      assertThat(naive(kind, prefix(own, byReturn, rank))).as("seed %d before", seed).isTrue();
    }
  }

  private static boolean sameGroup(
      List<HistoryOperation> all, HistoryOperation one, HistoryOperation culprit) {
    boolean whole = all.stream().anyMatch(o -> o.key().equals(culprit.key()) && o.entry() == null);
    return whole || culprit.entry().equals(one.entry());
  }

  private static List<HistoryOperation> prefix(
      List<HistoryOperation> own, List<HistoryOperation> byReturn, int count) {
    long now = byReturn.get(count - 1).lastNanos();
    List<HistoryOperation> returned = byReturn.subList(0, count);
    List<HistoryOperation> prefix = new ArrayList<>();
    for (HistoryOperation operation : own) {
      if (operation.callNanos() <= now) {
        prefix.add(returned.contains(operation) ? operation : operation.pending());
      }
    }
    return prefix;
  }

  private static boolean naive(NaiveObject kind, List<HistoryOperation> operations) {
    Map<String, Set<HistoryOperation>> byKey = new LinkedHashMap<>();
    operations.forEach(o -> byKey.computeIfAbsent(o.key(), k -> new HashSet<>()).add(o));
    return byKey.values().stream()
        .allMatch(own -> possible(kind, new Point(own, kind.atFirst()), new HashSet<>()));
  }

  private static boolean possible(NaiveObject kind, Point point, Set<Point> tried) {
    if (point.left().stream().allMatch(o -> o.outcome() == HistoryOutcome.UNKNOWN)) {
      return true;
    }
    if (!tried.add(point)) {
      return false;
    }
    for (HistoryOperation next : point.left()) {
      if (point.left().stream().allMatch(o -> o.lastNanos() >= next.callNanos())) {
        Set<HistoryOperation> left = new HashSet<>(point.left());
        left.remove(next);
        for (NaiveObject.Done done : kind.all(next, point.content())) {
          boolean fits =
              next.outcome() == HistoryOutcome.UNKNOWN
                  || JsonValues.canonical(done.out()).equals(next.out());
          if (fits && possible(kind, new Point(left, done.after()), tried)) {
            return true;
          }
        }
      }
    }
    return false;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // a counter value returned twice
        "inc null 1 0 5; inc null 1 6 9 | inc() = 1",
        "add 2 2 0 5; get_and_add 1 0 6 9 | get_and_add(1) = 0",
        "cas [0,3] true 0 5; get null 0 6 9 | get() = 0",
        // out of order, twice, never enqueued, missing, a wrong size
        "enqueue 1 null 0 1; enqueue 2 null 2 3; dequeue null 2 4 5 | dequeue() = 2",
        "enqueue 1 null 0 1; dequeue null 1 2 3; dequeue null 1 4 5 | dequeue() = 1",
        "dequeue null 7 0 1; enqueue 7 null 2 3 | dequeue() = 7",
        "enqueue 1 null 0 1; dequeue null null 2 3 | dequeue() = null",
        "enqueue 1 null 0 1; size null 2 2 3 | size() = 2",
        // a snapshot of a state that never existed
        "put_all {\"a\":1,\"b\":1} null 0 9; snapshot null {\"a\":1} 1 8 | snapshot() = {\"a\":1}",
        "put_all {\"a\":1} null 0 1; clear null null 2 3; size null 1 4 5 | size() = 1",
        // one update counted twice, a znode after its removal, a wrong version, a repeated name
        "create 1 true 0 1; set_data [2,null] 2 2 3 | set_data([2,null]) = 2",
        "create 1 true 0 1; delete_node null \"deleted\" 2 3; exists null 0 4 5 | exists() = 0",
        "create 1 true 0 1; set_data [2,7] 1 2 3 | set_data([2,7]) = 1",
        "create_sequential 1 4 0 1; create_sequential 2 4 0 3 | create_sequential(2) = 4",
        "create_sequential 1 4 0 1; create_sequential 2 3 2 3 | create_sequential(2) = 3",
        "create_sequential 1 2147483647 0 1; create_sequential 2 2147483646 2 3 |"
            + " create_sequential(2) = 2147483646",
        "create_sequential 1 4294967296 0 1; create_sequential 2 4294967295 2 3 |"
            + " create_sequential(2) = 4294967295",
        "create_sequential 1 -1 0 1 | create_sequential(1) = -1",
      })
  void knownBadHistoryIsAViolationByItsCulprit(String text, String culprit) throws IOException {
    LinearizabilityVerdict verdict =
        LinearizabilityChecker.check(parse(text), Options.anyObjects());

    assertThat(verdict).as(verdict.explain()).isInstanceOf(LinearizabilityVerdict.Violation.class);
    assertThat(((LinearizabilityVerdict.Violation) verdict).culprit().describe())
        .isEqualTo(culprit);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "inc null 2 0 9; inc null 1 1 8; get null 2 9 10",
        "add -1 -1 0 1; get_and_add 5 -1 2 3; cas [4,0] true 4 5; get null 0 6 7",
        "enqueue 1 null 0 9; enqueue 2 null 1 8; dequeue null 2 10 11; dequeue null 1 12 13",
        "enqueue 1 null 0 9; dequeue null null 1 2; size null 1 10 11",
        "create 1 true 0 9; set_data [2,null] 1 1 8; get_data null [1,2] 9 10; create 3 false 11"
            + " 12",
        "create 1 true 0 1; delete_node 1 \"bad_version\" 2 3; delete_node 0 \"deleted\" 4 5",
        "create_sequential 1 5 0 9; create_sequential 2 4 1 8; names null [[4,2],[5,1]] 10 11",
        "create_sequential 1 2147483647 0 1; create_sequential 2 2147483648 2 3;"
            + " create_sequential 3 4294967296 4 5",
        "put_all {\"a\":1,\"b\":1} null 0 9; snapshot null {} 1 3; snapshot null {\"a\":1,\"b\":1}"
            + " 4 8",
      })
  void knownGoodHistoryIsLinearizable(String text) throws IOException {
    LinearizabilityVerdict verdict =
        LinearizabilityChecker.check(parse(text), Options.anyObjects());

    assertThat(verdict.isLinearizable()).as(verdict.explain()).isTrue();
  }

  @Test
  void objectsOfEveryKindAreToldApartInOneHistory() throws IOException {
    OperationHistory history =
        parse(
            "c:inc null 1 0 1; q:enqueue 4 null 0 1; q:size null 1 2 3; m.x:write 1 null 0 1;"
                + " m:size null 1 2 3; r:write 1 null 0 1; r:cas [1,2] true 2 3; c:cas [1,0] true 2"
                + " 3");

    assertThat(LinearizabilityChecker.check(history, Options.anyObjects()).isLinearizable())
        .isTrue();
    assertThatThrownBy(
            () ->
                LinearizabilityChecker.check(
                    parse("c:inc null 1 0 1; c:read null 1 2 3"), Options.anyObjects()))
        .isInstanceOf(MalformedHistoryException.class)
        .hasMessageContaining("line 2: expected an operation of a counter");
    assertThatThrownBy(
            () ->
                LinearizabilityChecker.check(
                    parse("q:enqueue null null 0 1"), Options.anyObjects()))
        .isInstanceOf(MalformedHistoryException.class)
        .hasMessageContaining("expected a value other than null in in of enqueue");
  }

  /** Parses {@code [key[.entry]:]op in out call return; …}. Each operation has its own client. */
  private static OperationHistory parse(String text) throws IOException {
    StringBuilder lines = new StringBuilder();
    int client = 0;
    for (String part : text.split("; ?")) {
      String[] words = part.strip().split(" +");
      String[] name = words[0].contains(":") ? words[0].split(":") : new String[] {"k", words[0]};
      String[] key = name[0].split("\\.");
      String entry = key.length > 1 ? ",\"k\":\"" + key[1] + "\"" : "";
      lines.append(
          "{\"client\":%d,\"key\":\"%s\"%s,\"op\":\"%s\",\"in\":%s,\"out\":%s,\"call_ns\":%s,\"return_ns\":%s,\"ok\":true}%n"
              .formatted(client++, key[0], entry, name[1], words[1], words[2], words[3], words[4]));
    }
    return HistoryReader.read(new StringReader(lines.toString()));
  }
}

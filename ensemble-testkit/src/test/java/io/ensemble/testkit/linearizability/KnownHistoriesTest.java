package io.ensemble.testkit.linearizability;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryReader;
import io.ensemble.testkit.history.OperationHistory;
import io.ensemble.testkit.linearizability.LinearizabilityChecker.Options;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The histories in {@code src/test/resources/histories}, each named for what it shows. */
class KnownHistoriesTest {

  static Stream<Path> good() throws Exception {
    return files("good");
  }

  static Stream<Path> bad() throws Exception {
    return files("bad");
  }

  @ParameterizedTest
  @MethodSource("good")
  void goodHistoryIsLinearizable(Path file) throws IOException {
    OperationHistory history = HistoryReader.read(file);

    LinearizabilityVerdict verdict = LinearizabilityChecker.check(history, Options.registers());

    assertThat(verdict.isLinearizable()).as(verdict.explain()).isTrue();
    assertThat(NaiveChecker.isLinearizable(history)).isTrue();
  }

  @ParameterizedTest
  @MethodSource("bad")
  void badHistoryIsAViolationByTheOperationWrittenBesideIt(Path file) throws Exception {
    OperationHistory history = HistoryReader.read(file);

    LinearizabilityVerdict verdict = LinearizabilityChecker.check(history, Options.registers());

    assertThat(verdict).isInstanceOf(LinearizabilityVerdict.Violation.class);
    LinearizabilityVerdict.Violation violation = (LinearizabilityVerdict.Violation) verdict;
    HistoryOperation culprit = violation.culprit();
    assertThat("client " + culprit.client() + " " + culprit.describe())
        .isEqualTo(culprits().get(name(file)));
    assertThat(violation.first()).isTrue();
    assertThat(violation.key()).isEqualTo(culprit.key());
    assertThat(violation.around()).contains(culprit);
    assertThat(violation.toString()).contains(culprit.describe()).contains("<-- impossible");
    assertThat(NaiveChecker.isLinearizable(history)).isFalse();
  }

  @Test
  void thereAreEnoughOfBothAndEachBadOneHasItsCulprit() throws Exception {
    assertThat(good()).hasSizeGreaterThanOrEqualTo(12);
    assertThat(bad().map(KnownHistoriesTest::name))
        .hasSizeGreaterThanOrEqualTo(15)
        .containsExactlyInAnyOrderElementsOf(culprits().keySet());
  }

  @Test
  void anOperationDroppedFromABadHistoryBeforeItsCulpritChangesNothingAfterIt() throws Exception {
    List<String> wrong = new ArrayList<>();
    for (Path file : bad().toList()) {
      OperationHistory history = HistoryReader.read(file);
      LinearizabilityVerdict.Violation violation =
          (LinearizabilityVerdict.Violation)
              LinearizabilityChecker.check(history, Options.registers());
      long end = violation.culprit().lastNanos();
      List<HistoryOperation> before =
          history.operations().stream()
              .filter(o -> o.callNanos() <= end && !o.equals(violation.culprit()))
              .map(o -> o.lastNanos() <= end ? o : o.pending())
              .toList();
      if (!NaiveChecker.isLinearizable(new OperationHistory(before))) {
        wrong.add(name(file));
      }
    }

    assertThat(wrong).as("impossible even without the culprit").isEmpty();
  }

  @Test
  void theDocumentationShowsAViolationAsItIsTold() throws Exception {
    Path file = directory("bad").resolve("unknown_write_seen_then_unseen.jsonl");
    LinearizabilityVerdict verdict =
        LinearizabilityChecker.check(HistoryReader.read(file), Options.registers());

    assertThat(Files.readString(Path.of("../docs/histories.md")))
        .contains(verdict.explain().lines().map(String::stripTrailing).toList());
  }

  private static Map<String, String> culprits() throws Exception {
    return Files.readAllLines(directory("bad").resolve("culprits.txt")).stream()
        .map(line -> line.split(": ", 2))
        .collect(Collectors.toMap(parts -> parts[0], parts -> parts[1]));
  }

  private static String name(Path file) {
    return file.getFileName().toString().replace(".jsonl", "");
  }

  private static Stream<Path> files(String kind) throws Exception {
    try (Stream<Path> all = Files.list(directory(kind))) {
      return all.filter(f -> f.toString().endsWith(".jsonl")).sorted().toList().stream();
    }
  }

  private static Path directory(String kind) throws URISyntaxException {
    URL url = KnownHistoriesTest.class.getResource("/histories/" + kind);
    return Path.of(Objects.requireNonNull(url, kind).toURI());
  }
}

package io.ensemble.testkit.linearizability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.NullNode;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.HistoryReader;
import io.ensemble.testkit.history.OperationHistory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FailureArtifactsTest {
  private static final String PROPERTY = "ensemble.failures";

  @TempDir Path directory;
  private String before;

  @BeforeEach
  void direct() {
    before = System.getProperty(PROPERTY);
    System.setProperty(PROPERTY, directory.resolve("failures").toString());
  }

  @AfterEach
  void restore() {
    if (before == null) {
      System.clearProperty(PROPERTY);
    } else {
      System.setProperty(PROPERTY, before);
    }
  }

  @Test
  void aHistoryThatIsNotLinearizableIsKeptAndNamedInTheError() throws Exception {
    OperationHistory history = readsWhatNobodyWrote();

    assertThatThrownBy(() -> judge(history))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("<-- impossible")
        .hasMessageContaining("FailureArtifactsTest-7.jsonl");

    Path kept = directory.resolve("failures").resolve("FailureArtifactsTest-7.jsonl");
    assertThat(HistoryReader.read(kept).operations()).isEqualTo(history.operations());
  }

  @Test
  void aSecondFailureDoesNotReplaceTheFirst() throws Exception {
    OperationHistory history = readsWhatNobodyWrote();

    Path first = FailureArtifacts.keep(history, FailureArtifactsTest.class, "a/b c");
    Path second = FailureArtifacts.keep(history, FailureArtifactsTest.class, "a/b c");

    assertThat(List.of(first, second)).doesNotHaveDuplicates().allMatch(Files::exists);
    assertThat(first.getFileName()).hasToString("FailureArtifactsTest-a_b_c.jsonl");
  }

  @Test
  void nothingIsWrittenForALinearizableHistory() throws Exception {
    judge(new OperationHistory(List.of()));

    assertThat(directory.resolve("failures")).doesNotExist();
  }

  @Test
  void otherFilesAreCopied() throws Exception {
    Path log = Files.writeString(directory.resolve("client.log"), "said");

    Path kept = FailureArtifacts.keep(log, FailureArtifactsTest.class, 3);

    assertThat(kept).hasContent("said").hasFileName("FailureArtifactsTest-3-client.log");
    try (Stream<Path> files = Files.list(directory.resolve("failures"))) {
      assertThat(files).hasSize(1);
    }
  }

  @Test
  void aHistoryThatIsJudgedOtherwiseIsKeptWhenTheJudgementFails() throws Exception {
    OperationHistory history = readsWhatNobodyWrote();
    Runnable judgement = () -> assertThat(history.operations()).as("reads").isEmpty();

    assertThatThrownBy(
            () -> FailureArtifacts.judge(judgement, history, FailureArtifactsTest.class, 4))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("reads")
        .hasMessageContaining("FailureArtifactsTest-4.jsonl");

    Path kept = directory.resolve("failures").resolve("FailureArtifactsTest-4.jsonl");
    assertThat(HistoryReader.read(kept).operations()).isEqualTo(history.operations());
  }

  @Test
  void recordsOfAnotherKindAreKeptWhenTheirJudgementFails() {
    Runnable judgement = () -> assertThat(3).as("writes").isEqualTo(4);

    assertThatThrownBy(
            () -> FailureArtifacts.judge(judgement, () -> "a b c", FailureArtifactsTest.class, 5))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("writes")
        .hasMessageContaining("FailureArtifactsTest-5.txt");

    assertThat(directory.resolve("failures").resolve("FailureArtifactsTest-5.txt"))
        .hasContent("a b c");
  }

  @Test
  void recordsOfAnotherKindAreNotMadeWhenTheirJudgementSucceeds() {
    FailureArtifacts.judge(
        () -> {},
        () -> {
          throw new IllegalStateException("made");
        },
        FailureArtifactsTest.class,
        6);

    assertThat(directory.resolve("failures")).doesNotExist();
  }

  private static void judge(OperationHistory history) {
    FailureArtifacts.requireLinearizable(
        history, LinearizabilityChecker.Options.registers(), FailureArtifactsTest.class, 7);
  }

  private static OperationHistory readsWhatNobodyWrote() {
    return new OperationHistory(
        List.of(
            new HistoryOperation(
                1,
                "k",
                "read",
                null,
                NullNode.getInstance(),
                IntNode.valueOf(5),
                1,
                2L,
                HistoryOutcome.OK)));
  }
}

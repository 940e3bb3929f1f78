package io.ensemble.testkit.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.NullNode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FailureEvidenceTest {
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
    History history = readsWhatNobodyWrote();

    assertThatThrownBy(() -> judge(history))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("<-- impossible")
        .hasMessageContaining("FailureEvidenceTest-7.jsonl");

    Path kept = directory.resolve("failures").resolve("FailureEvidenceTest-7.jsonl");
    assertThat(HistoryReader.read(kept).operations()).isEqualTo(history.operations());
  }

  @Test
  void aSecondFailureDoesNotReplaceTheFirst() throws Exception {
    History history = readsWhatNobodyWrote();

    Path first = FailureEvidence.keep(history, FailureEvidenceTest.class, "a/b c");
    Path second = FailureEvidence.keep(history, FailureEvidenceTest.class, "a/b c");

    assertThat(List.of(first, second)).doesNotHaveDuplicates().allMatch(Files::exists);
    assertThat(first.getFileName()).hasToString("FailureEvidenceTest-a_b_c.jsonl");
  }

  @Test
  void nothingIsWrittenForALinearizableHistory() throws Exception {
    judge(new History(List.of()));

    assertThat(directory.resolve("failures")).doesNotExist();
  }

  @Test
  void otherFilesAreCopied() throws Exception {
    Path log = Files.writeString(directory.resolve("client.log"), "said");

    Path kept = FailureEvidence.keep(log, FailureEvidenceTest.class, 3);

    assertThat(kept).hasContent("said").hasFileName("FailureEvidenceTest-3-client.log");
    try (Stream<Path> files = Files.list(directory.resolve("failures"))) {
      assertThat(files).hasSize(1);
    }
  }

  @Test
  void aHistoryThatIsJudgedOtherwiseIsKeptWhenTheJudgementFails() throws Exception {
    History history = readsWhatNobodyWrote();
    Runnable judgement = () -> assertThat(history.operations()).as("reads").isEmpty();

    assertThatThrownBy(
            () -> FailureEvidence.judge(judgement, history, FailureEvidenceTest.class, 4))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("reads")
        .hasMessageContaining("FailureEvidenceTest-4.jsonl");

    Path kept = directory.resolve("failures").resolve("FailureEvidenceTest-4.jsonl");
    assertThat(HistoryReader.read(kept).operations()).isEqualTo(history.operations());
  }

  @Test
  void recordsOfAnotherKindAreKeptWhenTheirJudgementFails() {
    Runnable judgement = () -> assertThat(3).as("writes").isEqualTo(4);

    assertThatThrownBy(
            () -> FailureEvidence.judge(judgement, () -> "a b c", FailureEvidenceTest.class, 5))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("writes")
        .hasMessageContaining("FailureEvidenceTest-5.txt");

    assertThat(directory.resolve("failures").resolve("FailureEvidenceTest-5.txt"))
        .hasContent("a b c");
  }

  @Test
  void recordsOfAnotherKindAreNotMadeWhenTheirJudgementSucceeds() {
    FailureEvidence.judge(
        () -> {},
        () -> {
          throw new IllegalStateException("made");
        },
        FailureEvidenceTest.class,
        6);

    assertThat(directory.resolve("failures")).doesNotExist();
  }

  private static void judge(History history) {
    FailureEvidence.requireLinearizable(
        history, LinearizabilityChecker.Options.registers(), FailureEvidenceTest.class, 7);
  }

  private static History readsWhatNobodyWrote() {
    return new History(
        List.of(
            new Operation(
                1,
                "k",
                "read",
                null,
                NullNode.getInstance(),
                IntNode.valueOf(5),
                1,
                2L,
                Outcome.OK)));
  }
}

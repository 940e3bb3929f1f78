package io.ensemble.check.trial;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.OperationHistory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CallJournalTest {
  @TempDir Path directory;
  private Path file;

  @BeforeEach
  void name() {
    file = directory.resolve("client.jsonl");
  }

  @Test
  void aCallIsOnDiskBeforeItIsMade() throws Exception {
    CallJournal journal = CallJournal.to(file, 7);

    journal.begin(journal.newClient(), "c", "inc", null, null);

    HistoryOperation only = CallJournal.read(file).iterator().next();
    assertThat(only.outcome()).isEqualTo(HistoryOutcome.UNKNOWN);
    assertThat(only.client()).isEqualTo(7);
    assertThat(new CallJournal.JournalReader(file).countOpenCalls()).isOne();
  }

  @Test
  void eachCallIsReadAsItEnded() throws Exception {
    try (CallJournal journal = CallJournal.to(file, 0)) {
      long client = journal.newClient();
      client = journal.begin(client, "m", "read", "e1", null).ok(5L);
      client = journal.begin(client, "m", "swap", "e1", 6L).refused();
      client = journal.begin(client, "m", "swap", "e1", 7L).unknown();
      journal.begin(client, "m", "size", null, null).ok(1L);
    }

    OperationHistory history = new OperationHistory(List.copyOf(CallJournal.read(file)));
    assertThat(history.operations())
        .extracting(HistoryOperation::outcome)
        .containsExactly(
            HistoryOutcome.OK, HistoryOutcome.REFUSED, HistoryOutcome.UNKNOWN, HistoryOutcome.OK);
    assertThat(history.operations())
        .extracting(HistoryOperation::client)
        .containsExactly(0L, 0L, 0L, 1L);
    assertThat(history.operations().get(0).out().asLong()).isEqualTo(5);
    assertThat(new CallJournal.JournalReader(file).countOpenCalls())
        .as("one that ended unknown is not under way")
        .isZero();
  }

  @Test
  void aLineThatTheDeathOfItsProcessBrokeOffCountsForNothing() throws Exception {
    try (CallJournal journal = CallJournal.to(file, 0)) {
      journal.begin(journal.newClient(), "c", "inc", null, null).ok(1L);
    }
    String text = Files.readString(file);
    Files.writeString(file, text.substring(0, text.length() - 3));

    assertThat(CallJournal.read(file)).hasSize(1);
    assertThat(CallJournal.read(file).iterator().next().outcome())
        .isEqualTo(HistoryOutcome.UNKNOWN);
    assertThat(new CallJournal.JournalReader(file).countOpenCalls()).isOne();
  }

  @Test
  void aTailReadsEachLineOnce() throws Exception {
    CallJournal.JournalReader tail = new CallJournal.JournalReader(file);
    assertThat(tail.countOpenCalls()).as("no file yet").isZero();

    try (CallJournal journal = CallJournal.to(file, 0)) {
      CallJournal.Call first = journal.begin(journal.newClient(), "c", "inc", null, null);
      assertThat(tail.countOpenCalls()).isOne();
      journal.begin(journal.newClient(), "c", "inc", null, null);
      assertThat(tail.countOpenCalls()).isEqualTo(2);
      first.ok(1L);
      assertThat(tail.countOpenCalls()).isOne();
      assertThat(tail.countOpenCalls()).isOne();
    }
    String text = Files.readString(file);
    Files.writeString(file, text + "{\"half");
    assertThat(tail.countOpenCalls()).isOne();
  }
}

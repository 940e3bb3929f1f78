package io.ensemble.testkit.listen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.ChangeEvent.GapReason;
import io.ensemble.ChangeEvent.Kind;
import io.ensemble.ChangeStamp;
import io.ensemble.Mode;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import io.ensemble.testkit.history.HistoryNote;
import io.ensemble.testkit.history.HistoryNote.ChangeReceived;
import io.ensemble.testkit.history.HistoryNote.GapReceived;
import io.ensemble.testkit.history.HistoryNote.StampReturned;
import io.ensemble.testkit.history.HistoryNote.StreamEnded;
import io.ensemble.testkit.history.HistoryNote.StreamOpened;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.HistoryReader;
import io.ensemble.testkit.history.HistoryWriter;
import io.ensemble.testkit.history.JsonValues;
import io.ensemble.testkit.history.OperationHistory;
import io.ensemble.testkit.linearizability.LinearizabilityChecker;
import io.ensemble.testkit.linearizability.LinearizabilityChecker.Options;
import io.ensemble.testkit.listen.StreamViolation.Rule;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Histories with one planted error each, and the same without it. */
class StreamCheckerTest {

  private static final WriterId WRITER = new WriterId(7, -1);
  private static final long END = 10_000;

  /** A history of key {@code k}, built in the order of time. */
  private static final class History {
    final Mode mode;
    final List<HistoryOperation> operations = new ArrayList<>();
    final List<HistoryNote> notes = new ArrayList<>();
    long clients;
    long events;
    long stream = -1;

    History(Mode mode) {
      this.mode = mode;
    }

    History opened(@Nullable Long from, long number, long readyNanos) {
      stream++;
      events = 0;
      notes.add(new StreamOpened(0, stream, mode, from, number, readyNanos - 5, readyNanos));
      return this;
    }

    History write(String op, Object in, @Nullable Object out, long call, long returned) {
      long client = clients++;
      operations.add(operation(client, op, in, out, call, returned, HistoryOutcome.OK));
      notes.add(new StampReturned(client, call, stamp(call)));
      return this;
    }

    /** An acknowledged write whose stamp is its call. */
    History write(int value, long call, long returned) {
      return write("write", value, null, call, returned);
    }

    History read(@Nullable Integer value, long call, long returned) {
      operations.add(operation(clients++, "read", null, value, call, returned, HistoryOutcome.OK));
      return this;
    }

    History ended(String op, Object in, long call, HistoryOutcome outcome) {
      operations.add(operation(clients++, op, in, null, call, null, outcome));
      return this;
    }

    private static HistoryOperation operation(
        long client,
        String op,
        @Nullable Object in,
        @Nullable Object out,
        long call,
        @Nullable Long returned,
        HistoryOutcome outcome) {
      JsonNode argument = JsonValues.of(in);
      return new HistoryOperation(
          client, "k", op, null, argument, JsonValues.of(out), call, returned, outcome);
    }

    History shown(@Nullable Integer value, long micros, long atNanos) {
      return shown(value, 1, micros, atNanos);
    }

    History shown(@Nullable Integer value, long configuration, long micros, long atNanos) {
      Kind kind = value == null ? Kind.REMOVED : Kind.MODIFIED;
      ChangeStamp at = new ChangeStamp(configuration, stamp(micros));
      notes.add(new ChangeReceived(stream, ++events, "k", kind, JsonValues.of(value), at, atNanos));
      return this;
    }

    History gap(@Nullable String key, long after, long before, long atNanos) {
      return gap(GapReason.OVERFLOW, key, after, 1, before, atNanos);
    }

    /** A gap of all keys, from the first configuration to the given one. */
    History gapOfAll(GapReason reason, long configuration, long before, long atNanos) {
      return gap(reason, null, 1, configuration, before, atNanos);
    }

    private History gap(
        GapReason reason,
        @Nullable String key,
        long after,
        long configuration,
        long before,
        long atNanos) {
      notes.add(
          new GapReceived(
              stream,
              ++events,
              reason,
              key,
              new ChangeStamp(1, stamp(after)),
              new ChangeStamp(configuration, stamp(before)),
              key == null ? null : 1L,
              atNanos));
      return this;
    }

    History end() {
      notes.add(new StreamEnded(stream, END, END + 1));
      return this;
    }

    OperationHistory build() {
      return new OperationHistory(operations, notes);
    }

    List<Rule> broken() {
      return StreamChecker.check(build()).stream().map(StreamViolation::rule).toList();
    }
  }

  private static Stamp stamp(long micros) {
    return new Stamp(micros, WRITER);
  }

  private static History history(Mode mode) {
    return new History(mode).opened(null, 0, 10);
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void aCompleteStreamHolds(Mode mode) {
    History history =
        history(mode)
            .write(1, 20, 30)
            .shown(1, 20, 35)
            .write(2, 40, 50)
            .shown(2, 40, 45)
            .write("delete", null, null, 60, 70)
            .shown(null, 60, 80)
            .end();

    assertThat(history.broken()).isEmpty();
    assertThat(StreamChecker.summary(history.build()))
        .isEqualTo(new StreamSummary(1, 1, 3, Map.of()));
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void anEventThatComesTwiceIsFound(Mode mode) {
    History base = history(mode).write(1, 20, 30).shown(1, 20, 35);

    assertThat(base.shown(1, 20, 40).broken()).containsExactly(Rule.ONCE);
    assertThat(history(mode).write(1, 20, 30).shown(1, 20, 35).shown(1, 21, 40).broken())
        .as("with another stamp")
        .contains(Rule.ONCE);
  }

  @Test
  void anEventThatWasBehindTheSavedPositionMayComeAgain() {
    History saved =
        history(Mode.MWMR).write(1, 20, 30).shown(1, 20, 35).opened(0L, 0, 50).shown(1, 20, 60);
    History after =
        history(Mode.MWMR).write(1, 20, 30).shown(1, 20, 35).opened(0L, 1, 50).shown(1, 20, 60);

    assertThat(saved.end().broken()).isEmpty();
    assertThat(after.end().broken()).containsExactly(Rule.ONCE);
  }

  @Test
  void aWeakCacheWhoseSitesChangedMayRepeatAConditionalOperation() {
    for (Mode mode : Mode.values()) {
      History history =
          history(mode)
              .write("put_if_absent", 1, true, 20, 30)
              .shown(1, 1, 20, 35)
              .shown(1, 2, 25, 40);

      assertThat(history.broken()).hasSize(mode == Mode.WEAK ? 0 : 1);
    }
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void anEventOutOfStampOrderIsFound(Mode mode) {
    History history = history(mode).write(1, 20, 90).write(2, 30, 90).shown(2, 30, 40);

    assertThat(history.shown(1, 20, 50).broken()).containsExactly(Rule.ORDER);
  }

  /** The stamps grow, but the write that is shown last had returned before the other was called. */
  @Test
  void anEventOutOfTheOrderOfWritesIsFoundInStrongModes() {
    for (Mode mode : Mode.values()) {
      History history = history(mode).opened(null, 0, 11);
      history.operations.add(History.operation(90, "write", 1, null, 20, 30L, HistoryOutcome.OK));
      history.operations.add(History.operation(91, "write", 2, null, 40, 50L, HistoryOutcome.OK));

      history.shown(2, 100, 60).shown(1, 110, 70);

      assertThat(history.broken()).hasSize(mode == Mode.WEAK ? 0 : 1);
    }
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void aLostEventIsFound(Mode mode) {
    assertThat(history(mode).write(1, 20, 30).end().broken()).containsExactly(Rule.COMPLETE);
    assertThat(history(mode).write(1, 5, 9).end().broken()).as("before the stream").isEmpty();
    assertThat(history(mode).write(1, 20, 30).broken()).as("a stream without an end").isEmpty();
    assertThat(history(mode).write(1, 20, END + 1).end().broken()).as("not due yet").isEmpty();
    assertThat(history(mode).write(1, 20, 30).gap("k", 19, 21, 40).end().broken()).isEmpty();
    assertThat(history(mode).write(1, 20, 30).gap(null, 19, 21, 40).end().broken()).isEmpty();
    assertThat(history(mode).write(1, 20, 30).gap("k", 20, 30, 40).end().broken())
        .as("beyond the bounds of the gap")
        .containsExactly(Rule.COMPLETE);
    assertThat(history(mode).write(1, 20, 30).gap("other", 19, 21, 40).end().broken())
        .as("a gap of another key")
        .containsExactly(Rule.COMPLETE);
    assertThat(history(mode).write("delete", null, null, 20, 30).end().broken())
        .containsExactly(Rule.COMPLETE);
    assertThat(history(mode).ended("write", 1, 20, HistoryOutcome.UNKNOWN).end().broken())
        .as("never acknowledged")
        .isEmpty();
  }

  /** Any stamp is below a bound in a later configuration, so only the times tell. */
  @ParameterizedTest
  @EnumSource(GapReason.class)
  void aGapBetweenConfigurationsCoversNoWriteThatWasCalledAfterIt(GapReason reason) {
    History after =
        history(Mode.MWMR).gapOfAll(reason, 2, 50, 60).write(1, 70, 80).write(2, 90, 95);
    History before =
        history(Mode.MWMR).write(1, 20, 30).write(2, 40, 50).gapOfAll(reason, 2, 55, 60);

    assertThat(after.shown(2, 2, 90, 97).end().broken()).containsExactly(Rule.COMPLETE);
    assertThat(before.shown(2, 2, 90, 97).end().broken()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      value = GapReason.class,
      names = {"RESUMED", "RECONFIGURED", "OVERWRITTEN"})
  void theLastWriteBeforeARestartIsNotCoveredByTheGap(GapReason reason) {
    for (Mode mode : Mode.values()) {
      assertThat(restarted(mode).gapOfAll(reason, 1, 65, 66).end().broken())
          .as("the last write is lost")
          .containsExactly(Rule.POSITION);
      assertThat(restarted(mode).gapOfAll(GapReason.RETENTION, 1, 65, 66).end().broken())
          .as("the reader is told to read the cache")
          .isEmpty();
      assertThat(restarted(mode).shown(2, 40, 65).gapOfAll(reason, 1, 65, 66).end().broken())
          .isEmpty();
    }
    History later =
        restarted(Mode.MWMR).gapOfAll(reason, 1, 65, 66).write(3, 70, 80).shown(3, 70, 85);
    assertThat(later.end().broken())
        .as("the next write was called after the gap")
        .containsExactly(Rule.POSITION);
  }

  /** A stream that resumes after two writes, of which the second one is in no saved position. */
  private static History restarted(Mode mode) {
    return history(mode).write(1, 20, 30).shown(1, 20, 35).write(2, 40, 50).opened(0L, 1, 60);
  }

  @Test
  void anOverwrittenWriteIsCoveredByTheGapOfARestart() {
    History overwritten = restarted(Mode.MWMR).write(3, 52, 58);
    History perhaps = restarted(Mode.MWMR).ended("write", 3, 52, HistoryOutcome.UNKNOWN);
    History removed = restarted(Mode.MWMR).write("delete", null, null, 52, 58);
    History refused = restarted(Mode.MWMR).ended("write", 3, 52, HistoryOutcome.REFUSED);
    History unsuccessful = restarted(Mode.MWMR);
    unsuccessful.operations.add(
        History.operation(90, "remove_if", 7, false, 52, 58L, HistoryOutcome.OK));
    History otherKey = restarted(Mode.MWMR);
    otherKey.operations.add(
        new HistoryOperation(
            90,
            "other",
            "write",
            null,
            JsonValues.of(3),
            JsonValues.of(null),
            52,
            null,
            HistoryOutcome.UNKNOWN));

    assertThat(resumed(overwritten.shown(3, 52, 65))).isEmpty();
    assertThat(resumed(perhaps)).isEmpty();
    assertThat(resumed(removed.shown(null, 52, 65))).isEmpty();
    assertThat(resumed(refused)).containsExactly(Rule.POSITION);
    assertThat(resumed(unsuccessful)).containsExactly(Rule.POSITION);
    assertThat(resumed(otherKey)).containsExactly(Rule.POSITION);
  }

  private static List<Rule> resumed(History history) {
    return history.gapOfAll(GapReason.RESUMED, 1, 65, 66).end().broken();
  }

  /** Of two writes at the same time, the stamps tell which one was overwritten. */
  @Test
  void ofConcurrentWritesOnlyTheFirstIsCovered() {
    History second = restarted(Mode.MWMR).write(3, 41, 51).shown(3, 41, 65);
    History first = restarted(Mode.MWMR).write(3, 41, 51).shown(2, 40, 65);

    assertThat(resumed(second)).isEmpty();
    assertThat(resumed(first)).containsExactly(Rule.POSITION);
  }

  /** Where the stamps are given anew, the removal is known by the absence of the value only. */
  @Test
  void aRemovalIsCoveredByTheGapOfANewConfigurationIfTheKeyIsShownAbsent() {
    History lost = history(Mode.MWMR).write("delete", null, null, 20, 30);
    History shown = history(Mode.MWMR).write("delete", null, null, 20, 30).shown(null, 2, 45, 50);
    History later = history(Mode.MWMR).write("delete", null, null, 20, 30);

    assertThat(lost.gapOfAll(GapReason.RECONFIGURED, 2, 55, 60).end().broken())
        .containsExactly(Rule.COMPLETE);
    assertThat(shown.gapOfAll(GapReason.RECONFIGURED, 2, 55, 60).end().broken()).isEmpty();
    assertThat(
            later.gapOfAll(GapReason.RECONFIGURED, 2, 55, 60).shown(null, 2, 61, 65).end().broken())
        .isEmpty();
  }

  /** Only MWMR counts writes, so only there a gap must say that one was overwritten. */
  @ParameterizedTest
  @EnumSource(Mode.class)
  void anOverwrittenWriteNeedsAGapOnlyWhereWritesAreCounted(Mode mode) {
    History history = history(mode).write(1, 20, 30).write(2, 40, 50).shown(2, 40, 60).end();

    assertThat(history.broken()).hasSize(mode == Mode.MWMR ? 1 : 0);
    assertThat(history(mode).write(1, 20, 30).write(2, 40, 50).shown(1, 20, 60).end().broken())
        .as("the last write of a key")
        .containsExactly(Rule.COMPLETE);
  }

  /** Writes of a batch share a stamp and are one change. */
  @Test
  void aWriteOfTheSameStampStandsForTheOthersOfItsBatch() {
    History history = history(Mode.MWMR).write(1, 20, 30);
    history.operations.add(History.operation(90, "write", 2, null, 21, 30L, HistoryOutcome.OK));
    history.notes.add(new StampReturned(90, 21, stamp(20)));

    assertThat(history.shown(2, 20, 35).end().broken()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void aPositionThatSkipsIsFound(Mode mode) {
    History skipping =
        history(mode).write(1, 20, 30).shown(1, 20, 35).write(2, 40, 50).opened(0L, 1, 60).end();

    assertThat(skipping.broken()).containsExactly(Rule.POSITION);
    assertThat(
            history(mode)
                .write(1, 20, 30)
                .shown(1, 20, 35)
                .write(2, 40, 50)
                .shown(2, 40, 55)
                .opened(0L, 1, 60)
                .end()
                .broken())
        .as("received, but behind the saved position")
        .containsExactly(Rule.POSITION);
    assertThat(
            history(mode)
                .write(1, 20, 30)
                .shown(1, 20, 35)
                .opened(0L, 1, 60)
                .write(2, 70, 80)
                .end()
                .broken())
        .as("after the restart")
        .containsExactly(Rule.COMPLETE);
    assertThat(
            history(mode)
                .write(1, 20, 30)
                .shown(1, 20, 35)
                .write(2, 40, 50)
                .opened(0L, 1, 60)
                .shown(2, 40, 65)
                .end()
                .broken())
        .isEmpty();
  }

  @Test
  void anEventBeforeItsWriteCanBeReadIsFound() {
    History early =
        history(Mode.MWMR)
            .write(1, 20, 30)
            .shown(1, 20, 35)
            .ended("write", 2, 40, HistoryOutcome.UNKNOWN)
            .shown(2, 40, 50)
            .read(1, 60, 70);
    OperationHistory history = early.build();

    assertThat(early.broken()).isEmpty();
    assertThat(isLinearizable(history)).isTrue();
    assertThat(isLinearizable(StreamChecker.bounded(history))).isFalse();
    OperationHistory honest =
        history(Mode.MWMR)
            .write(1, 20, 30)
            .shown(1, 20, 35)
            .ended("write", 2, 40, HistoryOutcome.UNKNOWN)
            .read(1, 60, 70)
            .shown(2, 40, 75)
            .read(2, 80, 90)
            .build();
    assertThat(isLinearizable(StreamChecker.bounded(honest))).isTrue();
    OperationHistory weak =
        history(Mode.WEAK)
            .ended("write", 2, 40, HistoryOutcome.UNKNOWN)
            .shown(2, 40, 50)
            .read(null, 60, 70)
            .build();
    assertThat(StreamChecker.bounded(weak).operations()).isEqualTo(weak.operations());
  }

  /** A removal has no value; its stamp identifies it. */
  @Test
  void aRemovalBeforeItCanBeReadIsFound() {
    OperationHistory history =
        history(Mode.SWMR)
            .write(1, 20, 30)
            .write("delete", null, null, 40, 100)
            .shown(null, 40, 50)
            .read(1, 60, 70)
            .build();

    assertThat(isLinearizable(history)).isTrue();
    assertThat(isLinearizable(StreamChecker.bounded(history))).isFalse();
  }

  private static boolean isLinearizable(OperationHistory history) {
    return LinearizabilityChecker.check(history, Options.registers()).isLinearizable();
  }

  @Test
  void aValueThatWasNotWrittenByThenIsFound() {
    assertThat(history(Mode.SWMR).shown(9, 20, 30).broken()).containsExactly(Rule.WRITTEN);
    assertThat(history(Mode.SWMR).shown(9, 20, 30).write(9, 40, 50).broken())
        .contains(Rule.WRITTEN);
    assertThat(
            history(Mode.SWMR)
                .ended("write", 9, 20, HistoryOutcome.REFUSED)
                .shown(9, 20, 30)
                .broken())
        .containsExactly(Rule.WRITTEN);
    History condition = history(Mode.SWMR);
    condition.operations.add(
        History.operation(90, "cas", List.of(1, 2), false, 20, 30L, HistoryOutcome.OK));
    assertThat(condition.shown(2, 20, 40).broken()).containsExactly(Rule.WRITTEN);
  }

  @Test
  void anotherStampThanTheWritersIsFound() {
    assertThat(history(Mode.MWMR).write(1, 20, 30).shown(1, 21, 40).broken())
        .containsExactly(Rule.STAMP);
    assertThat(history(Mode.MWMR).shown(1, 2, 21, 40).write(1, 20, 30).shown(1, 1, 20, 40).broken())
        .as("a change of the configuration gives new stamps")
        .doesNotContain(Rule.STAMP);
  }

  @Test
  void notesAreReadAsTheyWereWritten() throws IOException {
    OperationHistory history =
        history(Mode.WEAK)
            .write(1, 20, 30)
            .shown(1, 20, 35)
            .gap(null, 20, 30, 40)
            .gap("k", 20, 30, 40)
            .gapOfAll(GapReason.RECONFIGURED, 2, 30, 45)
            .opened(0L, 1, 50)
            .shown(null, 60, 70)
            .end()
            .build();
    StringWriter text = new StringWriter();
    try (HistoryWriter writer = new HistoryWriter(text)) {
      for (HistoryNote note : history.notes()) {
        writer.write(note);
      }
      writer.write(history.operations().get(0));
    }

    assertThat(HistoryReader.read(new StringReader(text.toString()))).isEqualTo(history);
    assertThat(text.toString())
        .contains(
            "{\"kind\":\"opened\",\"listener\":0,\"stream\":1,\"mode\":\"weak\",\"from\":[0,1],"
                + "\"call_ns\":45,\"ready_ns\":50}\n",
            "{\"kind\":\"change\",\"stream\":0,\"number\":1,\"key\":\"k\",\"change\":\"modified\","
                + "\"value\":1,\"stamp\":\"1:20@0000000000000007ffffffffffffffff\",\"at_ns\":35}\n");
  }

  @Test
  void malformedNotesAreRefusedWithTheirLines() {
    assertMalformed("{\"kind\":\"event\"}", "expected opened, change, gap, ended or stamp in kind");
    assertMalformed("{\"kind\":\"ended\",\"stream\":1,\"at_ns\":2}", "the field covers_ns");
    assertMalformed(
        "{\"kind\":\"ended\",\"stream\":1,\"at_ns\":2,\"covers_ns\":null,\"x\":1}", "got [x]");
    assertMalformed(
        "{\"kind\":\"stamp\",\"client\":1,\"call_ns\":2,\"stamp\":\"5\"}", "MICROS@WRITER");
    assertThatThrownBy(() -> StreamChecker.check(new History(Mode.MWMR).shown(1, 1, 1).build()))
        .hasMessageContaining("kind opened for stream -1");
  }

  private static void assertMalformed(String line, String why) {
    assertThatThrownBy(() -> HistoryReader.read(new StringReader(line)))
        .hasMessageContaining("line 1")
        .hasMessageContaining(why);
  }
}

package io.ensemble.check.znodes;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.check.trial.CallJournal;
import io.ensemble.check.trial.ClientMessage;
import io.ensemble.check.trial.ClientOutcomeCounts;
import io.ensemble.check.znodes.ZnodeOutcomes.ChangeKind;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ZnodeOutcomesTest {
  /** Codes that any call may have: its outcome is unknown, or it had no effect. */
  private static final Set<Code> ANY_CALL =
      EnumSet.of(
          Code.CONNECTIONLOSS, Code.SESSIONEXPIRED, Code.SESSIONMOVED, Code.OPERATIONTIMEOUT);

  @TempDir Path directory;

  private final ClientOutcomeCounts tally = new ClientOutcomeCounts();
  private final ZnodeOutcomes ends = new ZnodeOutcomes(tally);
  private Path file;
  private CallJournal journal;

  @BeforeEach
  void begin() throws IOException {
    file = directory.resolve("calls.jsonl");
    journal = CallJournal.to(file, 1);
  }

  @AfterEach
  void end() throws IOException {
    journal.close();
  }

  private CallJournal.Call call(String op) {
    return journal.begin(journal.newClient(), "/a", op, null, null);
  }

  private HistoryOperation last() throws IOException {
    List<HistoryOperation> all = List.copyOf(CallJournal.read(file));
    return all.get(all.size() - 1);
  }

  private ClientMessage told() {
    return tally.say("");
  }

  private static Set<Code> allowed(ChangeKind kind) {
    return switch (kind) {
      case SET, DELETE -> EnumSet.of(Code.NONODE, Code.BADVERSION);
      case CREATE -> EnumSet.of(Code.NODEEXISTS);
      case CREATE_ALONE -> EnumSet.noneOf(Code.class);
    };
  }

  @ParameterizedTest
  @EnumSource
  void aChangeEndsWithWhatItsKindMayAndWithNothingElse(ChangeKind kind) throws Exception {
    for (Code code : Code.values()) {
      long broken = told().broken();

      ends.recordChange(
          kind, call("x"), "it", ZnodeResult.of(code.intValue()), true, answer -> "said");

      boolean said = code == Code.OK || allowed(kind).contains(code);
      assertThat(told().broken() > broken)
          .as("%s is a wonder", code)
          .isEqualTo(!said && !ANY_CALL.contains(code));
      assertThat(last().outcome())
          .as("%s", code)
          .isEqualTo(said ? HistoryOutcome.OK : HistoryOutcome.UNKNOWN);
    }
  }

  @Test
  void nothingHeardIsAWonder() {
    ends.recordChange(ChangeKind.SET, call("x"), "it", ZnodeResult.NONE, false, answer -> "said");

    assertThat(told().trouble()).isEqualTo("it ended with nothing");
    assertThat(told().unknown()).isEqualTo(1);
  }

  @Test
  void whatWaitedTooLongWasNotSentUnlessItStoodInAQueue() {
    ZnodeResult late = ZnodeResult.of(Code.OPERATIONTIMEOUT.intValue());

    ends.recordChange(ChangeKind.SET, call("x"), "it", late, false, answer -> "said");
    ends.recordChange(ChangeKind.SET, call("x"), "it", late, true, answer -> "said");

    assertThat(told().refused()).isEqualTo(1);
    assertThat(told().unknown()).isEqualTo(1);
    assertThat(told().broken()).isZero();
  }

  @Test
  void aReadEndsWithAZnodeOrWithout() throws Exception {
    for (Code code : Code.values()) {
      long broken = told().broken();
      if (code == Code.OK) {
        continue;
      }

      ends.recordGet(call("get_data"), "/a", ZnodeResult.of(code.intValue()));
      ends.recordExists(call("exists"), "/a", ZnodeResult.of(code.intValue()));

      boolean wonder = code != Code.NONODE && !ANY_CALL.contains(code);
      assertThat(told().broken() - broken).as("%s", code).isEqualTo(wonder ? 2 : 0);
      assertThat(last().outcome())
          .as("%s", code)
          .isEqualTo(code == Code.NONODE ? HistoryOutcome.OK : HistoryOutcome.REFUSED);
    }
  }

  @Test
  void whatIsThereHasAValue() throws Exception {
    ends.recordGet(call("get_data"), "/a", ZnodeResult.of(0, new Stat(), "7".getBytes()));

    assertThat(last().out().toString()).isEqualTo("[0,7]");
    assertThat(told().broken()).isZero();
    for (byte[] data : new byte[][] {null, {}, "?".getBytes()}) {
      long broken = told().broken();
      ends.recordGet(call("get_data"), "/a", ZnodeResult.of(0, new Stat(), data));
      ends.checkPeek("/a", ZnodeResult.of(0, new Stat(), data));
      assertThat(told().broken() - broken).isEqualTo(2);
      assertThat(last().outcome()).as("it is not absent").isEqualTo(HistoryOutcome.REFUSED);
    }
    ends.recordExists(call("exists"), "/a", ZnodeResult.of(0));
    assertThat(told().broken()).isEqualTo(7);
    ends.recordExists(call("exists"), "/a", ZnodeResult.of(0, new Stat(), null));
    assertThat(last().out().toString()).isEqualTo("0");
    assertThat(told().broken()).isEqualTo(7);
  }

  @Test
  void aPeekMayFindNothing() {
    ends.checkPeek("/a", ZnodeResult.of(Code.NONODE.intValue()));

    assertThat(told().broken()).isZero();
  }
}

package io.ensemble.check.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.NullNode;
import io.ensemble.check.faults.FaultEvent;
import io.ensemble.check.faults.TrialFaultKind;
import io.ensemble.check.process.JsonOutput;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.OperationHistory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which operations count: those called while exactly one site was down. */
class AvailabilityTest {

  private static final long SECOND = 1_000_000_000L;

  private final List<FaultEvent> events = new ArrayList<>();
  private final List<HistoryOperation> operations = new ArrayList<>();

  @Test
  void theShareIsOfWhatWasCalledWhileOneSiteWasDead() {
    event(10, FaultEvent.BEGIN, TrialFaultKind.KILL, "lyon");
    event(20, FaultEvent.END, TrialFaultKind.KILL, "lyon");
    event(21, FaultEvent.REFILLED, TrialFaultKind.KILL, "lyon");
    called(9, HistoryOutcome.REFUSED);
    called(10, HistoryOutcome.OK);
    called(12, HistoryOutcome.REFUSED);
    called(14, HistoryOutcome.UNKNOWN);
    called(19, HistoryOutcome.OK);
    called(20, HistoryOutcome.REFUSED);

    Availability got = Availability.of(new OperationHistory(operations), events);

    assertThat(got).isEqualTo(new Availability(10, 4, 2));
    assertThat(got.share()).isEqualTo(0.5);
    assertThat(got.inWords()).isEqualTo("50.00 % of 4 operations answered, in 10.0 s");
    assertThat(JsonOutput.mapper().valueToTree(got).toString())
        .isEqualTo("{\"seconds\":10.0,\"operations\":4,\"answered\":2,\"share\":0.5}");
  }

  @Test
  void aSiteThatRunsOrASecondOneThatDiesTooDoesNotCount() {
    event(1, FaultEvent.BEGIN, TrialFaultKind.CUT, "lyon");
    event(5, FaultEvent.BEGIN, TrialFaultKind.AMNESIA, "oslo");
    event(7, FaultEvent.BEGIN, TrialFaultKind.KILL, "rome");
    event(8, FaultEvent.END, TrialFaultKind.KILL, "rome");
    event(9, FaultEvent.END, TrialFaultKind.AMNESIA, "oslo");
    event(11, FaultEvent.END, TrialFaultKind.CUT, "lyon");
    for (int second = 0; second < 12; second++) {
      called(second, HistoryOutcome.OK);
    }

    assertThat(Availability.of(new OperationHistory(operations), events))
        .isEqualTo(new Availability(3, 3, 3));
  }

  @Test
  void whereNothingDiedNothingWasMissed() {
    called(1, HistoryOutcome.REFUSED);

    Availability got = Availability.of(new OperationHistory(operations), events);

    assertThat(got.share()).isEqualTo(1);
    assertThat(got.inWords()).isEqualTo("no operation was started");
  }

  private void event(long second, String phase, TrialFaultKind kind, String site) {
    events.add(new FaultEvent(second * SECOND, phase, 1, kind.word(), site, "it"));
  }

  private void called(long second, HistoryOutcome outcome) {
    operations.add(
        new HistoryOperation(
            operations.size(),
            "k",
            "read",
            null,
            NullNode.instance,
            NullNode.instance,
            second * SECOND,
            second * SECOND + 1,
            outcome));
  }
}

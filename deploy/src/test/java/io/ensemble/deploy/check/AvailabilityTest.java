package io.ensemble.deploy.check;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.NullNode;
import io.ensemble.deploy.Output;
import io.ensemble.testkit.history.History;
import io.ensemble.testkit.history.Operation;
import io.ensemble.testkit.history.Outcome;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What counts as called while one site was dead. */
class AvailabilityTest {

  private static final long SECOND = 1_000_000_000L;

  private final List<FaultEvent> events = new ArrayList<>();
  private final List<Operation> operations = new ArrayList<>();

  @Test
  void theShareIsOfWhatWasCalledWhileOneSiteWasDead() {
    event(10, FaultEvent.BEGIN, FaultKind.KILL, "lyon");
    event(20, FaultEvent.END, FaultKind.KILL, "lyon");
    event(21, FaultEvent.REFILLED, FaultKind.KILL, "lyon");
    called(9, Outcome.REFUSED);
    called(10, Outcome.OK);
    called(12, Outcome.REFUSED);
    called(14, Outcome.UNKNOWN);
    called(19, Outcome.OK);
    called(20, Outcome.REFUSED);

    Availability got = Availability.of(new History(operations), events);

    assertThat(got).isEqualTo(new Availability(10, 4, 2));
    assertThat(got.share()).isEqualTo(0.5);
    assertThat(got.inWords()).isEqualTo("50.00 % of 4 operations answered, in 10.0 s");
    assertThat(Output.mapper().valueToTree(got).toString())
        .isEqualTo("{\"seconds\":10.0,\"operations\":4,\"answered\":2,\"share\":0.5}");
  }

  @Test
  void aSiteThatRunsOrASecondOneThatDiesTooDoesNotCount() {
    event(1, FaultEvent.BEGIN, FaultKind.CUT, "lyon");
    event(5, FaultEvent.BEGIN, FaultKind.AMNESIA, "oslo");
    event(7, FaultEvent.BEGIN, FaultKind.KILL, "rome");
    event(8, FaultEvent.END, FaultKind.KILL, "rome");
    event(9, FaultEvent.END, FaultKind.AMNESIA, "oslo");
    event(11, FaultEvent.END, FaultKind.CUT, "lyon");
    for (int second = 0; second < 12; second++) {
      called(second, Outcome.OK);
    }

    assertThat(Availability.of(new History(operations), events))
        .isEqualTo(new Availability(3, 3, 3));
  }

  @Test
  void whereNothingDiedNothingWasMissed() {
    called(1, Outcome.REFUSED);

    Availability got = Availability.of(new History(operations), events);

    assertThat(got.share()).isEqualTo(1);
    assertThat(got.inWords()).isEqualTo("nothing was asked");
  }

  private void event(long second, String phase, FaultKind kind, String site) {
    events.add(new FaultEvent(second * SECOND, phase, 1, kind.word(), site, "it"));
  }

  private void called(long second, Outcome outcome) {
    operations.add(
        new Operation(
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

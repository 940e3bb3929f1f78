package io.ensemble.cli.entries;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.QuorumFailure;
import io.ensemble.WriteOutcome;
import io.ensemble.check.process.ExitCode;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WriteReportTest {

  private static final Stamp STAMP = new Stamp(1, new WriterId(1, 2));
  private static final QuorumFailure SHORT =
      new QuorumFailure(2, 3, Set.of(), Map.of("oslo", "BUSY"));

  @Test
  void eachOutcomeHasItsNameAndItsCode() {
    check(new WriteOutcome.Applied<>(null, STAMP, true), "applied", ExitCode.OK);
    check(new WriteOutcome.Applied<>("old", STAMP, false), "condition_not_met", ExitCode.FAILED);
    check(new WriteOutcome.Superseded<>(STAMP), "superseded", ExitCode.OK);
    check(new WriteOutcome.Refused<>(SHORT), "refused", ExitCode.FAILED);
    check(new WriteOutcome.Unknown<>(SHORT), "unknown", ExitCode.UNKNOWN);
  }

  @Test
  void nobodyKnowsWhetherAnUnknownOneWrote() {
    WriteReport unknown = WriteReport.of("c", "k", new WriteOutcome.Unknown<>(SHORT));

    assertThat(unknown.wrote()).isNull();
    assertThat(unknown.why()).contains("oslo=BUSY");
  }

  @Test
  void aFailedConditionTellsWhatIsThere() {
    assertThat(WriteReport.of("c", "k", new WriteOutcome.Applied<>("old", STAMP, false)).found())
        .isEqualTo("old");
    assertThat(WriteReport.of("c", "k", new WriteOutcome.Applied<>(false, STAMP, false)).found())
        .isNull();
  }

  private static void check(WriteOutcome<?> ended, String name, int code) {
    WriteReport written = WriteReport.of("c", "k", ended);

    assertThat(written.outcome()).isEqualTo(name);
    assertThat(written.exitCode()).isEqualTo(code);
  }
}

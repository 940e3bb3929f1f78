package io.ensemble.check.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.ensemble.InDoubtWrites.Fate;
import io.ensemble.testkit.history.HistoryReader;
import io.ensemble.testkit.history.OperationHistory;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckEvidenceTest {

  @TempDir Path parts;

  @Test
  void aHistoryThatIsKeptCanBeJudgedAgainByItsNotes() throws Exception {
    OperationHistory history =
        HistoryReader.read(
            new StringReader(
                """
                {"client":0,"key":"k","op":"write","in":1,"out":null,"call_ns":0,"return_ns":1,"ok":true}
                {"client":1,"key":"k","op":"read","in":null,"out":null,"call_ns":10,"return_ns":11,"ok":true}
                """));
    WindowLine.WriteStamp place = new WindowLine.WriteStamp("k", 7, 1, 1);
    List<WindowLine> notes =
        List.of(
            WindowLine.of(new WindowLine.Bounds(8, 1_000)),
            WindowLine.of(new WindowLine.Epoch(2, 3, 5)),
            WindowLine.of(new WindowLine.AcknowledgedWrite(0, 0, place)),
            report(2, 1, Fate.UNKNOWN, place),
            report(6, 1, Fate.LOST, place));

    Throwable failure =
        catchThrowable(
            () ->
                CheckEvidence.requireOk(
                    failed(history, notes), parts, CheckEvidenceTest.class, "run"));

    assertThat(failure).isInstanceOf(AssertionError.class).hasMessageContaining("planted");
    List<Path> kept =
        Stream.of(failure.getMessage().replaceAll("(?s).*kept: \\[|\\].*", "").split(", "))
            .map(Path::of)
            .toList();
    try {
      CheckReport again = RecordedHistoryJudge.judge(List.of(kept.get(0)), false, 1).report();
      assertThat(again.problems()).isEmpty();
      assertThat(again.guarantee()).contains("but for reported writes", "lost 1");
      assertThat(kept).hasSize(2);
    } finally {
      for (Path file : kept) {
        Files.delete(file);
      }
    }
  }

  private static WindowLine report(
      long atNanos, long epoch, Fate fate, WindowLine.WriteStamp place) {
    WindowLine.Report report = new WindowLine.Report(0, atNanos, epoch, fate, List.of(place));
    return new WindowLine(null, null, report, null);
  }

  /** A run with a problem that has nothing to do with its history. */
  private static CheckResult failed(OperationHistory history, List<WindowLine> notes) {
    GuaranteeVerdict finding = GuaranteeVerdict.linearizable(history);
    CheckReport report =
        new CheckReport(
            false,
            "swmr",
            4,
            List.of("lyon"),
            finding.guarantee(),
            finding.verdict(),
            new CheckReport.Operations(2, 2, 2, 1, 0, 0),
            1.5,
            Map.of(),
            0,
            0,
            Availability.of(history, List.of()),
            List.of(),
            List.of("planted"),
            null,
            null,
            null);
    return new CheckResult(report, finding, history, List.of(), notes);
  }
}

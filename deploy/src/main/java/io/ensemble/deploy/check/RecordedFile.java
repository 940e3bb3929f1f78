package io.ensemble.deploy.check;

import io.ensemble.deploy.CommandFailure;
import io.ensemble.deploy.ExitCode;
import io.ensemble.testkit.history.History;
import io.ensemble.testkit.history.HistoryReader;
import io.ensemble.testkit.history.MalformedHistoryException;
import io.ensemble.testkit.history.Outcome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Judges a history that somebody has recorded. */
public final class RecordedFile {

  private RecordedFile() {}

  /**
   * Judges it.
   *
   * @param weak whether it is of a WEAK cache; otherwise its objects are to be linearizable
   * @param enough how many operations must be completed in it
   * @throws CommandFailure if it cannot be read
   */
  public static CheckResult judge(Path file, boolean weak, long enough) {
    History history;
    Finding finding;
    try {
      history = HistoryReader.read(file);
      finding = weak ? Finding.nothingInvented(history) : Finding.linearizable(history);
    } catch (MalformedHistoryException e) {
      throw new CommandFailure(ExitCode.USAGE, "no history: " + file + " " + e.getMessage());
    } catch (IOException e) {
      throw new CommandFailure("cannot read " + file + ": " + e, e);
    }
    long completed = count(history, Outcome.OK);
    List<String> problems =
        finding.held()
            ? completed < enough
                ? List.of(
                    "too few operations were completed; wanted %d, came %d"
                        .formatted(enough, completed))
                : List.of()
            : List.of("the guarantee was " + finding.verdict() + ": " + finding.guarantee());
    CheckReport.Violation violation =
        finding.culprit() == null || finding.key() == null || finding.line() == null
            ? null
            : new CheckReport.Violation(
                finding.key(), finding.line(), finding.culprit().describe(), finding.explanation());
    CheckReport report =
        new CheckReport(
            problems.isEmpty(),
            weak ? "weak" : "recorded",
            0,
            List.of(),
            finding.guarantee(),
            finding.verdict(),
            new CheckReport.Operations(
                history.operations().size(),
                history.operations().size(),
                completed,
                enough,
                count(history, Outcome.REFUSED),
                count(history, Outcome.UNKNOWN)),
            0,
            Map.of(),
            0,
            0,
            List.of(),
            problems,
            violation,
            null);
    return new CheckResult(report, finding, history, List.of());
  }

  private static long count(History history, Outcome outcome) {
    return history.operations().stream().filter(o -> o.outcome() == outcome).count();
  }
}

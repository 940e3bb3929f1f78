package io.ensemble.check.report;

import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.testkit.history.HistoryNote;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryReader;
import io.ensemble.testkit.history.OperationHistory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Judges a recorded history. */
public final class RecordedHistoryJudge {

  private RecordedHistoryJudge() {}

  /**
   * Judges the history. If notes about acknowledgements by a primary alone are next to it, judges
   * by its bound. If it has streams of changes, judges these, too, by the mode that they name.
   *
   * @param files the files of processes that worked together, with one clock
   * @param weak whether it is the history of a WEAK cache; otherwise its objects must be
   *     linearizable
   * @param enough the required number of completed operations
   * @throws CommandException if a file cannot be read
   */
  public static CheckResult judge(List<Path> files, boolean weak, long enough) {
    OperationHistory history;
    GuaranteeVerdict finding;
    List<WindowLine> notes;
    List<String> problems = new ArrayList<>();
    try {
      history = read(files);
      notes = new ArrayList<>();
      for (Path file : files) {
        Path windowFile = WindowFile.beside(file);
        if (Files.exists(windowFile)) {
          notes.addAll(WindowFile.read(windowFile));
        }
      }
      boolean isOfWeak = weak || StreamVerdict.isOfWeak(history);
      finding =
          isOfWeak ? GuaranteeVerdict.nothingInvented(history) : judged(history, notes, problems);
      if (StreamVerdict.isNeeded(history)) {
        finding = StreamVerdict.completing(finding, history, problems);
      }
    } catch (IllegalArgumentException e) { // Malformed, or with an event of no stream.
      throw new CommandException(
          ExitCode.USAGE, "not a valid history: " + words(files) + " " + e.getMessage());
    } catch (IOException e) {
      throw new CommandException("cannot read " + words(files) + ": " + e, e);
    }
    CheckReport.Operations operations =
        CheckReport.Operations.of(history.operations().size(), history, enough);
    if (!finding.held()) {
      problems.add("the guarantee was " + finding.verdict() + ": " + finding.guarantee());
    } else if (operations.completed() < enough) {
      problems.add(
          "too few operations were completed; expected %d, got %d"
              .formatted(enough, operations.completed()));
    }
    CheckReport report =
        new CheckReport(
            problems.isEmpty(),
            weak ? "weak" : "recorded",
            0,
            List.of(),
            finding.guarantee(),
            finding.verdict(),
            operations,
            0,
            Map.of(),
            0,
            0,
            Availability.of(history, List.of()),
            List.of(),
            problems,
            CheckReport.Violation.of(finding),
            StreamVerdict.summary(history),
            null);
    return new CheckResult(report, finding, history, List.of(), notes);
  }

  private static String words(List<Path> files) {
    return files.stream().map(Path::toString).collect(Collectors.joining(","));
  }

  private static OperationHistory read(List<Path> files) throws IOException {
    if (files.size() == 1) {
      return HistoryReader.read(files.get(0));
    }
    List<HistoryOperation> all = new ArrayList<>();
    List<HistoryNote> notes = new ArrayList<>();
    for (Path file : files) {
      OperationHistory one = HistoryReader.read(file);
      all.addAll(one.operations());
      notes.addAll(one.notes());
    }
    all.sort(Comparator.comparingLong(HistoryOperation::callNanos));
    return new OperationHistory(all, notes);
  }

  /** Judges by the notes next to the history, if there are any. */
  private static GuaranteeVerdict judged(
      OperationHistory history, List<WindowLine> notes, List<String> problems) {
    if (notes.isEmpty()) {
      return GuaranteeVerdict.linearizable(history);
    }
    LossWindowChecker judgement = new LossWindowChecker(history, notes);
    problems.addAll(judgement.problems());
    return judgement.finding();
  }
}

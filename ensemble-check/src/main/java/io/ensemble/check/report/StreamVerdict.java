package io.ensemble.check.report;

import io.ensemble.Mode;
import io.ensemble.testkit.history.HistoryNote;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.OperationHistory;
import io.ensemble.testkit.listen.StreamChecker;
import io.ensemble.testkit.listen.StreamSummary;
import io.ensemble.testkit.listen.StreamViolation;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The verdict on the streams of changes in a history, beside that on its operations. */
public final class StreamVerdict {
  private static final int MOST_PROBLEMS = 10;

  private StreamVerdict() {}

  /** A line for each listener that received no change; such a run shows nothing about it. */
  public static List<String> silentListeners(List<HistoryNote> notes) {
    Set<Long> heard = new HashSet<>();
    notes.forEach(
        note -> {
          if (note instanceof HistoryNote.ChangeReceived change) {
            heard.add(change.stream());
          }
        });
    Map<Long, Boolean> listeners = new TreeMap<>();
    notes.forEach(
        note -> {
          if (note instanceof HistoryNote.StreamOpened opened) {
            listeners.merge(opened.listener(), heard.contains(opened.stream()), Boolean::logicalOr);
          }
        });
    return listeners.entrySet().stream()
        .filter(listener -> !listener.getValue())
        .map(listener -> "a listener received no change; listener=" + listener.getKey())
        .toList();
  }

  /** The numbers of streams and events; null for a history without streams. */
  public static @Nullable StreamSummary summary(OperationHistory history) {
    return isNeeded(history) ? StreamChecker.summary(history) : null;
  }

  /** The numbers of streams and events, for people. */
  public static String words(StreamSummary summary) {
    return "%d listeners, %d streams, %,d changes, gaps: %s"
        .formatted(
            summary.listeners(),
            summary.streams(),
            summary.changes(),
            summary.gaps().isEmpty()
                ? "none"
                : summary.gaps().entrySet().stream()
                    .map(gap -> gap.getKey() + " " + gap.getValue())
                    .collect(Collectors.joining(", ")));
  }

  /** Whether the history has streams. */
  public static boolean isNeeded(OperationHistory history) {
    return history.notes().stream().anyMatch(note -> !(note instanceof HistoryNote.StampReturned));
  }

  /** Whether its streams are those of a WEAK cache, whose operations are judged accordingly. */
  static boolean isOfWeak(OperationHistory history) {
    return history.notes().stream()
        .anyMatch(
            note -> note instanceof HistoryNote.StreamOpened opened && opened.mode() == Mode.WEAK);
  }

  /**
   * Judges the streams, if the operations satisfy their guarantee.
   *
   * @param ofOperations the verdict on the operations
   * @param problems receives a line for each violation, for a limited number of them
   */
  public static GuaranteeVerdict completing(
      GuaranteeVerdict ofOperations, OperationHistory history, List<String> problems) {
    String guarantee = ofOperations.guarantee() + "; streams complete, in order, each change once";
    if (!ofOperations.held()) {
      return ofOperations;
    }
    List<StreamViolation> violations = StreamChecker.check(history);
    if (violations.isEmpty()) {
      return readable(ofOperations, history, problems).of(guarantee);
    }
    violations.stream()
        .limit(MOST_PROBLEMS)
        .forEach(one -> problems.add(one.rule() + ": " + one.message()));
    if (violations.size() > MOST_PROBLEMS) {
      problems.add("further violations by streams: " + (violations.size() - MOST_PROBLEMS));
    }
    StreamViolation first = violations.get(0);
    HistoryOperation write = first.operation();
    return new GuaranteeVerdict(
        guarantee,
        GuaranteeVerdict.VIOLATED,
        first.key(),
        write == null ? null : history.line(write),
        write,
        write == null ? List.of() : GuaranteeVerdict.before(history, write),
        first.message());
  }

  /** Whether each change could be read when it was shown. */
  private static GuaranteeVerdict readable(
      GuaranteeVerdict ofOperations, OperationHistory history, List<String> problems) {
    OperationHistory bounded = StreamChecker.bounded(history);
    if (bounded.operations().equals(history.operations())) {
      return ofOperations;
    }
    GuaranteeVerdict verdict = GuaranteeVerdict.linearizable(bounded);
    if (verdict.verdict().equals(GuaranteeVerdict.VIOLATED)) {
      problems.add(
          "a change was shown before a read could return it; its write is drawn as ending when the"
              + " change was received; key="
              + verdict.key());
    }
    return verdict;
  }
}

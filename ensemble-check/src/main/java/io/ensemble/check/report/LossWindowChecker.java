package io.ensemble.check.report;

import io.ensemble.InDoubtWrites.Fate;
import io.ensemble.check.process.CommandException;
import io.ensemble.check.process.ExitCode;
import io.ensemble.check.registers.ClientProcesses;
import io.ensemble.check.report.WindowLine.AcknowledgedWrite;
import io.ensemble.stamp.Stamp;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.OperationHistory;
import io.ensemble.testkit.losses.FailoverLosses;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Judges a cache whose primary alone acknowledges by its bound. The history must be linearizable
 * per key, where a fail-over may drop writes that their process has reported and writes of unknown
 * outcome, and no others. There must be at most one window of reports for each process and epoch.
 */
public final class LossWindowChecker {
  private static final Set<String> READS = Set.of("read", "contains");
  private static final Set<String> REMOVALS = Set.of("delete", "get_and_remove", "remove_if");

  /** Identifies an operation: a client has one at a time. */
  private record CallId(long client, long callNanos) {}

  private final FailoverLosses losses;
  private final OperationHistory history;

  /**
   * @param lines all notes, including the bounds
   * @throws CommandException if the bounds are missing
   */
  public LossWindowChecker(OperationHistory history, List<WindowLine> lines) {
    this.history = history;
    WindowLine.Bounds bounds =
        lines.stream()
            .map(WindowLine::bounds)
            .filter(Objects::nonNull)
            .findFirst()
            .orElseThrow(
                () ->
                    new CommandException(
                        ExitCode.USAGE, "the notes of the history contain no line with bounds"));
    losses = new FailoverLosses(bounds.writes(), bounds.longestNanos());
    for (WindowLine line : lines) {
      WindowLine.Epoch epoch = line.epoch();
      if (epoch != null) {
        losses.seen(epoch.number(), epoch.beforeNanos(), epoch.nowNanos());
      }
    }
    Map<CallId, Stamp> stamps = new HashMap<>();
    for (WindowLine line : lines) {
      AcknowledgedWrite done = line.done();
      if (done != null) {
        stamps.put(new CallId(done.client(), done.callNanos()), done.place().stamp());
      }
    }
    history.operations().forEach(operation -> add(operation, stamps));
    lines.stream()
        .map(WindowLine::report)
        .filter(Objects::nonNull)
        .sorted(Comparator.comparingLong(WindowLine.Report::atNanos))
        .forEach(
            report -> losses.report(report.process(), report.toInDoubtWrites(), report.atNanos()));
  }

  /** Adds a write that was acknowledged and changed its key, or whose outcome is unknown. */
  private void add(HistoryOperation operation, Map<CallId, Stamp> stamps) {
    Stamp stamp = stamps.get(new CallId(operation.client(), operation.callNanos()));
    if (READS.contains(operation.op())
        || (stamp == null && operation.outcome() != HistoryOutcome.UNKNOWN)) {
      return;
    }
    FailoverLosses.Write write =
        losses.begin(
            ClientProcesses.process(operation.client()),
            operation.key(),
            written(operation),
            operation.callNanos());
    if (stamp != null) {
      Long returned = operation.returnNanos();
      losses.applied(write, stamp, returned == null ? Long.MAX_VALUE : returned);
    }
  }

  private static @Nullable Long written(HistoryOperation operation) {
    if (REMOVALS.contains(operation.op())) {
      return null;
    }
    return operation.op().equals("cas")
        ? operation.in().get(1).longValue()
        : operation.in().longValue();
  }

  public GuaranteeVerdict finding() {
    GuaranteeVerdict first = null;
    for (OperationHistory one : losses.allowing(history)) {
      GuaranteeVerdict finding = GuaranteeVerdict.linearizable(one).of(guarantee());
      if (finding.verdict().equals(GuaranteeVerdict.HELD)) {
        return finding;
      }
      first = first == null ? finding : first;
    }
    return Objects.requireNonNull(first);
  }

  private String guarantee() {
    return "linearizable per key, but for reported writes; reported: %d, of them kept %d, lost %d, overwritten %d"
        .formatted(
            losses.reported(),
            losses.count(Fate.KEPT),
            losses.count(Fate.LOST),
            losses.count(Fate.OVERWRITTEN));
  }

  /** The errors in the reports. */
  public List<String> problems() {
    return losses.mistakes(history);
  }
}

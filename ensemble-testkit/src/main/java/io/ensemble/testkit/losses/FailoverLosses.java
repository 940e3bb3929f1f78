package io.ensemble.testkit.losses;

import io.ensemble.InDoubtWrites;
import io.ensemble.InDoubtWrites.Fate;
import io.ensemble.WriteOutcome;
import io.ensemble.stamp.Stamp;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.OperationHistory;
import io.ensemble.testkit.linearizability.LinearizabilityChecker;
import io.ensemble.testkit.linearizability.LinearizabilityChecker.Options;
import io.ensemble.testkit.linearizability.LinearizabilityVerdict;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The writes that a fail-over may drop from a cache whose primary alone acknowledges, and a history
 * that allows exactly these losses. For values that are written once. Not thread-safe.
 *
 * <p>At a fail-over a key may go back from its last write to the one before, and so on. It may go
 * back over writes that were reported as in doubt and not as kept, over writes of unknown outcome,
 * and over the last writes of a process that has died: of each key a suffix, of all keys as many as
 * a window holds. Each such step becomes an operation of no client: a write of the former value
 * that may take effect after the fail-over or never. If all those writes were reported with their
 * fates, there is one step, before the last of these reports. The key may also go back over a write
 * that is reported as kept, but is at that write again when the report comes. The key cannot go
 * back over a write that was acknowledged and not reported: when such a write is lost, no order
 * explains the history.
 */
public final class FailoverLosses {

  /** A write as its caller saw it. */
  public static final class Write {
    final int process;
    final @Nullable Long value;
    final long calledNanos;
    @Nullable Stamp stamp;
    long endedNanos;
    private boolean refused;

    private Write(int process, @Nullable Long value, long calledNanos) {
      this.process = process;
      this.value = value;
      this.calledNanos = calledNanos;
    }

    Stamp stamped() {
      return stamp == null ? Stamp.NONE : stamp;
    }

    boolean isUnknown() {
      return stamp == null && !refused;
    }
  }

  /** The end of an epoch, between two moments. */
  record FailoverPeriod(long epoch, long afterNanos, long untilNanos) {}

  final int windowWrites;
  final long longestNanos;
  final Map<String, List<Write>> logs = new HashMap<>();
  private final Map<Stamp, Write> acknowledged = new HashMap<>();
  final Map<Stamp, Fate> fates = new HashMap<>();
  final Map<Stamp, Long> epochs = new HashMap<>();
  final Map<Stamp, Long> reportedAtNanos = new HashMap<>();
  private final Map<Stamp, Long> lostAtNanos = new HashMap<>();
  private final Map<String, Integer> reported = new HashMap<>();
  private final Map<Integer, Integer> inDoubt = new HashMap<>();
  final List<FailoverPeriod> failOvers = new ArrayList<>();
  final NavigableMap<Long, Long> beginnings = new TreeMap<>();
  final NavigableMap<Long, Long> wholeAtNanos = new TreeMap<>();
  final Set<Integer> dead = new HashSet<>();
  private final List<String> mistakes = new ArrayList<>();
  private long epoch = 1;

  /**
   * @param windowWrites the maximum number of writes that a process may have in doubt, or leave
   *     when it dies
   * @param longestNanos the maximum time for which a write of unknown outcome may have been under
   *     way together with others of its process; 0 where each process has one operation at a time
   */
  public FailoverLosses(int windowWrites, long longestNanos) {
    this.windowWrites = windowWrites;
    this.longestNanos = longestNanos;
  }

  /** A process begins a write of {@code value}, null for a removal. */
  public Write begin(int process, String key, @Nullable Long value, long nowNanos) {
    Write written = new Write(process, value, nowNanos);
    logs.computeIfAbsent(key, name -> new ArrayList<>()).add(written);
    return written;
  }

  /** The write was acknowledged, and changed the key. */
  public void applied(Write write, Stamp stamp, long nowNanos) {
    write.stamp = stamp;
    write.endedNanos = nowNanos;
    acknowledged.put(stamp, write);
  }

  /**
   * The write ended with this outcome.
   *
   * @param outcome null if it failed with an exception that means that it had no effect
   */
  public void ended(Write write, @Nullable WriteOutcome<?> outcome, long nowNanos) {
    if (outcome instanceof WriteOutcome.Applied<?> done && done.wrote()) {
      applied(write, done.stamp(), nowNanos);
    } else if (!(outcome instanceof WriteOutcome.Unknown)) {
      refused(write);
    }
  }

  /** The write had no effect. */
  public void refused(Write write) {
    write.refused = true;
  }

  /** Epoch {@code now} was seen at {@code nowNanos}, and not yet at {@code beforeNanos}. */
  public void seen(long now, long beforeNanos, long nowNanos) {
    for (; epoch < now; epoch++) {
      failOvers.add(new FailoverPeriod(epoch, beforeNanos, nowNanos));
    }
  }

  /**
   * {@code now} is active, and was not at the previous call. Until then processes used the epochs
   * before, even after the record of the next epoch was written.
   */
  public void active(long now, long nowNanos) {
    beginnings.putIfAbsent(now, nowNanos);
  }

  /** {@code now} is whole: a write that was absent in an earlier epoch, and still is, is lost. */
  public void whole(long now, long nowNanos) {
    wholeAtNanos.putIfAbsent(now, nowNanos);
  }

  /** A process will report no more. */
  public void died(int process) {
    dead.add(process);
  }

  /** Records the report of a process. */
  public void report(int process, InDoubtWrites<?> report, long nowNanos) {
    for (InDoubtWrites.Write<?> write : report.writes()) {
      Fate before = fates.put(write.stamp(), report.fate());
      epochs.put(write.stamp(), report.epoch());
      boolean first = report.fate() == Fate.UNKNOWN;
      if (first ? before != null : before != Fate.UNKNOWN) {
        mistakes.add("reported as %s after %s: %s".formatted(report.fate(), before, write));
      }
      if (report.fate() != Fate.UNKNOWN) {
        reportedAtNanos.put(write.stamp(), nowNanos);
      }
      if (report.fate() == Fate.LOST) {
        lostAtNanos.put(write.stamp(), nowNanos);
      }
    }
    int size = report.writes().size();
    boolean more = report.fate() == Fate.UNKNOWN;
    checkBound(inDoubt.merge(process, more ? size : -size, Integer::sum), process + " at once");
    if (more) {
      String owner = process + " in epoch " + report.epoch();
      checkBound(reported.merge(owner, size, Integer::sum), owner);
    }
  }

  private void checkBound(int all, String owner) {
    if (all > windowWrites) {
      mistakes.add("%d writes of %s in doubt, over %d".formatted(all, owner, windowWrites));
    }
  }

  /**
   * The history, followed by the possible effects of fail-overs, for each way in which they may
   * have happened. The history is correct when one of the results is.
   */
  public List<OperationHistory> allowing(OperationHistory history) {
    return new FailoverEffects(this).allowing(history);
  }

  /** Whether the history, with the possible effects of fail-overs, has an order for each key. */
  public LinearizabilityVerdict judge(OperationHistory history) {
    LinearizabilityVerdict first = null;
    for (OperationHistory one : allowing(history)) {
      LinearizabilityVerdict verdict = LinearizabilityChecker.check(one, Options.registers());
      if (verdict.isLinearizable()) {
        return verdict;
      }
      first = first == null ? verdict : first;
    }
    return Objects.requireNonNull(first);
  }

  /** The errors in the reports. */
  public List<String> mistakes(OperationHistory history) {
    List<String> all = new ArrayList<>(mistakes);
    fates.forEach(
        (stamp, fate) -> {
          if (!acknowledged.containsKey(stamp)) {
            all.add("reported, but the write was not acknowledged: " + stamp);
          }
        });
    lostAtNanos.forEach(
        (stamp, nanos) -> {
          Write write = acknowledged.get(stamp);
          Long value = write == null ? null : write.value;
          for (HistoryOperation read : history.operations()) {
            if (value != null && isReadOf(read, value, nanos)) {
              all.add("reported as lost, and read after that: " + read.describe());
            }
          }
        });
    return all;
  }

  private static boolean isReadOf(HistoryOperation operation, long value, long afterNanos) {
    return operation.outcome() == HistoryOutcome.OK
        && operation.callNanos() > afterNanos
        && operation.op().equals("read")
        && operation.out().isNumber()
        && operation.out().longValue() == value;
  }

  /** The number of writes whose last reported fate is {@code fate}. */
  public int count(Fate fate) {
    return (int) fates.values().stream().filter(fate::equals).count();
  }

  /** The number of reported writes. */
  public int reported() {
    return fates.size();
  }

  /** Writes of living processes whose fate was not reported. */
  public List<Stamp> unsettled() {
    return fates.entrySet().stream()
        .filter(one -> one.getValue() == Fate.UNKNOWN)
        .map(Map.Entry::getKey)
        .filter(
            stamp -> {
              Write write = acknowledged.get(stamp);
              return write == null || !dead.contains(write.process);
            })
        .toList();
  }
}

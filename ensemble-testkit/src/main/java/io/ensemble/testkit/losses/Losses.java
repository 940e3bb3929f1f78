package io.ensemble.testkit.losses;

import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.NullNode;
import io.ensemble.DoubtfulWrites;
import io.ensemble.DoubtfulWrites.Fate;
import io.ensemble.stamp.Stamp;
import io.ensemble.testkit.history.History;
import io.ensemble.testkit.history.LinearizabilityChecker;
import io.ensemble.testkit.history.LinearizabilityChecker.Options;
import io.ensemble.testkit.history.Operation;
import io.ensemble.testkit.history.Outcome;
import io.ensemble.testkit.history.Verdict;
import java.util.ArrayList;
import java.util.Comparator;
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
 * What a fail-over may drop from a cache whose primary alone acknowledges, and a history in which
 * that, and nothing else, may happen. For values that are written once. Not thread-safe.
 *
 * <p>At a fail-over a key may go back from its last write to the one before, and so on, over writes
 * that were reported as doubtful and not as kept, writes whose outcome is unknown, and the last
 * ones of a process that has died: of each key a suffix, of all keys as many as a window holds.
 * Each such step becomes an operation of nobody, a write of the former value that may take effect
 * after the fail-over or never. A write that was acknowledged and is reported as kept, or not at
 * all, cannot be stepped over: when it is lost, no order explains the history.
 */
public final class Losses {

  /** A write as its caller saw it. */
  public static final class Write {
    private final int process;
    private final @Nullable Long value;
    private final long calledNanos;
    private @Nullable Stamp stamp;
    private boolean refused;

    private Write(int process, @Nullable Long value, long calledNanos) {
      this.process = process;
      this.value = value;
      this.calledNanos = calledNanos;
    }

    private Stamp stamped() {
      return stamp == null ? Stamp.NONE : stamp;
    }

    private boolean isUnknown() {
      return stamp == null && !refused;
    }
  }

  /** The end of an epoch, between two moments. */
  private record FailOver(long epoch, long afterNanos, long untilNanos) {}

  private final int windowWrites;
  private final long longestNanos;
  private final Map<String, List<Write>> logs = new HashMap<>();
  private final Map<Stamp, Write> acknowledged = new HashMap<>();
  private final Map<Stamp, Fate> fates = new HashMap<>();
  private final Map<Stamp, Long> epochs = new HashMap<>();
  private final Map<Stamp, Long> lostAtNanos = new HashMap<>();
  private final Map<String, Integer> reported = new HashMap<>();
  private final List<FailOver> failOvers = new ArrayList<>();
  private final NavigableMap<Long, Long> beginnings = new TreeMap<>();
  private final Set<Integer> dead = new HashSet<>();
  private final List<String> mistakes = new ArrayList<>();
  private long epoch = 1;

  /**
   * @param windowWrites how many writes a process may have in doubt, or leave when it dies
   * @param longestNanos how long a write of unknown outcome may have been under way beside others
   *     of its process; 0 where each process has one operation at a time
   */
  public Losses(int windowWrites, long longestNanos) {
    this.windowWrites = windowWrites;
    this.longestNanos = longestNanos;
  }

  /** A process begins a write of {@code value}, null for a removal. */
  public Write begin(int process, String key, @Nullable Long value, long nowNanos) {
    Write written = new Write(process, value, nowNanos);
    logs.computeIfAbsent(key, name -> new ArrayList<>()).add(written);
    return written;
  }

  /** It was acknowledged, and changed the key. */
  public void applied(Write write, Stamp stamp) {
    write.stamp = stamp;
    acknowledged.put(stamp, write);
  }

  /** It did nothing. */
  public void refused(Write write) {
    write.refused = true;
  }

  /** An epoch is there, at {@code nowNanos}, that was not at {@code beforeNanos}. */
  public void seen(long now, long beforeNanos, long nowNanos) {
    for (; epoch < now; epoch++) {
      failOvers.add(new FailOver(epoch, beforeNanos, nowNanos));
    }
  }

  /**
   * {@code now} is active, and was not when this was told last: until then processes went by the
   * epochs before, also after the record of the next one was there.
   */
  public void active(long now, long nowNanos) {
    beginnings.putIfAbsent(now, nowNanos);
  }

  /** Until when a write may have been begun and acknowledged in the epoch that ended. */
  private long lastCallNanos(FailOver failOver) {
    Map.Entry<Long, Long> next = beginnings.higherEntry(failOver.epoch);
    return next == null ? failOver.afterNanos : Math.max(next.getValue(), failOver.afterNanos);
  }

  /** A process will report no more. */
  public void died(int process) {
    dead.add(process);
  }

  /** What a process reports. */
  public void report(int process, DoubtfulWrites<?> report, long nowNanos) {
    for (DoubtfulWrites.Write<?> write : report.writes()) {
      Fate before = fates.put(write.stamp(), report.fate());
      epochs.put(write.stamp(), report.epoch());
      boolean first = report.fate() == Fate.UNKNOWN;
      if (first ? before != null : before != Fate.UNKNOWN) {
        mistakes.add("reported as %s after %s: %s".formatted(report.fate(), before, write));
      }
      if (report.fate() == Fate.LOST) {
        lostAtNanos.put(write.stamp(), nowNanos);
      }
    }
    if (report.fate() == Fate.UNKNOWN) {
      String which = process + " in epoch " + report.epoch();
      int all = reported.merge(which, report.writes().size(), Integer::sum);
      if (all > windowWrites) {
        mistakes.add("%d writes of %s in doubt, over %d".formatted(all, which, windowWrites));
      }
    }
  }

  /**
   * The history, and after it what a fail-over may have done. As many as there are ways in which a
   * process that died may have left its window: the history is right when one of them is.
   */
  public List<History> allowing(History history) {
    return leftByTheDead().stream().map(dying -> allowing(history, dying)).toList();
  }

  private History allowing(History history, Set<Write> dying) {
    List<Operation> all = new ArrayList<>(history.operations());
    long client = all.stream().mapToLong(Operation::client).max().orElse(0);
    for (Map.Entry<String, List<Write>> log : logs.entrySet()) {
      for (FailOver failOver : failOvers) {
        for (Operation step : steps(log.getKey(), log.getValue(), failOver, dying, client)) {
          all.add(step);
          client++;
        }
      }
    }
    return new History(all);
  }

  /** The values to which a fail-over may take a key back. */
  private List<Operation> steps(
      String key, List<Write> log, FailOver failOver, Set<Write> dying, long lastClient) {
    List<Write> until = until(log, failOver, dying);
    long lastCall = Math.max(failOver.untilNanos, lastCallNanos(failOver));
    int kept = until.size();
    while (kept > 0 && mayBeLost(until.get(kept - 1), dying)) {
      kept--;
    }
    Write base = kept == 0 ? null : until.get(kept - 1);
    List<Write> dropped = until.subList(kept, until.size());
    List<Write> unknown =
        log.stream()
            .filter(write -> write.isUnknown() && write.calledNanos <= lastCall)
            .filter(write -> base == null || write.calledNanos + longestNanos >= base.calledNanos)
            .toList();
    List<@Nullable Write> former = new ArrayList<>();
    if (!dropped.isEmpty() || !unknown.isEmpty()) {
      former.add(base);
      former.addAll(unknown.isEmpty() ? dropped.subList(0, dropped.size() - 1) : dropped);
      if (!dropped.isEmpty() || unknown.size() > 1) {
        former.addAll(unknown);
      }
    }
    List<Operation> steps = new ArrayList<>();
    for (Write to : former) {
      Long value = to == null ? null : to.value;
      steps.add(
          new Operation(
              lastClient + 1 + steps.size(),
              key,
              value == null ? "delete" : "write",
              null,
              value == null ? NullNode.instance : LongNode.valueOf(value),
              NullNode.instance,
              to == null ? failOver.afterNanos : Math.max(failOver.afterNanos, to.calledNanos),
              null,
              Outcome.UNKNOWN));
    }
    return steps;
  }

  /** The acknowledged writes of the epochs before, in the order in which the primary took them. */
  private List<Write> until(List<Write> log, FailOver failOver, Set<Write> dying) {
    List<Write> all = acknowledged(log);
    int size = all.size();
    while (size > 0 && !isReportedIn(failOver.epoch, all.get(size - 1))) {
      size--;
    }
    if (size > 0) {
      return all.subList(0, size); // What is not reported, and after what is, is of a later epoch.
    }
    size = all.size();
    while (size > 0 && isLater(all.get(size - 1), failOver, dying)) {
      size--;
    }
    return all.subList(0, size);
  }

  /** What a process that died wrote before the next epoch was active is of the one before. */
  private boolean isLater(Write write, FailOver failOver, Set<Write> dying) {
    long last = dying.contains(write) ? lastCallNanos(failOver) : failOver.afterNanos;
    return write.calledNanos > last;
  }

  private boolean isReportedIn(long ended, Write write) {
    Long of = epochs.get(write.stamped());
    return of != null && of == ended;
  }

  private boolean mayBeLost(Write write, Set<Write> dying) {
    Fate fate = fates.get(write.stamped());
    return fate != Fate.KEPT && (fate != null || dying.contains(write));
  }

  /** What the dead may have left in their windows: one of these. */
  private List<Set<Write>> leftByTheDead() {
    List<Set<Write>> ways = List.of(Set.of());
    for (int process : dead) {
      List<List<Write>> own =
          logs.values().stream()
              .map(log -> acknowledged(log).stream().filter(w -> w.process == process).toList())
              .toList();
      List<List<Write>> suffixes = Suffixes.of(own, windowWrites);
      ways =
          ways.stream()
              .flatMap(
                  way ->
                      suffixes.stream()
                          .map(
                              suffix -> {
                                Set<Write> both = new HashSet<>(way);
                                both.addAll(suffix);
                                return both;
                              }))
              .toList();
    }
    return ways;
  }

  private static List<Write> acknowledged(List<Write> log) {
    return log.stream()
        .filter(write -> write.stamp != null)
        .sorted(Comparator.comparing(Write::stamped))
        .toList();
  }

  /** Whether the history, with what a fail-over may have done, has an order for each key. */
  public Verdict judge(History history) {
    Verdict first = null;
    for (History one : allowing(history)) {
      Verdict verdict = LinearizabilityChecker.check(one, Options.registers());
      if (verdict.isLinearizable()) {
        return verdict;
      }
      first = first == null ? verdict : first;
    }
    return Objects.requireNonNull(first);
  }

  /** What is wrong with the reports. */
  public List<String> mistakes(History history) {
    List<String> all = new ArrayList<>(mistakes);
    fates.forEach(
        (stamp, fate) -> {
          if (!acknowledged.containsKey(stamp)) {
            all.add("nobody was told that this write was done: " + stamp);
          }
        });
    lostAtNanos.forEach(
        (stamp, nanos) -> {
          Write write = acknowledged.get(stamp);
          Long value = write == null ? null : write.value;
          for (Operation read : history.operations()) {
            if (value != null && isReadOf(read, value, nanos)) {
              all.add("reported as lost, and read after that: " + read.describe());
            }
          }
        });
    return all;
  }

  private static boolean isReadOf(Operation operation, long value, long afterNanos) {
    return operation.outcome() == Outcome.OK
        && operation.callNanos() > afterNanos
        && operation.op().equals("read")
        && operation.out().isNumber()
        && operation.out().longValue() == value;
  }

  /** How many writes were reported with that fate last. */
  public int count(Fate fate) {
    return (int) fates.values().stream().filter(fate::equals).count();
  }

  /** How many writes were reported. */
  public int reported() {
    return fates.size();
  }

  /** Writes of living processes whose fate was not told. */
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

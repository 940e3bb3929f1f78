package io.ensemble.testkit.losses;

import io.ensemble.InDoubtWrites.Fate;
import io.ensemble.testkit.history.OperationHistory;
import io.ensemble.testkit.linearizability.LinearizabilityChecker;
import io.ensemble.testkit.linearizability.LinearizabilityChecker.Options;
import io.ensemble.testkit.losses.FailoverLosses.FailoverPeriod;
import io.ensemble.testkit.losses.FailoverLosses.Write;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The possible effects on a history of the fail-overs that {@link FailoverLosses} has recorded.
 *
 * <p>A fail-over permanently drops the last writes of a key. Each of these was reported and not as
 * kept, or has an unknown outcome, or may be from a process that died. A write that is reported as
 * kept may have been absent until that report, with all writes before it: if a process of a new
 * epoch finds no write, it leaves none. An earlier value that it finds is recovered, and the write
 * is then lost. The same holds for a write of a process that died, until a later epoch is whole;
 * without a living writer, none ever is.
 */
final class FailoverEffects {

  /**
   * Above this number of ways for one key, the model is looser: a write that ended in time may take
   * effect at any time, and a write that was kept was never absent.
   */
  private static final int MOST_WAYS = 4_096;

  /** Later than every operation. */
  private static final long NEVER = Long.MAX_VALUE;

  private static final Consumer<SyntheticOperations> NOTHING = later -> {};

  private final FailoverLosses losses;

  FailoverEffects(FailoverLosses losses) {
    this.losses = losses;
  }

  /**
   * The latest time at which a write of the epoch that ended may have been begun and acknowledged.
   */
  private long lastCallNanos(FailoverPeriod failOver) {
    Map.Entry<Long, Long> next = losses.beginnings.higherEntry(failOver.epoch());
    return next == null ? failOver.afterNanos() : Math.max(next.getValue(), failOver.afterNanos());
  }

  /**
   * The history, followed by the possible effects, for each way in which the dead processes died.
   */
  List<OperationHistory> allowing(OperationHistory history) {
    return writesOfDeadProcesses().stream().map(dying -> allowing(history, dying)).toList();
  }

  private OperationHistory allowing(OperationHistory history, Set<Write> dying) {
    SyntheticOperations later = new SyntheticOperations(history);
    losses.logs.forEach(
        (key, log) -> firstExplanation(key, log, history, dying).forEach(one -> one.accept(later)));
    return later.history();
  }

  /** The first way that explains the history of one key, if there is one. */
  private List<Consumer<SyntheticOperations>> firstExplanation(
      String key, List<Write> log, OperationHistory history, Set<Write> dying) {
    List<List<Consumer<SyntheticOperations>>> ways = effectAlternatives(key, log, dying);
    if (ways.size() == 1) {
      return ways.get(0);
    }
    OperationHistory own =
        new OperationHistory(
            history.operations().stream().filter(one -> one.key().equals(key)).toList());
    return ways.stream()
        .filter(alternative -> explains(own, alternative))
        .findFirst()
        .orElse(ways.get(0));
  }

  private static boolean explains(
      OperationHistory history, List<Consumer<SyntheticOperations>> alternative) {
    SyntheticOperations later = new SyntheticOperations(history);
    alternative.forEach(one -> one.accept(later));
    return LinearizabilityChecker.check(later.history(), Options.registers()).isLinearizable();
  }

  /** The possible effects of fail-overs on a key, each in one of its possible ways. */
  private List<List<Consumer<SyntheticOperations>>> effectAlternatives(
      String key, List<Write> log, Set<Write> dying) {
    List<List<Consumer<SyntheticOperations>>> ways = List.of(List.of());
    for (FailoverPeriod failOver : losses.failOvers) {
      List<List<Consumer<SyntheticOperations>>> before = ways;
      ways =
          acknowledgedBefore(log, failOver, dying).stream()
              .flatMap(
                  until -> effectAlternatives(before, key, log, failOver, until, dying).stream())
              .distinct()
              .limit(MOST_WAYS)
              .toList();
    }
    return ways;
  }

  /** The same for one fail-over, where {@code until} are the writes of the epochs before. */
  private List<List<Consumer<SyntheticOperations>>> effectAlternatives(
      List<List<Consumer<SyntheticOperations>>> before,
      String key,
      List<Write> log,
      FailoverPeriod failOver,
      List<Write> until,
      Set<Write> dying) {
    List<List<Consumer<SyntheticOperations>>> ways = before;
    List<Consumer<SyntheticOperations>> absences = absences(key, failOver, until, dying);
    if (!absences.isEmpty() && (1 + absences.size()) * ways.size() <= MOST_WAYS) {
      absences.add(0, NOTHING);
      ways = product(ways, absences);
    }
    List<@Nullable Write> former = resetTargets(log, failOver, until, dying);
    long reportNanos = reportedAtNanos(log, failOver, until, dying);
    if (former.isEmpty()) {
      return ways;
    }
    if (reportNanos == NEVER || ways.size() * (1 + former.size()) > MOST_WAYS) {
      return product(
          ways, List.of(later -> former.forEach(to -> addPossibleReset(later, key, failOver, to))));
    }
    List<Consumer<SyntheticOperations>> one = new ArrayList<>(List.of(NOTHING));
    former.stream()
        .filter(to -> from(failOver, to) <= reportNanos)
        .forEach(
            to ->
                one.add(
                    later -> later.addCertain(key, value(to), from(failOver, to), reportNanos)));
    return product(ways, one);
  }

  private static List<List<Consumer<SyntheticOperations>>> product(
      List<List<Consumer<SyntheticOperations>>> ways,
      List<Consumer<SyntheticOperations>> alternatives) {
    return alternatives.stream()
        .flatMap(
            next ->
                ways.stream()
                    .map(
                        alternative ->
                            Stream.concat(alternative.stream(), Stream.of(next)).toList()))
        .toList();
  }

  private static void addPossibleReset(
      SyntheticOperations later, String key, FailoverPeriod failOver, @Nullable Write to) {
    later.addPossible(key, value(to), from(failOver, to));
  }

  private static @Nullable Long value(@Nullable Write to) {
    return to == null ? null : to.value;
  }

  private static long from(FailoverPeriod failOver, @Nullable Write to) {
    return to == null ? failOver.afterNanos() : Math.max(failOver.afterNanos(), to.calledNanos);
  }

  /**
   * The time at which the fates of all writes that the fail-over may have dropped were reported, so
   * that its effect was over. Never for writes of unknown outcome, or of dead processes.
   */
  private long reportedAtNanos(
      List<Write> log, FailoverPeriod failOver, List<Write> until, Set<Write> dying) {
    int kept = countKept(until, dying);
    if (!unknown(log, failOver, kept == 0 ? null : until.get(kept - 1)).isEmpty()) {
      return NEVER;
    }
    return until.subList(kept, until.size()).stream()
        .mapToLong(write -> losses.reportedAtNanos.getOrDefault(write.stamped(), NEVER))
        .max()
        .orElse(Long.MIN_VALUE);
  }

  /**
   * A write may have been absent for a while if none before it is certain. A write that was kept in
   * the end may have been absent until that report. A write of a process that died may have been
   * absent until a later epoch was whole.
   */
  private List<Consumer<SyntheticOperations>> absences(
      String key, FailoverPeriod failOver, List<Write> until, Set<Write> dying) {
    List<Consumer<SyntheticOperations>> absences = new ArrayList<>();
    long from = failOver.afterNanos();
    for (int i = 0; i < until.size(); i++) {
      Write write = until.get(i);
      Long value = write.value;
      OptionalLong back = presentAgainAtNanos(failOver, write, dying);
      if (value != null && back.isPresent() && back.getAsLong() >= from) {
        absences.add(
            later -> {
              later.addCertain(key, value, null, from, back.getAsLong());
              later.addCertain(key, null, value, from, back.getAsLong());
            });
      }
      if (!isDoubtful(write, dying)) {
        return absences;
      }
    }
    return absences;
  }

  /** The latest time at which an absent write is there again; empty if it never was absent. */
  private OptionalLong presentAgainAtNanos(FailoverPeriod failOver, Write write, Set<Write> dying) {
    Long reportNanos = losses.reportedAtNanos.get(write.stamped());
    if (losses.fates.get(write.stamped()) == Fate.KEPT && reportNanos != null) {
      return isReportedIn(failOver.epoch(), write)
          ? OptionalLong.of(reportNanos)
          : OptionalLong.empty();
    }
    if (!dying.contains(write)) {
      return OptionalLong.empty();
    }
    Map.Entry<Long, Long> whole = losses.wholeAtNanos.higherEntry(failOver.epoch());
    return OptionalLong.of(whole == null ? NEVER : whole.getValue());
  }

  private boolean isDoubtful(Write write, Set<Write> dying) {
    return losses.fates.containsKey(write.stamped()) || dying.contains(write);
  }

  /**
   * The number of writes of {@code until}, from the first on, that a fail-over cannot have dropped
   * permanently.
   */
  private int countKept(List<Write> until, Set<Write> dying) {
    int kept = until.size();
    while (kept > 0 && mayBeLost(until.get(kept - 1), dying)) {
      kept--;
    }
    return kept;
  }

  /** The writes to which a fail-over may reset a key; null means before the first. */
  private List<@Nullable Write> resetTargets(
      List<Write> log, FailoverPeriod failOver, List<Write> until, Set<Write> dying) {
    int kept = countKept(until, dying);
    Write base = kept == 0 ? null : until.get(kept - 1);
    List<Write> dropped = until.subList(kept, until.size());
    List<Write> unknown = unknown(log, failOver, base);
    List<@Nullable Write> former = new ArrayList<>();
    if (!dropped.isEmpty() || !unknown.isEmpty()) {
      former.add(base);
      former.addAll(unknown.isEmpty() ? dropped.subList(0, dropped.size() - 1) : dropped);
      if (!dropped.isEmpty() || unknown.size() > 1) {
        former.addAll(unknown);
      }
    }
    return former;
  }

  private List<Write> unknown(List<Write> log, FailoverPeriod failOver, @Nullable Write base) {
    long lastCall = Math.max(failOver.untilNanos(), lastCallNanos(failOver));
    return log.stream()
        .filter(write -> write.isUnknown() && write.calledNanos <= lastCall)
        .filter(
            write -> base == null || write.calledNanos + losses.longestNanos >= base.calledNanos)
        .toList();
  }

  /**
   * The acknowledged writes of the epochs before, in the order in which the primary performed them.
   * There are several results if writes were under way while the epoch ended, because they may
   * belong to either epoch.
   */
  private List<List<Write>> acknowledgedBefore(
      List<Write> log, FailoverPeriod failOver, Set<Write> dying) {
    List<Write> all = acknowledged(log);
    int size = all.size();
    while (size > 0 && !isReportedIn(failOver.epoch(), all.get(size - 1))) {
      size--;
    }
    if (size > 0) { // An unreported write after a reported one is of a later epoch.
      return List.of(all.subList(0, size));
    }
    size = all.size();
    while (size > 0 && isLater(all.get(size - 1), failOver, dying)) {
      size--;
    }
    List<List<Write>> untils = new ArrayList<>(List.of(all.subList(0, size)));
    while (size > 0 && all.get(size - 1).endedNanos > failOver.afterNanos()) {
      size--;
      untils.add(all.subList(0, size));
    }
    return untils;
  }

  /**
   * A write of a process that died, made before the next epoch was active, belongs to the epoch
   * before.
   */
  private boolean isLater(Write write, FailoverPeriod failOver, Set<Write> dying) {
    long last = dying.contains(write) ? lastCallNanos(failOver) : failOver.afterNanos();
    return write.calledNanos > last;
  }

  private boolean isReportedIn(long ended, Write write) {
    Long of = losses.epochs.get(write.stamped());
    return of != null && of == ended;
  }

  private boolean mayBeLost(Write write, Set<Write> dying) {
    Fate fate = losses.fates.get(write.stamped());
    return fate != Fate.KEPT && (fate != null || dying.contains(write));
  }

  /**
   * The possible sets of writes that dead processes left in their windows; one of these is true.
   */
  private List<Set<Write>> writesOfDeadProcesses() {
    List<Set<Write>> ways = List.of(Set.of());
    for (int process : losses.dead) {
      List<List<Write>> own =
          losses.logs.values().stream()
              .map(log -> acknowledged(log).stream().filter(w -> w.process == process).toList())
              .toList();
      List<List<Write>> suffixes = SuffixCombinations.of(own, losses.windowWrites);
      ways =
          ways.stream()
              .flatMap(
                  alternative ->
                      suffixes.stream()
                          .map(
                              suffix -> {
                                Set<Write> both = new HashSet<>(alternative);
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
}

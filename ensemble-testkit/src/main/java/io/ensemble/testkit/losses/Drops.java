package io.ensemble.testkit.losses;

import io.ensemble.DoubtfulWrites.Fate;
import io.ensemble.testkit.history.History;
import io.ensemble.testkit.history.LinearizabilityChecker;
import io.ensemble.testkit.history.LinearizabilityChecker.Options;
import io.ensemble.testkit.losses.Losses.FailOver;
import io.ensemble.testkit.losses.Losses.Write;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the fail-overs that {@link Losses} has noted may have done to a history.
 *
 * <p>They drop the last writes of a key for good, if those were reported and not as kept, or are of
 * unknown outcome, or a process that died may have left them. And a write that is reported as kept
 * may have been away until that report, with all writes before it: who finds nothing in a new epoch
 * leaves nothing there. An earlier value that is found is recovered, and the write is lost then.
 */
final class Drops {

  /** A write before which nothing is sure, and that was not to be seen for a while either. */
  private record Absence(String key, FailOver failOver, Write kept, long untilNanos) {}

  private final Losses losses;

  Drops(Losses losses) {
    this.losses = losses;
  }

  /** Until when a write may have been begun and acknowledged in the epoch that ended. */
  private long lastCallNanos(FailOver failOver) {
    Map.Entry<Long, Long> next = losses.beginnings.higherEntry(failOver.epoch());
    return next == null ? failOver.afterNanos() : Math.max(next.getValue(), failOver.afterNanos());
  }

  /** The history, and after it what may have been done, for each way in which the dead died. */
  List<History> allowing(History history) {
    return leftByTheDead().stream().map(dying -> allowing(history, dying)).toList();
  }

  private History allowing(History history, Set<Write> dying) {
    List<Absence> absences = absences(dying);
    List<Absence> away = new ArrayList<>();
    losses.logs.forEach(
        (key, log) -> {
          List<Absence> own = absences.stream().filter(one -> one.key.equals(key)).toList();
          if (!own.isEmpty()) {
            away.addAll(away(ofKey(key, history), Map.of(key, log), dying, own));
          }
        });
    return allowing(history, losses.logs, dying, away);
  }

  private static History ofKey(String key, History history) {
    return new History(
        history.operations().stream().filter(operation -> operation.key().equals(key)).toList());
  }

  /** Those that explain the history of one key; none where nothing does. */
  private List<Absence> away(
      History history, Map<String, List<Write>> log, Set<Write> dying, List<Absence> absences) {
    return choices(absences).stream()
        .filter(
            choice ->
                LinearizabilityChecker.check(
                        allowing(history, log, dying, choice), Options.registers())
                    .isLinearizable())
        .findFirst()
        .orElse(List.of());
  }

  private History allowing(
      History history, Map<String, List<Write>> logs, Set<Write> dying, List<Absence> absences) {
    Later later = new Later(history);
    logs.forEach(
        (key, log) -> {
          for (FailOver failOver : losses.failOvers) {
            for (Write to : steps(log, failOver, dying)) {
              Long value = to == null ? null : to.value;
              long from =
                  to == null
                      ? failOver.afterNanos()
                      : Math.max(failOver.afterNanos(), to.calledNanos);
              later.maybe(key, value, from);
            }
          }
        });
    for (Absence absence : absences) {
      long from = absence.failOver.afterNanos();
      later.surely(absence.key, absence.kept.value, null, from, absence.untilNanos);
      later.surely(absence.key, null, absence.kept.value, from, absence.untilNanos);
    }
    return later.history();
  }

  /** Ways in which writes of a key that were kept were away meanwhile: none, one, or two. */
  private static List<List<Absence>> choices(List<Absence> all) {
    List<List<Absence>> choices = new ArrayList<>(List.of(List.of()));
    all.forEach(one -> choices.add(List.of(one)));
    for (int i = 0; i < all.size(); i++) {
      for (int j = i + 1; j < all.size(); j++) {
        choices.add(List.of(all.get(i), all.get(j)));
      }
    }
    return choices;
  }

  /** Where writes that were kept in the end may have been away until that was told. */
  private List<Absence> absences(Set<Write> dying) {
    List<Absence> absences = new ArrayList<>();
    losses.logs.forEach(
        (key, log) -> {
          for (FailOver failOver : losses.failOvers) {
            List<Write> until = until(log, failOver, dying);
            int last = kept(until, dying) - 1;
            Write kept = last < 0 ? null : until.get(last);
            Long told = kept == null ? null : losses.keptAtNanos.get(kept.stamped());
            if (kept != null
                && told != null
                && kept.value != null
                && isReportedIn(failOver.epoch(), kept)
                && until.subList(0, last).stream().allMatch(one -> isDoubtful(one, dying))) {
              absences.add(new Absence(key, failOver, kept, told));
            }
          }
        });
    return absences;
  }

  private boolean isDoubtful(Write write, Set<Write> dying) {
    return losses.fates.containsKey(write.stamped()) || dying.contains(write);
  }

  /** How many of {@code until}, from the first on, a fail-over cannot have dropped for good. */
  private int kept(List<Write> until, Set<Write> dying) {
    int kept = until.size();
    while (kept > 0 && mayBeLost(until.get(kept - 1), dying)) {
      kept--;
    }
    return kept;
  }

  /** The writes to which a fail-over may take a key back; null for before the first. */
  private List<@Nullable Write> steps(List<Write> log, FailOver failOver, Set<Write> dying) {
    List<Write> until = until(log, failOver, dying);
    long lastCall = Math.max(failOver.untilNanos(), lastCallNanos(failOver));
    int kept = kept(until, dying);
    Write base = kept == 0 ? null : until.get(kept - 1);
    List<Write> dropped = until.subList(kept, until.size());
    List<Write> unknown =
        log.stream()
            .filter(write -> write.isUnknown() && write.calledNanos <= lastCall)
            .filter(
                write ->
                    base == null || write.calledNanos + losses.longestNanos >= base.calledNanos)
            .toList();
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

  /** The acknowledged writes of the epochs before, in the order in which the primary took them. */
  private List<Write> until(List<Write> log, FailOver failOver, Set<Write> dying) {
    List<Write> all = acknowledged(log);
    int size = all.size();
    while (size > 0 && !isReportedIn(failOver.epoch(), all.get(size - 1))) {
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

  /** What the dead may have left in their windows: one of these. */
  private List<Set<Write>> leftByTheDead() {
    List<Set<Write>> ways = List.of(Set.of());
    for (int process : losses.dead) {
      List<List<Write>> own =
          losses.logs.values().stream()
              .map(log -> acknowledged(log).stream().filter(w -> w.process == process).toList())
              .toList();
      List<List<Write>> suffixes = Suffixes.of(own, losses.windowWrites);
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
}

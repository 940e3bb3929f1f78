package io.ensemble.testkit.losses;

import io.ensemble.DoubtfulWrites.Fate;
import io.ensemble.testkit.history.History;
import io.ensemble.testkit.losses.Losses.FailOver;
import io.ensemble.testkit.losses.Losses.Write;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the fail-overs that {@link Losses} has noted may have done to a history.
 *
 * <p>They drop the last writes of a key for good, if those were reported and not as kept, or are of
 * unknown outcome, or a process that died may have left them. And a write that is reported as kept
 * may have been away until that report.
 */
final class Drops {

  /**
   * A write that was not to be seen for a while.
   *
   * @param former what was to be seen; null for what was before the first write
   */
  private record Absence(
      String key, FailOver failOver, Write kept, @Nullable Write former, long untilNanos) {}

  private final Losses losses;

  Drops(Losses losses) {
    this.losses = losses;
  }

  /** Until when a write may have been begun and acknowledged in the epoch that ended. */
  private long lastCallNanos(FailOver failOver) {
    Map.Entry<Long, Long> next = losses.beginnings.higherEntry(failOver.epoch());
    return next == null ? failOver.afterNanos() : Math.max(next.getValue(), failOver.afterNanos());
  }

  /** The history, and after it what may have been done in each way. */
  List<History> allowing(History history) {
    List<History> ways = new ArrayList<>();
    for (Set<Write> dying : leftByTheDead()) {
      ways.add(allowing(history, dying, List.of()));
    }
    for (Set<Write> dying : leftByTheDead()) {
      for (List<Absence> absences : choices(absences(dying))) {
        ways.add(allowing(history, dying, absences));
      }
    }
    return ways;
  }

  private History allowing(History history, Set<Write> dying, List<Absence> absences) {
    Later later = new Later(history);
    losses.logs.forEach(
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
      Long kept = absence.kept.value;
      Long former = absence.former == null ? null : absence.former.value;
      later.surely(absence.key, kept, former, from, absence.untilNanos);
      later.surely(absence.key, former, kept, from, absence.untilNanos);
    }
    return later.history();
  }

  /** Ways in which writes that were kept were away meanwhile: one of them, or two. */
  private static List<List<Absence>> choices(List<Absence> all) {
    List<List<Absence>> choices = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      choices.add(List.of(all.get(i)));
    }
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
            Long told = last < 0 ? null : losses.keptAtNanos.get(until.get(last).stamped());
            if (told == null || !isReportedIn(failOver.epoch(), until.get(last))) {
              continue;
            }
            Write kept = until.get(last);
            boolean doubtful = true;
            for (int i = last - 1; doubtful; i--) {
              Write former = i < 0 ? null : until.get(i);
              if (!Objects.equals(former == null ? null : former.value, kept.value)) {
                absences.add(new Absence(key, failOver, kept, former, told));
              }
              doubtful = former != null && losses.fates.containsKey(former.stamped());
            }
          }
        });
    return absences;
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

  /**
   * The acknowledged writes of the losses.epochs before, in the order in which the primary took
   * them.
   */
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

  /** What the losses.dead may have left in their windows: one of these. */
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

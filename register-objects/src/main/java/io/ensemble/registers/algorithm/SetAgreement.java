package io.ensemble.registers.algorithm;

import io.ensemble.registers.algorithm.RegisterOperations.NoDecision.TooLate;
import io.ensemble.registers.algorithm.RegisterValue.Bytes;
import io.ensemble.registers.algorithm.RegisterValue.Level;
import io.ensemble.registers.algorithm.RegisterValue.Participant;
import io.ensemble.registers.algorithm.RegisterValue.Ranked;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * (n,k)-set agreement with n-k+x registers: of the values that at most n processes propose, at most
 * k are decided (LEADS D2.6, appendix F, which announces the results; the algorithm is a
 * reconstruction). It is x-obstruction-free: operations end while at most x processes take steps.
 * Returns the {@link Bytes} that were decided, or {@link TooLate}.
 *
 * <p>A process reads all registers until two rounds of reads in a row show the same. Since no two
 * writes are the same, nothing was written between the two.
 *
 * <p>In the repeated form, a process that finds a later instance returns what the writer of the
 * register has decided in its own instance. What earlier instances have left counts as nothing.
 *
 * @param registers how many registers there are
 * @param width x, the greatest number of values that are left in a round
 * @param former the decisions of this process in the instances directly before
 * @param writes the number of writes of this process so far
 * @param last what the last round of reads has shown; null before the first one
 */
record SetAgreement(
    String object,
    int registers,
    int width,
    Participant self,
    long instance,
    List<Bytes> former,
    Bytes proposed,
    long writes,
    @Nullable List<@Nullable Ranked> last,
    Line line)
    implements Frame {

  enum Line {
    BEGIN,
    READ
  }

  private static final Comparator<Ranked> RANK =
      Comparator.comparingLong(Ranked::round)
          .thenComparing(Ranked::level)
          .thenComparing(Ranked::isContested);

  static SetAgreement propose(
      String object,
      int registers,
      int width,
      Participant self,
      long instance,
      List<Bytes> former,
      Bytes proposed) {
    return new SetAgreement(
        object, registers, width, self, instance, former, proposed, 0, null, Line.BEGIN);
  }

  private String register(int index) {
    return object + "/value-" + index;
  }

  SetAgreement with(long writes, @Nullable List<@Nullable Ranked> last, Line line) {
    return new SetAgreement(
        object, registers, width, self, instance, former, proposed, writes, last, line);
  }

  @Override
  public Move resume(@Nullable Object answer) {
    if (line == Line.BEGIN) {
      List<String> names = new ArrayList<>();
      for (int i = 0; i < registers; i++) {
        names.add(register(i));
      }
      return new Move.ReadAll(names, with(writes, last, Line.READ));
    }
    Map<?, ?> cells = (Map<?, ?>) Objects.requireNonNull(answer);
    List<@Nullable Ranked> view = new ArrayList<>();
    for (int i = 0; i < registers; i++) {
      view.add(cells.get(register(i)) instanceof RegisterCell cell ? (Ranked) cell.value() : null);
    }
    return view.equals(last) ? decide(view) : with(writes, view, Line.BEGIN).resume(null);
  }

  private Move decide(List<@Nullable Ranked> view) {
    for (Ranked each : view) {
      if (each != null && each.instance() > instance) {
        return new Move.Return(formerly(each));
      }
    }
    Ranked first = view.get(0);
    if (first != null && first.instance() == instance && areSame(view, first)) {
      if (first.isContested()) {
        return write(0, ranked(first.round() + 1, Level.DOWN, false, first.values()));
      }
      return first.level() == Level.UP
          ? new Move.Return(first.values().get(0))
          : write(0, ranked(first.round() + 1, Level.UP, false, first.values()));
    }
    Ranked next = supremum(view);
    for (int i = 0; i < registers; i++) {
      Ranked there = view.get(i);
      if (there == null || !isSame(there, next)) {
        return next.isContested() ? new Move.Contended(new Writing(this, i, next)) : write(i, next);
      }
    }
    throw new IllegalStateException("all registers have the supremum: " + view);
  }

  /** What the writer of a later instance has decided in this one, if the register still says so. */
  private Object formerly(Ranked later) {
    long at = later.decided().size() - (later.instance() - instance);
    return at < 0 ? new TooLate(later.instance(), later.decided()) : later.decided().get((int) at);
  }

  private static boolean areSame(List<@Nullable Ranked> view, Ranked first) {
    return view.stream().allMatch(each -> each != null && isSame(each, first));
  }

  private static boolean isSame(Ranked one, Ranked other) {
    return one.instance() == other.instance()
        && RANK.compare(one, other) == 0
        && one.values().equals(other.values());
  }

  /**
   * All values of the greatest round in the view, where the own proposal is one of the first round.
   * They are contested if there are more than x, and then one of the greatest level is left.
   */
  private Ranked supremum(List<@Nullable Ranked> view) {
    List<Ranked> all = new ArrayList<>();
    for (Ranked each : view) {
      if (each != null && each.instance() == instance) {
        all.add(each);
      }
    }
    all.add(ranked(1, Level.DOWN, false, List.of(proposed)));
    Ranked greatest = all.stream().max(RANK).orElseThrow();
    List<Ranked> ofRound = all.stream().filter(each -> each.round() == greatest.round()).toList();
    TreeSet<Bytes> values = new TreeSet<>(Comparator.reverseOrder());
    ofRound.forEach(each -> values.addAll(each.values()));
    boolean isContested = values.size() > width || ofRound.stream().anyMatch(Ranked::isContested);
    if (isContested) { // One is left: x processes then begin the next round with at most x values.
      values.clear();
      values.add(
          ofRound.stream()
              .filter(each -> RANK.compare(each, greatest) == 0)
              .map(each -> each.values().get(0))
              .max(Comparator.naturalOrder())
              .orElseThrow());
    }
    return ranked(greatest.round(), greatest.level(), isContested, List.copyOf(values));
  }

  private Ranked ranked(long round, Level level, boolean isContested, List<Bytes> values) {
    return new Ranked(instance, round, level, isContested, values, former, self, writes);
  }

  private Move write(int index, Ranked value) {
    return new Move.Write(
        register(index), new RegisterCell(0, value), with(writes + 1, null, Line.BEGIN));
  }

  /** A write that waits until others may have been let through. */
  record Writing(SetAgreement agreement, int index, Ranked value) implements Frame {
    @Override
    public Move resume(@Nullable Object answer) {
      return agreement.write(index, value);
    }
  }
}

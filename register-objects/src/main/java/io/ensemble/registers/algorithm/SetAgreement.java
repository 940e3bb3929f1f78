package io.ensemble.registers.algorithm;

import io.ensemble.registers.algorithm.RegisterValue.Bytes;
import io.ensemble.registers.algorithm.RegisterValue.Level;
import io.ensemble.registers.algorithm.RegisterValue.Participant;
import io.ensemble.registers.algorithm.RegisterValue.Ranked;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Obstruction-free (n,k)-set agreement with n-k+1 registers: of the values that at most n processes
 * propose, at most k are decided (LEADS D2.6, appendix F, which announces the result; the algorithm
 * is a reconstruction). Returns the {@link Bytes} that were decided.
 *
 * <p>A process reads all registers until two rounds of reads in a row show the same. Since no two
 * writes are the same, nothing was written between the two.
 *
 * @param registers how many registers there are
 * @param writes the number of writes of this process so far
 * @param last what the last round of reads has shown; null before the first one
 */
record SetAgreement(
    String object,
    int registers,
    Participant self,
    Bytes proposed,
    long writes,
    @Nullable List<@Nullable Ranked> last,
    Line line)
    implements Frame {

  enum Line {
    BEGIN,
    READ
  }

  private static final Comparator<Ranked> ORDER =
      Comparator.comparingLong(Ranked::round)
          .thenComparing(Ranked::level)
          .thenComparing(Ranked::isContested)
          .thenComparing(Ranked::value);

  static SetAgreement propose(
      String object, int processes, int values, Participant self, Bytes proposed) {
    return new SetAgreement(object, processes - values + 1, self, proposed, 0, null, Line.BEGIN);
  }

  private String register(int index) {
    return object + "/value-" + index;
  }

  private SetAgreement with(long writes, @Nullable List<@Nullable Ranked> last, Line line) {
    return new SetAgreement(object, registers, self, proposed, writes, last, line);
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
    Ranked first = view.get(0);
    if (first != null && areSame(view, first)) {
      if (first.isContested()) {
        return write(0, ranked(first.round() + 1, Level.DOWN, false, first.value()));
      }
      return first.level() == Level.UP
          ? new Move.Return(first.value())
          : write(0, ranked(first.round() + 1, Level.UP, false, first.value()));
    }
    Ranked next = supremum(view);
    for (int i = 0; i < registers; i++) {
      Ranked there = view.get(i);
      if (there == null || ORDER.compare(there, next) != 0) {
        return next.isContested() ? new Move.Contended(new Writing(this, i, next)) : write(i, next);
      }
    }
    throw new IllegalStateException("all registers have the supremum: " + view);
  }

  private static boolean areSame(List<@Nullable Ranked> view, Ranked first) {
    return view.stream().allMatch(each -> each != null && ORDER.compare(each, first) == 0);
  }

  /** The greatest of the view and the own proposal, contested if its round has another value. */
  private Ranked supremum(List<@Nullable Ranked> view) {
    List<Ranked> all = new ArrayList<>(view.stream().filter(Objects::nonNull).toList());
    all.add(ranked(1, Level.DOWN, false, proposed));
    Ranked greatest = all.stream().max(ORDER).orElseThrow();
    boolean isContested =
        all.stream()
            .filter(each -> each.round() == greatest.round())
            .anyMatch(each -> each.isContested() || !each.value().equals(greatest.value()));
    return ranked(greatest.round(), greatest.level(), isContested, greatest.value());
  }

  private Ranked ranked(long round, Level level, boolean isContested, Bytes value) {
    return new Ranked(round, level, isContested, value, self, writes);
  }

  private Move write(int index, Ranked value) {
    return new Move.Write(
        register(index), new RegisterCell(0, value), with(writes + 1, null, Line.BEGIN));
  }

  /** A write that waits until others may have been let through. */
  private record Writing(SetAgreement agreement, int index, Ranked value) implements Frame {
    @Override
    public Move resume(@Nullable Object answer) {
      return agreement.write(index, value);
    }
  }
}

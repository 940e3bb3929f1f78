package io.ensemble.registers.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.registers.algorithm.InterleavingExplorer.Abstraction;
import io.ensemble.registers.algorithm.InterleavingExplorer.Done;
import io.ensemble.registers.algorithm.InterleavingExplorer.Fault;
import io.ensemble.registers.algorithm.InterleavingExplorer.Local;
import io.ensemble.registers.algorithm.InterleavingExplorer.Reads;
import io.ensemble.registers.algorithm.InterleavingExplorer.Report;
import io.ensemble.registers.algorithm.InterleavingExplorer.Scenario;
import io.ensemble.registers.algorithm.RegisterValue.Bytes;
import io.ensemble.registers.algorithm.RegisterValue.Participant;
import io.ensemble.registers.algorithm.RegisterValue.Ranked;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Set agreement with collects that are single reads, in every interleaving up to a round. */
class SetAgreementTest {

  /**
   * @param inputs the value of each process
   * @param values the most values that are decided
   * @param registers n-k+x, or fewer to plant an error
   * @param instances how many proposals each process makes
   * @param lastRound of each instance; processes that would write later ones stop there
   */
  record Agreement(
      List<Integer> inputs,
      int values,
      int registers,
      int width,
      int instances,
      long lastRound,
      boolean isAbstract)
      implements Scenario {

    @Override
    public int processes() {
      return inputs.size();
    }

    @Override
    public @Nullable Frame next(int process, List<Object> results) {
      if (results.size() == instances) {
        return null;
      }
      List<Bytes> former = results.stream().map(each -> (Bytes) each).toList();
      return SetAgreement.propose(
          "a",
          registers,
          width,
          new Participant(0, process),
          results.size(),
          former,
          value(process, results.size()));
    }

    /** The order of the values changes from one instance to the next. */
    private Bytes value(int process, int instance) {
      int input = inputs.get(process);
      return new Bytes(
          new byte[] {(byte) (instance % 2 == 0 ? input : 100 - input), (byte) instance});
    }

    @Override
    public boolean isBeyond(Move move) {
      return move instanceof Move.Write write
          && ((Ranked) write.cell().value()).round() > lastRound;
    }

    @Override
    public @Nullable String check(List<Done> ended) {
      for (int instance = 0; instance < instances; instance++) {
        Set<Object> decided = new HashSet<>();
        for (Done done : ended) {
          if (done.number() == instance) {
            decided.add(done.result());
          }
        }
        if (decided.size() > values) {
          return decided.size() + " values are decided";
        }
      }
      for (Done done : ended) {
        if (!done.begun().isEmpty()
            && done.begun().stream()
                .filter(id -> id.endsWith("." + done.number()))
                .noneMatch(
                    id ->
                        value(Integer.parseInt(id.substring(0, 1)), done.number())
                            .equals(done.result()))) {
          return "a value that was not proposed";
        }
      }
      return null;
    }

    @Override
    public Abstraction abstraction() {
      return isAbstract ? new WithoutTags(inputs) : Abstraction.NONE;
    }
  }

  /**
   * The number of a write tells only whether a register was written since it was read. So it is
   * left out, and a process keeps what it has read in the last round of reads while that is all
   * present and equal.
   */
  private record WithoutTags(List<Integer> inputs) implements Abstraction {

    private static final Participant ANYBODY = new Participant(0, 0);

    @Override
    public int kind(int process) {
      return inputs.indexOf(inputs.get(process));
    }

    @Override
    public boolean isOrdered() {
      return false;
    }

    @Override
    public List<Done> keep(List<Done> ended) {
      List<Done> kept = new ArrayList<>();
      for (Done done : ended) {
        Done without = new Done(0, done.number(), Set.of(), Set.of(), done.result());
        if (!kept.contains(without)) {
          kept.add(without);
        }
      }
      kept.sort((one, other) -> text(one).compareTo(text(other)));
      return List.copyOf(kept);
    }

    private static String text(Done done) {
      return done.number() + " " + done.result();
    }

    @Override
    public RegisterCell written(RegisterCell cell) {
      Ranked of = (Ranked) cell.value();
      return new RegisterCell(
          0,
          new Ranked(
              of.instance(),
              of.round(),
              of.level(),
              of.isContested(),
              of.values(),
              of.decided(),
              ANYBODY,
              0));
    }

    @Override
    public Local settled(Local local) {
      Execution execution = local.execution();
      if (execution == null || execution.isEnded()) {
        return local;
      }
      if (execution.move() instanceof Move.Write write) {
        Move same =
            new Move.Write(write.register(), written(write.cell()), normal(write.then(), 0));
        return at(local, same, local.read());
      }
      Move.ReadAll reads = (Move.ReadAll) execution.move();
      SetAgreement then = (SetAgreement) reads.then();
      List<@Nullable Ranked> last = then.last();
      SortedMap<String, Object> read = local.read();
      boolean isStale = then.writes() > 0;
      if (read.isEmpty()) {
        last = isStale ? null : last;
        isStale = false;
      }
      for (int i = 0; last != null && i < last.size(); i++) {
        Object seen = read.get("a/value-" + i);
        Object before = last.get(i) == null ? Local.ABSENT : new RegisterCell(0, last.get(i));
        last = seen == null || seen.equals(before) ? last : null;
      }
      if (last == null && isStale) {
        SortedMap<String, Object> useless = new TreeMap<>();
        read.keySet().forEach(register -> useless.put(register, Local.ABSENT));
        read = useless;
      }
      Frame next = normal(then.with(0, last, then.line()), isStale ? 1 : 0);
      return at(local, new Move.ReadAll(reads.registers(), next), read);
    }

    /**
     * @param writes 1 if something was written that is read in this round of reads
     */
    private static Frame normal(Frame frame, long writes) {
      SetAgreement of = (SetAgreement) frame;
      return new SetAgreement(
          of.object(),
          of.registers(),
          of.width(),
          ANYBODY,
          of.instance(),
          of.former(),
          of.proposed(),
          writes,
          of.last(),
          of.line());
    }

    private static Local at(Local local, Move move, SortedMap<String, Object> read) {
      return new Local(
          local.process(), new Execution(List.of(), move), read, local.before(), local.results());
    }

    @Override
    public Local overwritten(Local local, String register) {
      Execution execution = local.execution();
      if (execution == null || !(execution.move() instanceof Move.ReadAll reads)) {
        return local;
      }
      SetAgreement then = (SetAgreement) reads.then();
      SetAgreement next =
          local.read().containsKey(register)
              ? then.with(1, then.last(), then.line())
              : then.with(then.writes(), null, then.line());
      return at(local, new Move.ReadAll(reads.registers(), next), local.read());
    }
  }

  private static final long MOST_STATES = 50_000_000;
  private static final int MOST_STEPS_ALONE = 400;

  /** Processes with different values. */
  private static Agreement agreement(int processes, int values, int registers, long lastRound) {
    List<Integer> inputs = IntStream.range(0, processes).boxed().toList();
    return new Agreement(inputs, values, registers, 1, 1, lastRound, true);
  }

  private static Report explore(Agreement agreement, Reads reads) {
    return new InterleavingExplorer(
            agreement, Fault.NONE, MOST_STATES, MOST_STEPS_ALONE, agreement.width(), reads)
        .run();
  }

  private static void isExhausted(Report report) {
    assertThat(report.violation()).isEmpty();
    assertThat(report.isComplete()).as("%d states", report.states()).isTrue();
  }

  @ParameterizedTest
  @CsvSource("2, 1, 4")
  void atMostSoManyValuesAreDecided(int processes, int values, long lastRound) {
    isExhausted(
        explore(agreement(processes, values, processes - values + 1, lastRound), Reads.LATE));
  }

  @Tag("deep")
  @ParameterizedTest
  @CsvSource({"3, 2, 3", "3, 1, 2"})
  void atMostSoManyValuesAreDecidedInMoreRounds(int processes, int values, long lastRound) {
    isExhausted(
        explore(agreement(processes, values, processes - values + 1, lastRound), Reads.LATE));
  }

  /** Without the reductions, with each order of the reads and with the numbers of the writes. */
  @Test
  void atMostSoManyValuesAreDecidedInEachOrderOfReads() {
    Report report = explore(new Agreement(List.of(0, 1), 1, 2, 1, 1, 1, false), Reads.EACH);

    isExhausted(report);
    assertThat(report.states()).isEqualTo(14_274);
  }

  @Tag("deep")
  @Test
  void atMostSoManyValuesAreDecidedInEachOrderOfReadsInMoreRounds() {
    Report report = explore(new Agreement(List.of(0, 1), 1, 2, 1, 1, 2, false), Reads.EACH);

    isExhausted(report);
    assertThat(report.states()).isEqualTo(206_403);
  }

  @Test
  void equalValuesAreDecided() {
    isExhausted(explore(new Agreement(List.of(0, 0), 1, 2, 1, 1, 4, true), Reads.LATE));
    isExhausted(explore(new Agreement(List.of(0, 1, 1), 2, 2, 1, 1, 1, true), Reads.LATE));
  }

  /** Each runs alone to its end from each state of the first round, in which nothing is decided. */
  @Tag("deep")
  @Test
  void fourProcessesEndAlone() {
    isExhausted(explore(new Agreement(List.of(0, 1, 2, 2), 2, 3, 1, 1, 1, true), Reads.LATE));
  }

  @ParameterizedTest
  @CsvSource({"2, 1, 3", "3, 2, 3"})
  void oneRegisterFewerIsTooFew(int processes, int values, long lastRound) {
    Report report =
        explore(agreement(processes, values, processes - values, lastRound), Reads.LATE);

    assertThat(report.violation()).isPresent();
  }

  // Repeated.

  @ParameterizedTest
  @CsvSource({"2, 2", "3, 2"})
  void atMostSoManyValuesAreDecidedInEachInstance(int instances, long lastRound) {
    isExhausted(
        explore(new Agreement(List.of(0, 1), 1, 2, 1, instances, lastRound, true), Reads.LATE));
  }

  @Tag("deep")
  @Test
  void threeProcessesDecideInEachInstance() {
    isExhausted(explore(new Agreement(List.of(0, 1, 2), 2, 2, 1, 2, 2, true), Reads.LATE));
  }

  @Test
  void oneRegisterFewerIsTooFewForASecondInstance() {
    Report report = explore(new Agreement(List.of(0, 1), 1, 1, 1, 2, 2, true), Reads.LATE);

    assertThat(report.violation()).hasValueSatisfying(it -> assertThat(it).contains("instance=1"));
  }

  // Two processes that take steps at the same time.

  @Test
  void twoProcessesEndTogether() {
    isExhausted(explore(new Agreement(List.of(0, 1), 2, 3, 2, 1, 2, true), Reads.LATE));
  }

  @Tag("deep")
  @Test
  void eachTwoOfThreeProcessesEndTogether() {
    isExhausted(explore(new Agreement(List.of(0, 1, 2), 2, 3, 2, 1, 2, true), Reads.LATE));
  }

  @Test
  void withOneValueInARoundTwoProcessesDoNotEndTogether() {
    Agreement narrow = new Agreement(List.of(0, 1), 2, 3, 1, 1, 2, true);
    Report report =
        new InterleavingExplorer(narrow, Fault.NONE, MOST_STATES, MOST_STEPS_ALONE, 2, Reads.LATE)
            .run();

    assertThat(report.violation())
        .hasValueSatisfying(it -> assertThat(it).contains("do not end together"));
  }

  @Test
  void withThreeValuesInARoundThreeAreDecided() {
    Agreement wide = new Agreement(List.of(0, 1, 2), 2, 3, 3, 1, 2, true);
    Report report = new InterleavingExplorer(wide, Fault.NONE, MOST_STATES, 0).run();

    assertThat(report.violation())
        .hasValueSatisfying(it -> assertThat(it).contains("3 values are decided"));
  }
}

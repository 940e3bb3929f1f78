package io.ensemble.registers.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.registers.algorithm.InterleavingExplorer.Done;
import io.ensemble.registers.algorithm.InterleavingExplorer.Fault;
import io.ensemble.registers.algorithm.InterleavingExplorer.Instead;
import io.ensemble.registers.algorithm.InterleavingExplorer.Report;
import io.ensemble.registers.algorithm.InterleavingExplorer.Scenario;
import io.ensemble.registers.algorithm.Operation.Effect;
import io.ensemble.registers.algorithm.RegisterOperations.Invoked;
import io.ensemble.registers.algorithm.RegisterValue.Bytes;
import io.ensemble.registers.algorithm.RegisterValue.Participant;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A counter by the universal construction, in every interleaving of two processes. */
class UniversalConstructionTest {

  private static final String OBJECT = "o";
  private static final List<String> NODES = List.of("", "R", "L");

  /** Adds one, and returns the former count. */
  private enum Increment implements Operation {
    INCREMENT;

    @Override
    public Effect apply(Bytes state) {
      int count = state.toArray()[0];
      return new Effect(new Bytes(new byte[] {(byte) (count + 1)}), count);
    }
  }

  /** Returns the count. */
  private enum Get implements Operation {
    GET;

    @Override
    public Effect apply(Bytes state) {
      return new Effect(state, (int) state.toArray()[0]);
    }
  }

  /**
   * @param operations of each process
   * @param lastLap of each consensus
   */
  record Counters(List<List<Operation>> operations, int lastLap) implements Scenario {
    @Override
    public int processes() {
      return operations.size();
    }

    @Override
    public @Nullable Frame next(int process, List<Object> results) {
      if (results.size() == operations.get(process).size()) {
        return null;
      }
      Participation me =
          results.isEmpty()
              ? new Participation(
                  new Participant(0, process),
                  NODES.get(process),
                  new KnownNodes(new TreeSet<>(NODES.subList(0, processes()))),
                  new Bytes(new byte[] {0}),
                  0,
                  0,
                  false)
              : ((Invoked) results.get(results.size() - 1)).me();
      return UniversalConstruction.invoke(OBJECT, me, operations.get(process).get(results.size()));
    }

    @Override
    public boolean isBeyond(Move move) {
      return move instanceof Move.Write write
          && write.register().contains("grafarius-" + (lastLap + 1) + "/");
    }

    /** Increments return different counts, in the order of those that follow one another. */
    @Override
    public @Nullable String check(List<Done> ended) {
      Set<Integer> returned = new HashSet<>();
      for (Done done : ended) {
        int count = count(done);
        boolean isIncrement = operation(done) == Increment.INCREMENT;
        if (isIncrement && !returned.add(count)) {
          return "two increments return " + count;
        }
        for (Done other : ended) {
          if (!done.before().contains(other.id())) {
            continue;
          }
          boolean wasIncrement = operation(other) == Increment.INCREMENT;
          if (wasIncrement ? count <= count(other) : count < count(other)) {
            return done.id() + " returns " + count + " after " + count(other);
          }
        }
        long begun =
            done.begun().stream().filter(id -> operation(id) == Increment.INCREMENT).count();
        if (count > begun - (isIncrement ? 1 : 0)) {
          return done.id() + " counts more than had begun";
        }
      }
      return null;
    }

    private static int count(Done done) {
      return (Integer) Objects.requireNonNull(((Invoked) done.result()).result());
    }

    private Operation operation(Done done) {
      return operations.get(done.process()).get(done.number());
    }

    private Operation operation(String id) {
      int dot = id.indexOf('.');
      return operations
          .get(Integer.parseInt(id.substring(0, dot)))
          .get(Integer.parseInt(id.substring(dot + 1)));
    }
  }

  private static final Operation ADD = Increment.INCREMENT;
  private static final Operation GET = Get.GET;
  private static final List<List<Operation>> REUSING =
      List.of(List.of(ADD, ADD, ADD), List.of(ADD, GET));

  private static final long MOST_STATES = 20_000_000;
  private static final int MOST_STEPS_ALONE = 200;

  private static Report explore(int lastLap, Fault fault, List<List<Operation>> operations) {
    return new InterleavingExplorer(
            new Counters(operations, lastLap), fault, MOST_STATES, MOST_STEPS_ALONE)
        .run();
  }

  private static void isExhausted(Report report) {
    assertThat(report.violation()).isEmpty();
    assertThat(report.isComplete()).as("%d states", report.states()).isTrue();
  }

  @Test
  void twoProcessesCount() {
    isExhausted(explore(1, Fault.NONE, List.of(List.of(ADD), List.of(ADD))));
    isExhausted(explore(0, Fault.NONE, List.of(List.of(ADD, GET), List.of(ADD))));
  }

  @Test
  @Tag("deep")
  void consensusObjectsAreReused() {
    isExhausted(explore(1, Fault.NONE, List.of(List.of(ADD, ADD), List.of(ADD))));
    isExhausted(explore(0, Fault.NONE, List.of(List.of(ADD, ADD, ADD), List.of(ADD, GET))));
  }

  /** A consensus that one process is in is used by the other one for a later state. */
  @Test
  void anIndexThatIsNotAnnouncedIsReusedTooEarly() {
    Fault silent =
        move ->
            move instanceof Move.Write write && write.register().endsWith("/indexes/of-R")
                ? new Instead(null)
                : null;

    assertThat(explore(0, silent, REUSING).violation()).isPresent();
  }

  @Test
  void whatFormerRoundsHaveLeftIsTakenForThePresentState() {
    Fault anyRound =
        new Fault() {
          @Override
          public @Nullable Instead of(Move move) {
            return null;
          }

          @Override
          public @Nullable RegisterCell seen(@Nullable RegisterCell cell) {
            return cell == null ? null : new RegisterCell(Long.MAX_VALUE, cell.value());
          }
        };

    assertThat(explore(0, anyRound, REUSING).violation()).isPresent();
  }
}

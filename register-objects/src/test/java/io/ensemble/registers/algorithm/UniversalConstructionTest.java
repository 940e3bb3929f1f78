package io.ensemble.registers.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.registers.algorithm.InterleavingExplorer.Abandoned;
import io.ensemble.registers.algorithm.InterleavingExplorer.Abstraction;
import io.ensemble.registers.algorithm.InterleavingExplorer.Done;
import io.ensemble.registers.algorithm.InterleavingExplorer.Fault;
import io.ensemble.registers.algorithm.InterleavingExplorer.Instead;
import io.ensemble.registers.algorithm.InterleavingExplorer.Report;
import io.ensemble.registers.algorithm.InterleavingExplorer.Scenario;
import io.ensemble.registers.algorithm.Operation.Effect;
import io.ensemble.registers.algorithm.RegisterOperations.Invoked;
import io.ensemble.registers.algorithm.RegisterValue.Bytes;
import io.ensemble.registers.algorithm.RegisterValue.Participant;
import java.util.ArrayList;
import java.util.Comparator;
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

  private static boolean isInLap(Move move, int lap) {
    return move instanceof Move.Write write && write.register().contains("grafarius-" + lap + "/");
  }

  /** The count before an addition. */
  private record Added(int before, int amount) {}

  private record Add(int amount) implements Operation {
    @Override
    public Effect apply(Bytes state) {
      int count = state.toArray()[0];
      return new Effect(new Bytes(new byte[] {(byte) (count + amount)}), new Added(count, amount));
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
      return isInLap(move, lastLap + 1);
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

  /**
   * Additions of processes that join before their first one. A process that abandons an operation
   * inside a consensus leaves, and goes on as another participant.
   *
   * @param additions of each process
   * @param abandoning the process that may abandon its first addition, of 10, at any place; -1 for
   *     none. All others add 1
   * @param staysAfterwards whether that process goes on as the same participant, a planted error
   */
  record Joining(List<Integer> additions, int lastLap, int abandoning, boolean staysAfterwards)
      implements Scenario {

    Joining(List<Integer> additions, int lastLap, int abandoning) {
      this(additions, lastLap, abandoning, false);
    }

    /** Where a process is after its operations so far. */
    private record Progress(
        @Nullable Participation me, @Nullable String leaving, int participants, int additions) {

      static Progress after(List<Object> results, boolean stays) {
        Progress progress = new Progress(null, null, 0, 0);
        for (Object result : results) {
          progress = progress.after(result, stays);
        }
        return progress;
      }

      private Progress after(Object result, boolean stays) {
        if (result instanceof Participation joined) {
          return new Progress(joined, null, participants + 1, additions);
        }
        if (result instanceof Invoked invoked) {
          return new Progress(invoked.me(), null, participants, additions + 1);
        }
        if (result instanceof Abandoned abandoned && me != null) {
          return RegisterOperations.isInConsensus(abandoned.at()) && !stays
              ? new Progress(null, me.node(), participants, additions + 1)
              : new Progress(me.unannounced(), null, participants, additions + 1);
        }
        return new Progress(null, null, participants, additions);
      }
    }

    @Override
    public int processes() {
      return additions.size();
    }

    @Override
    public @Nullable Frame next(int process, List<Object> results) {
      Progress progress = Progress.after(results, staysAfterwards);
      if (progress.leaving() != null) {
        return RegisterOperations.leave(OBJECT, progress.leaving());
      }
      if (progress.additions() == additions.get(process)) {
        return null;
      }
      return progress.me() == null
          ? RegisterOperations.join(
              OBJECT,
              new Participant(process, progress.participants()),
              new Bytes(new byte[] {0}),
              9)
          : RegisterOperations.invoke(
              OBJECT,
              progress.me(),
              new Add(process == abandoning && progress.additions() == 0 ? 10 : 1));
    }

    @Override
    public boolean mayAbandon(int process, List<Object> results, Execution execution) {
      Progress progress = Progress.after(results, staysAfterwards);
      return process == abandoning && progress.me() != null && progress.additions() == 0;
    }

    @Override
    public boolean isBeyond(Move move) {
      return isInLap(move, lastLap + 1);
    }

    @Override
    public @Nullable String check(List<Done> ended) {
      List<Added> all = new ArrayList<>();
      for (Done done : ended) {
        if (!(done.result() instanceof Invoked)) {
          continue;
        }
        all.add(added(done));
        for (Done other : ended) {
          if (done.before().contains(other.id()) && added(done).before() <= added(other).before()) {
            return done + " returns less than " + other;
          }
        }
      }
      int atMost = additions.stream().mapToInt(Integer::intValue).sum();
      all.sort(Comparator.comparingInt(Added::before));
      int count = 0;
      for (Added each : all) {
        int others = each.before() - count;
        if (others < 0 || others % 10 > atMost || others / 10 > 1) {
          return "no order has these results: " + all;
        }
        count = each.before() + each.amount();
      }
      return null;
    }

    private static Added added(Done done) {
      return (Added) Objects.requireNonNull(((Invoked) done.result()).result());
    }

    @Override
    public Abstraction abstraction() {
      return new Abstraction() {
        @Override
        public List<Done> keep(List<Done> ended) {
          return ended.stream().filter(done -> done.result() instanceof Invoked).toList();
        }
      };
    }
  }

  static final Operation ADD = Increment.INCREMENT;
  static final Operation GET = Get.GET;
  private static final List<List<Operation>> REUSING =
      List.of(List.of(ADD, ADD, ADD), List.of(ADD, GET));

  private static final long MOST_STATES = 30_000_000;
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
  void threeProcessesCount() {
    isExhausted(explore(0, Fault.NONE, List.of(List.of(ADD), List.of(ADD), List.of(ADD))));
  }

  @Test
  @Tag("deep")
  void threeProcessesCountInMoreLaps() {
    isExhausted(explore(1, Fault.NONE, List.of(List.of(ADD), List.of(ADD), List.of(ADD))));
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
          public @Nullable RegisterCell seen(String register, @Nullable RegisterCell cell) {
            return cell == null ? null : new RegisterCell(Long.MAX_VALUE, cell.value());
          }
        };

    assertThat(explore(0, anyRound, REUSING).violation()).isPresent();
  }

  // Participants that join, and leave.

  private static Report explore(Joining joining, Fault fault) {
    boolean isPlanted = fault != Fault.NONE || joining.staysAfterwards();
    int stepsAlone = isPlanted ? 0 : MOST_STEPS_ALONE;
    return new InterleavingExplorer(joining, fault, MOST_STATES, stepsAlone).run();
  }

  @Test
  void twoProcessesJoinAndCount() {
    isExhausted(explore(new Joining(List.of(1, 1), 0, -1), Fault.NONE));
    isExhausted(explore(new Joining(List.of(1, 1), 0, 1), Fault.NONE));
  }

  @Test
  @Tag("deep")
  void processesJoinWhereConsensusObjectsAreReused() {
    isExhausted(explore(new Joining(List.of(2, 1), 0, -1), Fault.NONE));
    isExhausted(explore(new Joining(List.of(1, 1), 1, 1), Fault.NONE));
    isExhausted(explore(new Joining(List.of(2, 2), 0, 1), Fault.NONE));
  }

  @Test
  void twoProcessesWithOneNodeAreFound() {
    Fault open =
        move ->
            move instanceof Move.Write write
                    && write.register().startsWith(OBJECT + "/participants/")
                    && write.register().endsWith("/door")
                ? new Instead(null)
                : null;
    assertThat(explore(new Joining(List.of(3, 2), 0, -1), open).violation()).isPresent();
  }

  @Test
  void participantsThatDoNotSeeOneAnotherAreFound() {
    Fault blind =
        new Fault() {
          @Override
          public @Nullable Instead of(Move move) {
            return null;
          }

          @Override
          public @Nullable RegisterCell seen(String register, @Nullable RegisterCell cell) {
            return register.startsWith(OBJECT + "/indexes/") ? null : cell;
          }
        };
    assertThat(explore(new Joining(List.of(3, 2), 0, -1), blind).violation()).isPresent();
  }

  @Test
  void aParticipantThatGoesOnAfterAnAbandonedConsensusIsFound() {
    assertThat(explore(new Joining(List.of(1, 2), 1, 1, true), Fault.NONE).violation()).isPresent();
  }
}

package io.ensemble.registers.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.registers.algorithm.Consensus.Agreed;
import io.ensemble.registers.algorithm.Grafarius.Verdict;
import io.ensemble.registers.algorithm.InterleavingExplorer.Done;
import io.ensemble.registers.algorithm.InterleavingExplorer.Fault;
import io.ensemble.registers.algorithm.InterleavingExplorer.Instead;
import io.ensemble.registers.algorithm.InterleavingExplorer.Report;
import io.ensemble.registers.algorithm.InterleavingExplorer.Scenario;
import io.ensemble.registers.algorithm.RegisterValue.Ordinal;
import io.ensemble.registers.algorithm.RegisterValue.Participant;
import io.ensemble.registers.algorithm.Splitter.Way;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One-shot objects over registers, in every interleaving of two and three processes. */
class RegisterAlgorithmsTest {

  private static final long MOST_STATES = 40_000_000;
  private static final Round ROUND = new Round("o", 0);

  /** One operation of each process. */
  private record Once(int processes, IntFunction<Frame> operation, Check check)
      implements Scenario {
    @Override
    public @Nullable Frame next(int process, List<Object> results) {
      return results.isEmpty() ? operation.apply(process) : null;
    }

    @Override
    public @Nullable String check(List<Done> ended) {
      return check.of(processes, ended);
    }
  }

  private interface Check {
    @Nullable String of(int processes, List<Done> ended);
  }

  private static Participant process(int number) {
    return new Participant(0, number);
  }

  private static Ordinal proposal(int number) {
    return new Ordinal(100 + number);
  }

  private static Report explore(Scenario scenario, Fault fault, int soloSteps) {
    return new InterleavingExplorer(scenario, fault, MOST_STATES, soloSteps).run();
  }

  private static void isExhausted(Report report) {
    assertThat(report.violation()).isEmpty();
    assertThat(report.isComplete()).as("%d states", report.states()).isTrue();
  }

  private static Fault skips(String end, boolean write, @Nullable Object answer) {
    return move ->
        (write && move instanceof Move.Write w && w.register().endsWith(end))
                || (!write && move instanceof Move.Read r && r.register().endsWith(end))
            ? new Instead(answer)
            : null;
  }

  // Splitter.

  private static Scenario splitter(int processes) {
    return new Once(
        processes,
        number -> Splitter.split(ROUND, process(number)),
        RegisterAlgorithmsTest::checkSplitter);
  }

  private static @Nullable String checkSplitter(int processes, List<Done> ended) {
    long stopped = ended.stream().filter(done -> done.result() == Way.STOP).count();
    if (stopped > 1) {
      return "two processes stop";
    }
    for (Done done : ended) {
      if (done.begun().size() == 1 && done.result() != Way.STOP) {
        return "a process that is alone does not stop";
      }
      if (!done.before().isEmpty() && done.result() == Way.STOP) {
        return "a process stops that began after another had ended";
      }
    }
    if (ended.size() == processes && processes > 1) {
      for (Way way : List.of(Way.LEFT, Way.RIGHT)) {
        if (ended.stream().allMatch(done -> done.result() == way)) {
          return "all go " + way;
        }
      }
    }
    return null;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void aSplitterStopsAtMostOne(int processes) {
    isExhausted(explore(splitter(processes), Fault.NONE, 5));
  }

  @Test
  void eachLineOfTheSplitterMatters() {
    Scenario two = splitter(2);
    assertThat(explore(two, skips("last", true, null), 0).violation()).isPresent();
    assertThat(explore(two, skips("door", false, null), 0).violation()).isPresent();
    assertThat(explore(two, skips("door", true, null), 0).violation()).isPresent();
    Fault stopsWithoutLook =
        move ->
            move instanceof Move.Read read && read.register().endsWith("last")
                ? new Instead(new RegisterCell(0, ((Splitter) read.then()).self()))
                : null;
    assertThat(explore(two, stopsWithoutLook, 0).violation()).isPresent();
  }

  // Grafarius.

  private static Scenario grafarius(int processes) {
    return new Once(
        processes,
        number -> Grafarius.adoptCommit(ROUND, process(number), proposal(number)),
        RegisterAlgorithmsTest::checkGrafarius);
  }

  private static @Nullable String checkGrafarius(int processes, List<Done> ended) {
    for (Done done : ended) {
      Verdict verdict = (Verdict) done.result();
      Set<RegisterValue> proposed = new HashSet<>();
      done.begun().forEach(id -> proposed.add(proposal(number(id))));
      if (!proposed.contains(verdict.value())) {
        return "a value that was not proposed";
      }
      if (done.begun().size() == 1 && !verdict.isCommitted()) {
        return "a process that is alone does not commit";
      }
      if (verdict.isCommitted()
          && ended.stream()
              .anyMatch(other -> !((Verdict) other.result()).value().equals(verdict.value()))) {
        return "another value than the one that was committed";
      }
      if (!done.before().isEmpty() && verdict.value().equals(proposal(done.process()))) {
        return "its own value, though another process had returned before it began";
      }
    }
    return null;
  }

  private static int number(String id) {
    return Integer.parseInt(id.substring(0, id.indexOf('.')));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void aGrafariusIsCoherent(int processes) {
    isExhausted(explore(grafarius(processes), Fault.NONE, 9));
  }

  @Test
  void eachLineOfTheGrafariusMatters() {
    Scenario two = grafarius(2);
    assertThat(explore(two, skips("collision", true, null), 0).violation()).isPresent();
    assertThat(explore(two, skips("collision", false, null), 0).violation()).isPresent();
    assertThat(explore(two, skips("value", true, null), 0).violation()).isPresent();
    assertThat(explore(two, skips("value", false, null), 0).violation()).isPresent();
  }

  // Consensus, among participants with nodes.

  private static final List<String> NODES = List.of("", "R", "L");

  private static KnownNodes nodes(int processes) {
    return new KnownNodes(new TreeSet<>(NODES.subList(0, processes)));
  }

  private static Scenario consensus(int processes) {
    return new Once(
        processes,
        number ->
            Consensus.propose(
                ROUND,
                new Round("tree", 0),
                process(number),
                NODES.get(number),
                nodes(processes),
                proposal(number)),
        RegisterAlgorithmsTest::checkConsensus);
  }

  private static @Nullable String checkConsensus(int processes, List<Done> ended) {
    for (Done done : ended) {
      RegisterValue agreed = ((Agreed) done.result()).value();
      if (!agreed.equals(((Agreed) ended.get(0).result()).value())) {
        return "two decisions";
      }
      if (done.begun().stream().noneMatch(id -> agreed.equals(proposal(number(id))))) {
        return "a value that was not proposed";
      }
    }
    return null;
  }

  /** Laps have no bound: a process that is about to enter a later one is left there. */
  private static Scenario upToLap(long last, Scenario scenario) {
    String beyond = "grafarius-" + (last + 1) + "/";
    return new Scenario() {
      @Override
      public int processes() {
        return scenario.processes();
      }

      @Override
      public @Nullable Frame next(int process, List<Object> results) {
        return scenario.next(process, results);
      }

      @Override
      public boolean isBeyond(Move move) {
        return move instanceof Move.Write write && write.register().contains(beyond);
      }

      @Override
      public @Nullable String check(List<Done> ended) {
        return scenario.check(ended);
      }
    };
  }

  @ParameterizedTest
  @CsvSource({"1, 0", "2, 1", "3, 0"})
  void aConsensusHasOneDecision(int processes, long lastLap) {
    isExhausted(explore(upToLap(lastLap, consensus(processes)), Fault.NONE, 60));
  }

  @Tag("deep")
  @ParameterizedTest
  @CsvSource({"2, 2", "3, 1", "3, 2"})
  void aConsensusOfMoreLapsHasOneDecision(int processes, long lastLap) {
    isExhausted(explore(upToLap(lastLap, consensus(processes)), Fault.NONE, 60));
  }

  @Test
  void eachLineOfTheConsensusMatters() {
    Scenario two = upToLap(2, consensus(2));
    Fault noCollision = skips("collision", false, null);
    Fault seesNoLaps = move -> move instanceof Move.ReadAll ? new Instead(NOTHING) : null;
    assertThat(explore(two, noCollision, 0).violation()).isPresent();
    assertThat(explore(two, seesNoLaps, 0).violation()).isEmpty(); // Slower, and still safe.
  }

  private static final Map<String, RegisterCell> NOTHING = new TreeMap<>();
}

package io.ensemble.registers.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.registers.algorithm.InterleavingExplorer.Done;
import io.ensemble.registers.algorithm.InterleavingExplorer.Fault;
import io.ensemble.registers.algorithm.InterleavingExplorer.Report;
import io.ensemble.registers.algorithm.InterleavingExplorer.Scenario;
import io.ensemble.registers.algorithm.RegisterValue.Bytes;
import io.ensemble.registers.algorithm.RegisterValue.Participant;
import io.ensemble.registers.algorithm.RegisterValue.Ranked;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Set agreement with collects that are single reads, in every interleaving up to a round. */
class SetAgreementTest {

  /**
   * @param registers n-k+1, or fewer to plant an error
   */
  private record Agreement(int processes, int values, int registers, long lastRound)
      implements Scenario {

    @Override
    public @Nullable Frame next(int process, List<Object> results) {
      return results.isEmpty()
          ? new SetAgreement(
              "a",
              registers,
              new Participant(0, process),
              value(process),
              0,
              null,
              SetAgreement.Line.BEGIN)
          : null;
    }

    private static Bytes value(int process) {
      return new Bytes(new byte[] {(byte) process});
    }

    @Override
    public boolean isBeyond(Move move) {
      return move instanceof Move.Write write
          && ((Ranked) write.cell().value()).round() > lastRound;
    }

    @Override
    public @Nullable String check(List<Done> ended) {
      Set<Object> decided = ended.stream().map(Done::result).collect(Collectors.toSet());
      if (decided.size() > values) {
        return decided.size() + " values are decided";
      }
      for (Done done : ended) {
        if (done.begun().stream()
            .noneMatch(id -> value(Integer.parseInt(id.substring(0, 1))).equals(done.result()))) {
          return "a value that was not proposed";
        }
      }
      return null;
    }
  }

  @ParameterizedTest
  @CsvSource("2, 1, 1")
  void atMostSoManyValuesAreDecided(int processes, int values, long lastRound) {
    isExhausted(processes, values, lastRound);
  }

  @Tag("deep")
  @ParameterizedTest
  @CsvSource("2, 1, 2")
  void atMostSoManyValuesAreDecidedInMoreRounds(int processes, int values, long lastRound) {
    isExhausted(processes, values, lastRound);
  }

  private static void isExhausted(int processes, int values, long lastRound) {
    Scenario scenario = new Agreement(processes, values, processes - values + 1, lastRound);
    Report report = new InterleavingExplorer(scenario, Fault.NONE, 30_000_000, 200).run();

    assertThat(report.violation()).isEmpty();
    assertThat(report.isComplete()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"2, 1, 3", "3, 2, 3"})
  void oneRegisterFewerIsTooFew(int processes, int values, long lastRound) {
    Scenario scenario = new Agreement(processes, values, processes - values, lastRound);
    Report report = new InterleavingExplorer(scenario, Fault.NONE, 30_000_000, 0).run();

    assertThat(report.violation()).isPresent();
  }
}

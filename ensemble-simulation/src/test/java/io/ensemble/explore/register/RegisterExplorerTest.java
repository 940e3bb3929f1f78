package io.ensemble.explore.register;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.explore.register.RegisterExplorer.Report;
import io.ensemble.register.Cell;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** No interleaving of the production protocol, at small scope, violates linearizability. */
@Execution(ExecutionMode.CONCURRENT)
final class RegisterExplorerTest {

  private static final long NO_BOUND = Integer.MAX_VALUE - 8L;

  /** A bound: scenarios of up to 120 million states would take more than an hour. */
  private static final long LARGE_BOUND = 20_000_000;

  private static final long SEED = 20_260_101;

  /** Scripts and options of the scenarios for random walks. */
  private static final String WALKS =
      """
      p1;c12;g     | a2 l2 c1 d1 f1 x1
      p1,g;c12,g;r | a3 l2 c1 f1 x1
      c01;c02;c03  | a3 l2 c1 f1 x1
      p1,g;c12;p3,g| a2 l1 w1 f1
      p1,g;c12,g   | n5 a2 l2 c1 d1 x2
      c01,c12;c02,g| n4 a2 l2 c1 d1 x1
      c01,g;c02,g  | n2 a2 l2 c1 x1
      p1,p2,p3;g,g | a2 l2 d1 f1 x1 b
      p1,c12,s3;p4,c41 | a3 l2 d1 x1 b
      p1,p2,p3;c23 | a2 l1 w1 x2 b
      p1,p2,c23;r,p4 | n5 a2 l2 d2 x1 b
      p1,g;c12,g   | n5 a2 l2 w1 x1
      p2;c12,g;g   | n4 i1 a2 l2 w1 x1
      r,g;a2,g     | a2 i1 l1 w1 t1
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // two clients, each fault anywhere
        "p1;g         | a1 l1 c1 f1",
        "c01;g        | a1 c1 d1",
        "p1;g         | a1 l1 x1",
        "p1;a2        | a1 d1",
        "s1;r         | a1 i2 c1",
        "a1;a2        | a1 l1 f1",
        // a site wiped, and refilled under a new incarnation
        "p1,g         | a1 w1",
        "g;g          | a1 i1 w1",
        // a tombstone purged while clients go on
        "r;p2         | a1 i1 t1",
        // a writer that begins from what it wrote or read before
        "p1,p2;g      | a1 m",
        // an operation that lets slow sites catch up after its outcome
        "p1;c12       | a1 g",
        // an operation that is abandoned at any step, and its messages still arrive
        "p1;c12       | a1 l1 e1",
        "p1;g         | a1 e1 g",
        // one client after the other
        "p1,g,c12     | a2 d1 f1",
      })
  void everyInterleavingIsLinearizable(String script, String options) {
    RegisterScenario scenario = RegisterScenario.of(script).with(options);

    verify(new RegisterExplorer(OperationFactory.IMMEDIATE, NO_BOUND).explore(scenario));
  }

  /**
   * Larger forms of scenarios that the gate explores at a smaller size. Writes at prepared ballots
   * ({@code b}) it explores by random walks only.
   */
  @Tag("nightly")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "p1,g;c12     | a1",
        "c01;c02      | a1 l1 c1 f1",
        "c01;c02      | a1 c1 d1",
        "c01;c02      | a1 l1 x1",
        "r,p2;g       | a1 i1 t1",
        "p1;g         | a2",
        "p1;g;g       | a1",
        // a site lost, and a write at a ballot that the one before prepared
        "p1,p2;g      | a1 d1 b",
        "p1,p2;c13    | a1 x1 b",
      })
  void everyInterleavingOfMediumScenariosIsLinearizable(String script, String options) {
    everyInterleavingIsLinearizable(script, options);
  }

  @ParameterizedTest
  @CsvSource({"c23;g,a1 i2 d1", "g;g,a1 i2 d1", "p3;g,a1 i2 l1 c1"})
  void everyInterleavingAfterFastWriteIsLinearizable(String script, String options) {
    RegisterScenario scenario = RegisterScenario.of(script).with(options);

    verify(
        new RegisterExplorer(OperationFactory.IMMEDIATE, NO_BOUND)
            .explore(scenario, InitialCells.fast(scenario)));
  }

  /** A client whose ballot one site has promised outlasts the refill of that site. */
  @Tag("nightly")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"c31;p2,g | a1 i3 h9 l1 w1 x1", "c31;c32,g | a1 i3 h9 l1 w1 x1"})
  void everyInterleavingAfterTheLossOfASourceIsLinearizable(String script, String options) {
    RegisterScenario scenario = RegisterScenario.of(script).with(options);

    verify(
        new RegisterExplorer(OperationFactory.IMMEDIATE, NO_BOUND)
            .exploreAfter(scenario, InitialCells.same(scenario), LossScenario.SETTLED));
    verify(
        new RegisterExplorer(OperationFactory.IMMEDIATE, NO_BOUND)
            .exploreAfter(scenario, InitialCells.same(scenario), LossScenario.COPIED));
  }

  /** A site that has accepted a ballot is lost; the others have only promised it. */
  @Tag("nightly")
  @Test
  void everyInterleavingAfterTheLossOfAnAcceptanceIsLinearizable() {
    RegisterScenario scenario = RegisterScenario.of("c31;g").with("a1 i3 l1 w1 x1");

    verify(
        new RegisterExplorer(OperationFactory.IMMEDIATE, NO_BOUND)
            .exploreAfter(scenario, InitialCells.same(scenario), LossScenario.PROMISED));
  }

  /** A vote is confirmed at one site while others have promised a higher ballot. */
  @Tag("deep")
  @Test
  void everyInterleavingAfterAConfirmationThatMeetsAPromiseIsLinearizable() {
    RegisterScenario scenario =
        RegisterScenario.of(ConfirmationScenario.SCRIPT).with(ConfirmationScenario.OPTIONS);

    verify(
        new RegisterExplorer(OperationFactory.IMMEDIATE, NO_BOUND)
            .exploreAfter(scenario, InitialCells.same(scenario), ConfirmationScenario.PROMISED));
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = WALKS)
  void randomWalksAreLinearizable(String script, String options) {
    walk(script, options, Boolean.getBoolean("ensemble.deep") ? 500_000 : 1_000, SEED);
  }

  @Tag("nightly")
  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = WALKS)
  void moreRandomWalksAreLinearizable(String script, String options) {
    walk(script, options, 10_000, SEED + 1);
  }

  /**
   * A confirmation of a fast ballot, while other clients write from that ballot. With five sites a
   * fast quorum need not include the site that has the confirmation.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "g;p3;g       | n5 a1 i2",
        "g;p3;c21;g   | n5 a2 i2 l1 c1",
        "g;c31;c32;g  | n3 a3 i3 l2 x1",
      })
  void randomWalksAfterFastWriteAreLinearizable(String script, String options) {
    RegisterScenario scenario = RegisterScenario.of(script).with(options);
    walk(scenario, InitialCells.fast(scenario), 2_000, SEED);
  }

  private static void walk(String script, String options, long walks, long seed) {
    RegisterScenario scenario = RegisterScenario.of(script).with(options);
    walk(scenario, InitialCells.same(scenario), walks, seed);
  }

  /** Half of the walks yield to rivals, as caches do. */
  private static void walk(
      RegisterScenario scenario, List<Cell<Integer>> initial, long walks, long seed) {
    for (OperationFactory factory :
        List.of(OperationFactory.IMMEDIATE, OperationFactory.PRODUCTION)) {
      verify(new RegisterExplorer(factory, NO_BOUND).walk(scenario, initial, walks / 2, seed));
    }
  }

  @ParameterizedTest
  @CsvSource({"c01;c02,a1", "p1;g,a1 c1", "p1;c12,a1"})
  void everyInterleavingOfOperationsThatYieldIsLinearizable(String script, String options) {
    RegisterScenario scenario = RegisterScenario.of(script).with(options);

    verify(new RegisterExplorer(OperationFactory.PRODUCTION, NO_BOUND).explore(scenario));
  }

  /** Scenarios of more than a million states each, explored up to the bound. */
  @Tag("deep")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "c01;c02      | a1 l1 c1 d1 f1",
        "p1,g;c12,g   | a1",
        "p1,g;a2      | a1 d1",
        "p1;g         | a1 w1",
        "p1;c12;g     | a1",
        "c01;c02      | a2 d1",
        "c01;c02      | a2",
        "a1;a2        | a2",
        "p1;c12,g     | a2 f1",
        "p1;g,g       | a2 l1 c1",
        "p1,g;r,a2    | a1",
        "p1,p2;g,c23  | a1 m",
        "p1,p2,p3;g   | a1 d1 l1 b",
        "p1,p2;c13    | a1 d1 l1 f1 b",
        "p1,c12;c13   | a2 x1 b",
        "p1,p2;c13    | a2 d1 x1 b",
        "p1,p2;g      | a1 w1 x1 b",
        "p1,r,p2;g    | a1 d1 t1 b",
        "r,a2;a3      | a1 i1 t1",
        "c01;c02      | a1 w1",
        "p1;c12       | a1 w1 f1",
        "p1;c12       | a1 l1 g",
      })
  void everyInterleavingOfLargerScenariosIsLinearizable(String script, String options) {
    RegisterScenario scenario = RegisterScenario.of(script).with(options);

    verify(new RegisterExplorer(OperationFactory.IMMEDIATE, LARGE_BOUND).explore(scenario));
  }

  @Test
  void sameScenarioHasTheSameStates() {
    RegisterScenario scenario = RegisterScenario.of("p1;g").with("a1 c1");
    RegisterExplorer explorer = new RegisterExplorer(OperationFactory.IMMEDIATE, NO_BOUND);

    assertThat(explorer.explore(scenario)).isEqualTo(explorer.explore(scenario));
  }

  private static void verify(Report report) {
    System.out.println(report);
    assertThat(report.violation().orElse(List.of())).as("steps to a wrong history").isEmpty();
  }
}

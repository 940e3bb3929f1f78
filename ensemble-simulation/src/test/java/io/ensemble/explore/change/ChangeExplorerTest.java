package io.ensemble.explore.change;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.explore.change.ChangeExplorer.Report;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * No interleaving of a change with clients that may be suspended at any moment violates
 * linearizability or leaves a cache that no configuration serves.
 */
@Execution(ExecutionMode.CONCURRENT)
final class ChangeExplorerTest {

  private static final long NO_BOUND = Integer.MAX_VALUE - 8L;

  /** The number of states that fit into the heap of a test while another one runs. */
  private static final long LARGE_BOUND = 20_000_000;

  private static final long SEED = 20_260_101;

  /** Script, options and a number of walks, some of which complete a change. */
  private static final String WALKS =
      """
      p1;c12,g;g | t2 q2 o1 n2             | 2000
      p1,g;a2,g  | t2 q2 o2 u              | 2000
      r,g;c12,g  | i1 t2 q2 o1 b1 n3       | 6000
      p1,g;p2,g  | s4 t1 q2 o1             | 2000
      p1,g;c12,g;r,g | s2 t1 q2 o1 n2 c    | 2000
      r,g;a2,g;g,g   | i1 t1 q2 o2 n2 c    | 2000
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "p1       | t1",
        "p1       | t2 n2",
        "c12,g    | i1 s2 t1 q2",
        "p1       | t1 u",
        "r,g      | i1 s2 t1 o1",
        "p1;g     | s1 t1",
        "p1;g     | s2 t1",
        "p1,g     | s2 t1 b1 o1",
        "p1;g     | s1 t1 c",
        "p1,g;g   | s1 t1 c",
        "r;g      | i1 s1 t1 o1 c",
        "c12;c13  | i1 s1 t1 c",
        "p1,g     | s2 t1 o1 c",
      })
  void everyInterleavingIsLinearizable(String script, String options) {
    Report report =
        new ChangeExplorer(ChangeProtocol.PRODUCTION, NO_BOUND)
            .explore(ChangeScenario.of(script, options));

    verify(report);
  }

  /** A removal with the default options, and a restart, which the gate explores by random walks. */
  @Tag("nightly")
  @ParameterizedTest
  @CsvSource({"r,i1 t1 o1", "p2;g,i1 s1 t1 c l1"})
  void everyInterleavingOfMediumScenariosIsLinearizable(String script, String options) {
    everyInterleavingIsLinearizable(script, options);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = WALKS)
  void randomWalksAreLinearizable(String script, String options, long walks) {
    walk(script, options, Boolean.getBoolean("ensemble.deep") ? 500_000 : walks, SEED);
  }

  /** Leases may be renewed before they expire, and stores are lost and come back. */
  @Test
  void randomWalksThroughARestartAreLinearizable() {
    long walks = Boolean.getBoolean("ensemble.deep") ? 500_000 : 4_000;
    for (String options : List.of("i1 s1 t2 q2 c l1", "i1 s1 n3 t3 q2 o1 c l1")) {
      verify(
          new ChangeExplorer(ChangeProtocol.LASTING, NO_BOUND)
              .walk(ChangeScenario.of("p2;g,g", options), walks, SEED));
    }
  }

  @Tag("nightly")
  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = WALKS)
  void moreRandomWalksAreLinearizable(String script, String options, long walks) {
    walk(script, options, 5 * walks, SEED + 1);
  }

  private static void walk(String script, String options, long walks, long seed) {
    verify(
        new ChangeExplorer(ChangeProtocol.PRODUCTION, NO_BOUND)
            .walk(ChangeScenario.of(script, options), walks, seed));
  }

  @Tag("deep")
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "p1;g     | t1",
        "p1;c12   | s2 t2 o1",
        "p1,g     | t2 q2 o1",
        "r;g      | i1 s2 t2 o1 b1",
        "p1;g     | s2 t1 c",
        "p1;g;g   | s1 t1 o1 c",
        "r;c12;g  | i1 s1 t1 o1 c",
      })
  void largerScenariosAreLinearizable(String script, String options) {
    Report report =
        new ChangeExplorer(ChangeProtocol.PRODUCTION, LARGE_BOUND)
            .explore(ChangeScenario.of(script, options));

    verify(report);
  }

  private static void verify(Report report) {
    System.out.println(report);
    assertThat(report.violation().orElse(List.of())).as("steps to what must not be").isEmpty();
    assertThat(report.switches()).as("a change was carried through").isTrue();
  }
}

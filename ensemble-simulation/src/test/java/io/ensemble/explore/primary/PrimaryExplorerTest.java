package io.ensemble.explore.primary;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.explore.primary.PrimaryExplorer.Report;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * No interleaving of the production protocol of primary copies, at small scope, violates the
 * guarantee of its acknowledgement. A majority's acknowledgement guarantees linearizability; the
 * primary's guarantees that only reported writes are lost.
 */
@Execution(ExecutionMode.CONCURRENT)
final class PrimaryExplorerTest {

  private static final boolean DEEP = Boolean.getBoolean("ensemble.deep");
  private static final long SEED = 20_261_121;

  /** Scripts and options of the scenarios for random walks. */
  private static final String WALKS =
      """
      p1,p2;c12,g;g,g,g     | e3 t2 x1 f1 h1 g2
      p1,c12,p3;g,p4,g;g,g  | e4 t3 x2 f1 h1 g3
      p1,c02,g;c12;g,g      | e2 t1 x1 g2
      a1,r,a2;a3,g;g,g      | e3 t2 x1 h1 g1
      p1,p2;g,g,g           | e2 t1 p x1 f1
      p1,c12,p3;g,p4,g;g,g  | e3 t3 x1 f1 h1 g2 k3
      p1;g,g;g              | e2 t2 p c x1 g1
      p1,p2;c12,g;g,g,g     | e3 t2 x1 f1 h1 g2 s5
      p1,p2,p3;g,g,g        | e3 t2 p x1 g1 s5
      """;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // one term: a writer, an unknown outcome, and a reader
        "p1,c02;g,g   | e1 t0",
        "p1,c02       | e1 t0 g1",
        "p1,p2;g      | e1 t0 x1",
        "p1;g         | e1 t0 x1 f1 g1",
        "p1,p2;g      | e1 t0 p g1",
        // a writer that uses the entry versions that sites showed before
        "p1,p2;g      | e1 t0 k2",
      })
  void everyInterleavingOfOneTermIsAllowed(String script, String options) {
    verify(
        new PrimaryExplorer(PrimaryProtocol.PRODUCTION, 8_000_000)
            .explore(PrimaryScenario.of(script, options)),
        true);
  }

  /** Two writes, the second one conditional, by a writer that uses former answers of sites. */
  @Test
  @Tag("nightly")
  void everyInterleavingOfOneTermIsAllowedToAConditionalWriterThatRemembers() {
    everyInterleavingOfOneTermIsAllowed("p1,c12;g", "e1 t0 k1 x1");
  }

  @Test
  @Tag("deep")
  void everyInterleavingOfOneTermIsAllowedToAReaderBesideTimeouts() {
    verify(
        new PrimaryExplorer(PrimaryProtocol.PRODUCTION, 8_000_000)
            .explore(PrimaryScenario.of("p1,c02;g", "e1 t0 g1")),
        true);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "p1;g         | e2 t1",
        "p1;c12       | e2 t1",
        "p1;g         | e2 t1 p",
      })
  void noStateOfTwoTermsWithinTheBoundBreaksThePromise(String script, String options) {
    verify(
        new PrimaryExplorer(PrimaryProtocol.PRODUCTION, DEEP ? 20_000_000 : 40_000)
            .explore(PrimaryScenario.of(script, options)),
        false);
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = WALKS)
  void randomWalksAreAllowed(String script, String options) {
    walk(script, options, DEEP ? 500_000 : 1_250, SEED);
  }

  @Tag("nightly")
  @ParameterizedTest
  @CsvSource(delimiter = '|', textBlock = WALKS)
  void moreRandomWalksAreAllowed(String script, String options) {
    walk(script, options, 10_000, SEED + 1);
  }

  private static void walk(String script, String options, long walks, long seed) {
    verify(
        new PrimaryExplorer(PrimaryProtocol.PRODUCTION, 0)
            .walk(PrimaryScenario.of(script, options), walks, seed),
        false);
  }

  private static void verify(Report report, boolean exhausted) {
    System.out.println(report);
    assertThat(report.violation()).as("%s", report.scenario()).isEmpty();
    assertThat(report.complete() || !exhausted).as("%s", report.scenario()).isTrue();
  }
}

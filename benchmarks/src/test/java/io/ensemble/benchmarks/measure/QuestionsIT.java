package io.ensemble.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Every measuring program runs to its answer, with the least effort: the figures mean nothing here.
 */
class QuestionsIT {

  private static final int KEYS = 10_000;
  private static final Effort LEAST = new Effort(20, 1, 10, 100, 300, 1, line -> {});

  private static FederationProcess federation;

  @BeforeAll
  static void start() {
    federation = FederationProcess.start(LEAST.nodes());
  }

  @AfterAll
  static void stop() {
    federation.close();
  }

  @Test
  void roundTripsWithAllSitesKeepTheirPromise() {
    List<?> lines = (List<?>) Question.ROUND_TRIPS.answer(LEAST).figures();

    assertThat(lines)
        .hasSize(18)
        .allSatisfy(
            line -> {
              RoundTrips.Line counted = (RoundTrips.Line) line;
              assertThat(counted.mean()).isBetween(1.0, counted.promised() + 1);
              assertThat(counted.requestsPerOperation()).isGreaterThanOrEqualTo(2);
            });
  }

  @Test
  void weakIsComparedWithAPlainCache() {
    List<?> lines = (List<?>) Question.WEAK_RATIO.answer(LEAST, federation).figures();

    assertThat(lines)
        .hasSize(8)
        .allSatisfy(
            line -> {
              WeakRatio.Line compared = (WeakRatio.Line) line;
              assertThat(compared.result().second().latencies().count()).isPositive();
              assertThat(compared.result().first().latencies().count()).isPositive();
            });
  }

  @Test
  void envelopesAddBytes() {
    List<?> lines = (List<?>) Question.ENVELOPE.answer(LEAST, federation).figures();

    assertThat(lines)
        .hasSize(14)
        .allSatisfy(
            line ->
                assertThat(((EnvelopeSize.Line) line).overheadBytes()).isBetween(20.0, 1_000.0));
  }

  @Test
  void mwmrIsComparedWithWeakAndItsRequestsCounted() {
    List<?> lines = (List<?>) Question.MWMR_RATIO.answer(LEAST, federation).figures();

    assertThat(lines)
        .hasSize(2)
        .allSatisfy(
            line -> {
              MwmrRatio.Line compared = (MwmrRatio.Line) line;
              assertThat(compared.requestRatio()).isBetween(0.1, 1.0);
              assertThat(compared.result().first().latencies().count()).isPositive();
            });
  }

  @Test
  void aClientsMemoryIsMeasured() {
    List<?> lines = (List<?>) Question.MEMORY.answer(LEAST, federation).figures();

    assertThat(lines)
        .extracting(line -> ((ClientMemory.Line) line).client())
        .containsExactly("plain", "WEAK", "MWMR");
  }

  @Test
  void numbersAreSpreadOverAllKeys() {
    long distinct =
        java.util.stream.LongStream.range(0, 20L * KEYS)
            .map(n -> WeakRatio.mixed(n, KEYS))
            .peek(key -> assertThat(key).isBetween(0L, KEYS - 1L))
            .distinct()
            .count();

    assertThat(distinct).isGreaterThan(KEYS * 99L / 100);
  }
}

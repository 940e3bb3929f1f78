package io.ensemble.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Every measuring program runs to its answer, with the least effort: the figures mean nothing here.
 */
class QuestionsIT {

  private static final Effort LEAST = new Effort(20, 1, 10, 300, 1, line -> {});

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
    List<?> lines = (List<?>) Question.WEAK_RATIO.answer(LEAST).figures();

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
    List<?> lines = (List<?>) Question.ENVELOPE.answer(LEAST).figures();

    assertThat(lines)
        .hasSize(14)
        .allSatisfy(
            line ->
                assertThat(((EnvelopeSize.Line) line).overheadBytes()).isBetween(20.0, 1_000.0));
  }

  @Test
  void numbersAreSpreadOverAllKeys() {
    long distinct =
        java.util.stream.LongStream.range(0, 20L * WeakRatio.KEYS)
            .map(WeakRatio::mixed)
            .peek(key -> assertThat(key).isBetween(0L, WeakRatio.KEYS - 1L))
            .distinct()
            .count();

    assertThat(distinct).isGreaterThan(WeakRatio.KEYS * 99L / 100);
  }
}

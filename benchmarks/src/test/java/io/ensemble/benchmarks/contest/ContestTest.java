package io.ensemble.benchmarks.contest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.benchmarks.contest.Contest.ContestSlice;
import io.ensemble.benchmarks.contest.Contest.Result;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ContestTest {

  private static final long SECOND = 1_000_000_000;

  /** Two contenders over two rounds: the second is half as fast, and cleans up for as long. */
  private static Contest.ContestResults standings() {
    List<ContestSlice> clean =
        List.of(new ContestSlice(100, SECOND, SECOND), new ContestSlice(300, SECOND, SECOND));
    List<ContestSlice> untidy =
        List.of(
            new ContestSlice(50, SECOND, 2 * SECOND), new ContestSlice(150, SECOND, 2 * SECOND));
    return new Contest.ContestResults(List.of(), List.of(clean, untidy));
  }

  @Test
  void whoDoesHalfAsMuchInARoundHasHalfTheRate() {
    assertThat(standings().ratio(1, 0)).isEqualTo(new RatioSpread(0.5, 0.5, 0.5, 2));
    assertThat(standings().ratio(0, 1)).isEqualTo(new RatioSpread(2, 2, 2, 2));
  }

  @Test
  void timeToSettleCountsInTheSettledRatioOnly() {
    assertThat(standings().settledRatio(1, 0)).isEqualTo(new RatioSpread(0.25, 0.25, 0.25, 2));
  }

  @Test
  void everyContenderSettlesAfterEachOfItsTurns() {
    AtomicLong settled = new AtomicLong();
    Contender clean = new Contender("clean", n -> spin(1_000));
    Contender untidy =
        new Contender("untidy", n -> spin(1_000), () -> spin(settled.incrementAndGet()));

    Result result = new Contest(1, 5, 1, 3).run(untidy, clean);

    assertThat(settled).hasValue(4);
    assertThat(result.ratio().slices()).isEqualTo(3);
    assertThat(result.first().settledPerSecond()).isLessThanOrEqualTo(result.first().perSecond());
  }

  @Test
  void numbersCountUpOverThreadsAndSlices() {
    Set<Long> seen = ConcurrentHashMap.newKeySet();
    Contender counted =
        new Contender("counted", n -> assertThat(seen.add(n)).as("each number once").isTrue());

    Result result = new Contest(4, 10, 0, 2).run(counted, new Contender("other", n -> spin(1_000)));

    assertThat(seen).hasSize((int) result.first().latencies().count());
  }

  @Test
  void eachThreadMakesAnOperationEvenIfItStartsAfterTheEndOfTheSlice() {
    Contender one = new Contender("one", n -> spin(1_000));

    Result result = new Contest(4, 0, 0, 3).run(one, new Contender("other", n -> spin(1_000)));

    assertThat(result.first().latencies().count()).isEqualTo(4 * 3);
  }

  @Test
  void eachOfManyHasTurnsKindsAndAMeterOfItsOwn() {
    AtomicLong used = new AtomicLong();
    Contender small =
        new Contender("small", n -> use(used, 1), () -> {}, number -> number % 4 == 0);
    Contender large = new Contender("large", n -> use(used, 10), () -> {}, number -> true);
    Contender idle = new Contender("idle", n -> use(used, 0));

    Contest.ContestResults standings =
        new Contest(1, 10, 1, 3).run(List.of(small, large, idle), () -> Map.of("used", used.get()));

    assertThat(standings.showings())
        .extracting(Contest.ContestantResult::name)
        .containsExactly("small", "large", "idle");
    Contest.ContestantResult first = standings.showings().get(0);
    Contest.ContestantResult second = standings.showings().get(1);
    assertThat(first.spent()).containsEntry("used", first.latencies().count());
    assertThat(second.spent()).containsEntry("used", 10 * second.latencies().count());
    assertThat(standings.showings().get(2).spent()).containsEntry("used", 0L);
    assertThat(first.reads().count()).isGreaterThan(2 * first.writes().count());
    assertThat(second.reads().count()).isZero();
    assertThat(standings.ratio(0, 0)).isEqualTo(new RatioSpread(1, 1, 1, 3));
  }

  private static void use(AtomicLong used, long amount) {
    spin(10_000);
    used.addAndGet(amount);
  }

  @Test
  void aFailureEndsTheContest() {
    Contender failing =
        new Contender(
            "failing",
            n -> {
              throw new IllegalStateException("operation " + n);
            });

    assertThatThrownBy(() -> new Contest(2, 10, 1, 1).run(failing, failing))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("operation ");
  }

  @Test
  void aSpreadIsMedianAndEnds() {
    assertThat(RatioSpread.of(List.of(0.5, 3.0, 1.0))).isEqualTo(new RatioSpread(1.0, 0.5, 3.0, 3));
    assertThat(RatioSpread.of(List.of(1.0, 2.0))).isEqualTo(new RatioSpread(1.5, 1.0, 2.0, 2));
    assertThatIllegalArgumentException().isThrownBy(() -> RatioSpread.of(List.of()));
  }

  private static void spin(long nanos) {
    long end = System.nanoTime() + nanos;
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
  }
}

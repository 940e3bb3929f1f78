package io.ensemble.cache.swmr.window;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.InDoubtWrites.Fate;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.schedule.ThreadScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Each acknowledged write in doubt is reported once as unknown, and once with its fate. */
class InDoubtTrackerTest extends InDoubtTrackerFixture {

  @Test
  void upToWhatIsFoundAllAreKeptAndTheOthersLost() {
    threeInDoubt();
    settleBy(TWO);
    assertThat(reports).containsExactlyInAnyOrder("11 KEPT", "12 KEPT", "13 LOST");
    assertThat(doubtful).isZero();
  }

  @Test
  void allAreLostWhereThatIsFoundWhichTheFirstReplaced() {
    threeInDoubt();
    settleBy(BEFORE);
    assertThat(reports).containsExactlyInAnyOrder("11 LOST", "12 LOST", "13 LOST");
  }

  @Test
  void nobodyKnowsWhatAnotherHasOverwritten() {
    threeInDoubt();
    settleBy(OTHER);
    assertThat(reports)
        .containsExactlyInAnyOrder("11 OVERWRITTEN", "12 OVERWRITTEN", "13 OVERWRITTEN");
  }

  @Test
  void theNextOwnWriteTellsByWhatItReplaces() {
    threeInDoubt();
    doubts.written(KEY, 1, TWO); // A write of the same epoch decides nothing.
    listen();
    assertThat(reports).isEmpty();

    doubts.written(KEY, 2, ONE);
    listen();

    assertThat(reports).containsExactlyInAnyOrder("11 KEPT", "12 LOST", "13 LOST");
    settleBy(TWO);
    assertThat(reports).as("told once").hasSize(3);
  }

  @Test
  void nothingIsToldBeforeEveryKeyIsRecovered() {
    threeInDoubt();
    found.put(KEY, Optional.of(TWO));
    present = present.succeeded("b", SELF);
    seen();
    present = present.activated();
    seen();
    scheduler.run(() -> false, Duration.ofMillis(10), 1_000);
    assertThat(reports).isEmpty();
  }

  @Test
  void whatWasNotAcknowledgedIsNotToldButCounts() {
    doubts.add(List.of(write(ONE, BEFORE, true), write(TWO, ONE, false)));
    listen();
    assertThat(reports).containsExactly("11 UNKNOWN");

    settleBy(TWO);

    assertThat(reports).containsExactly("11 UNKNOWN", "11 KEPT");
  }

  @Test
  void theTermsAreLookedAtUntilNothingIsInDoubt() {
    threeInDoubt();
    scheduler.run(() -> false, Duration.ofSeconds(1), 1_000);
    assertThat(looks).isGreaterThan(5);

    settleBy(THREE);
    scheduler.run(() -> false, Duration.ofSeconds(1), 1_000);
    int then = looks;
    scheduler.run(() -> false, Duration.ofSeconds(1), 1_000);

    assertThat(looks).isEqualTo(then);
  }

  @Test
  void aListenerThatThrowsKeepsNothingFromOthers() {
    telling.listen(
        report -> {
          throw new IllegalStateException("planted");
        });
    List<Fate> heard = new ArrayList<>();
    Runnable end = telling.listen(report -> heard.add(report.fate()));

    threeInDoubt();
    end.run();
    settleBy(TWO);

    assertThat(heard).containsExactly(Fate.UNKNOWN);
    assertThat(reports).hasSize(3);
  }

  @Test
  void aListenerThatWaitsDelaysNothingButReports() throws Exception {
    try (ThreadScheduler threads = new ThreadScheduler()) {
      CountDownLatch entered = new CountDownLatch(1);
      CountDownLatch free = new CountDownLatch(1);
      List<Fate> heard = new CopyOnWriteArrayList<>();
      InDoubtReporter slow = new InDoubtReporter("c", threads, CacheMetrics.NONE);
      slow.listen(
          report -> {
            entered.countDown();
            try {
              free.await(60, TimeUnit.SECONDS);
            } catch (InterruptedException ended) {
              throw new IllegalStateException(ended);
            }
            heard.add(report.fate());
          });

      slow.report(Fate.UNKNOWN, List.of(write(ONE, BEFORE, true)));
      assertThat(entered.await(60, TimeUnit.SECONDS)).isTrue();
      slow.report(Fate.LOST, List.of(write(ONE, BEFORE, true)));
      assertThat(heard).isEmpty();
      free.countDown();

      CountDownLatch all = new CountDownLatch(1);
      slow.listen(report -> all.countDown());
      slow.report(Fate.KEPT, List.of(write(TWO, ONE, true)));
      assertThat(all.await(60, TimeUnit.SECONDS)).isTrue();
      slow.close();
      assertThat(heard).startsWith(Fate.UNKNOWN, Fate.LOST);
    }
  }

  @Test
  void whatWaitsWhenTheCacheIsClosedIsToldByWhoeverClosesIt() {
    doubts.add(List.of(write(ONE, BEFORE, true)));
    telling.close();
    assertThat(reports).containsExactly("11 UNKNOWN");
  }

  @Test
  void itsOwnEpochTellsNothing() {
    threeInDoubt();
    found.put(KEY, Optional.of(TWO));
    present = present.activated().recovered();
    seen();
    scheduler.run(() -> false, Duration.ofMillis(10), 1_000);

    assertThat(present.epoch()).isEqualTo(1);
    assertThat(reports).isEmpty();
    assertThat(doubtful).isEqualTo(3);
  }

  @Test
  void whatCouldNotBeReadStaysInDoubtUntilItCanBe() {
    threeInDoubt();
    present = present.succeeded("b", SELF).activated().recovered();
    seen(); // The primary does not answer yet.
    scheduler.run(() -> false, Duration.ofMillis(10), 1_000);
    assertThat(reports).isEmpty();
    assertThat(doubtful).isEqualTo(3);

    found.put(KEY, Optional.of(THREE));
    scheduler.run(() -> false, Duration.ofSeconds(1), 1_000); // The tracker reads again.

    assertThat(reports).containsExactly("11 KEPT", "12 KEPT", "13 KEPT");
    assertThat(doubtful).isZero();
  }

  @Test
  void afterTheCloseNothingIsLookedAtNorTold() {
    threeInDoubt();
    doubts.close();
    int then = looks;

    settleBy(TWO);
    doubts.written(KEY, 3, TWO);
    scheduler.run(() -> false, Duration.ofSeconds(2), 1_000);

    assertThat(looks).isEqualTo(then);
    assertThat(reports).isEmpty();
  }
}

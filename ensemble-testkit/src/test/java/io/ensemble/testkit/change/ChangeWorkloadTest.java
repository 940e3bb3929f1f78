package io.ensemble.testkit.change;

import static io.ensemble.testkit.change.ChangeScene.strong;
import static io.ensemble.testkit.change.ChangeScene.weak;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.change.ChangeRules;
import io.ensemble.testkit.change.ChangeWorkload.Run;
import io.ensemble.testkit.history.Verdict;
import io.ensemble.trust.TrustRules;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A cache becomes another one under load, and no user can tell from what it holds. */
@Execution(ExecutionMode.CONCURRENT)
final class ChangeWorkloadTest {

  private static final CacheDefinition WEAK = weak("s0", "s1");
  private static final CacheDefinition STRONG = strong("s1", "s2", "s3");
  private static final ChangeWorkload STRONGS = ChangeWorkload.of(strong("s0", "s1", "s2"), STRONG);

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void weakBecomesStrongUnderLoad(long seed) {
    verify(ChangeWorkload.of(WEAK, STRONG).run(seed), STRONG);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void sitesOfStrongRotateUnderLoad(long seed) {
    verify(STRONGS.run(seed), STRONG);
  }

  @Test
  void theMoverMayDieBeforeAnyErrandOfWeakToStrong() {
    everyErrand(ChangeWorkload.of(WEAK, STRONG));
  }

  @Test
  void theMoverMayDieBeforeAnyErrandOfStrongToStrong() {
    everyErrand(STRONGS);
  }

  @Test
  void aMoverThatDoesNotOutwaitTrustIsCaught() {
    ChangeRules hasty =
        new ChangeRules(TrustRules.STANDARD) {
          @Override
          public boolean isOver(long endedNanos, long nowNanos) {
            return true;
          }
        };

    assertThat(isCaught(ChangeWorkload.of(WEAK, STRONG).with(TrustRules.STANDARD, hasty))).isTrue();
    assertThat(isCaught(STRONGS.with(TrustRules.STANDARD, hasty))).isTrue();
  }

  @Test
  void aSleeperThatTrustsForEverIsCaught() {
    TrustRules blind =
        new TrustRules(2_000_000_000L, 200_000_000L) {
          @Override
          public boolean holds(long askedNanos, long nowNanos) {
            return true;
          }

          @Override
          public long renewalNanos() {
            return Duration.ofHours(1).toNanos();
          }
        };
    ChangeRules rules = new ChangeRules(TrustRules.STANDARD);

    assertThat(isCaught(ChangeWorkload.of(WEAK, STRONG).with(blind, rules))).isTrue();
    assertThat(isCaught(STRONGS.with(blind, rules))).isTrue();
  }

  /** Whether some run has a history that is wrong. */
  private static boolean isCaught(ChangeWorkload workload) {
    for (long seed = 1; seed <= 20; seed++) {
      if (workload.run(seed).verdict() instanceof Verdict.Violation) {
        return true;
      }
    }
    return false;
  }

  private static void everyErrand(ChangeWorkload workload) {
    for (int errand = 0; ; errand++) {
      Run run = workload.dying(errand).run(errand);
      verify(run, STRONG);
      if (run.errands().size() <= errand) {
        assertThat(errand).as("errands of a change").isGreaterThanOrEqualTo(8);
        return;
      }
    }
  }

  private static void verify(Run run, CacheDefinition to) {
    assertThat(run.finished()).as("it came to an end").isTrue();
    assertThat(run.verdict()).as("history").isInstanceOf(Verdict.Linearizable.class);
    assertThat(run.stored().definition()).isEqualTo(to);
    assertThat(run.stored().change()).isEmpty();
    assertThat(run.stored().configuration()).isEqualTo(2);
    assertThat(run.shared().answeredBefore).as("answers before").isPositive();
    assertThat(run.shared().answeredAfter).as("answers after").isPositive();
  }
}

package io.ensemble.simulation.change;

import static io.ensemble.simulation.change.ChangeFixture.single;
import static io.ensemble.simulation.change.ChangeFixture.strong;
import static io.ensemble.simulation.change.ChangeFixture.weak;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ChangeRules;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.lease.ConfigurationLeaseRules;
import io.ensemble.simulation.change.ChangeWorkload.Run;
import io.ensemble.testkit.linearizability.FailureArtifacts;
import io.ensemble.testkit.linearizability.LinearizabilityVerdict;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A cache is changed under load, and its history is linearizable for each key. */
@Execution(ExecutionMode.CONCURRENT)
final class ChangeWorkloadTest {

  private static final boolean DEEP = Boolean.getBoolean("ensemble.deep");
  private static final CacheDefinition WEAK = weak("s0", "s1");
  private static final CacheDefinition STRONG = strong("s1", "s2", "s3");
  private static final CacheDefinition SINGLE = single("s1", "s2", "s3");
  private static final CacheDefinition FROM_SINGLE = single("s0", "s1", "s2");
  private static final ChangeWorkload SINGLES = ChangeWorkload.of(FROM_SINGLE, SINGLE);
  private static final ChangeRules HASTY =
      new ChangeRules(ConfigurationLeaseRules.STANDARD) {
        @Override
        public boolean isOver(long endedNanos, long nowNanos) {
          return true;
        }
      };
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

  /** As after the replacement of a node: the cache keeps its sites and gets new stores. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void aCacheComesToNewStoresAtItsOwnSitesUnderLoad(long seed) {
    for (CacheDefinition same : List.of(STRONG, SINGLE)) {
      Run run = ChangeWorkload.of(same, same).writing((int) (seed % 2)).run(seed);

      verify(run, same);
      assertThat(run.errands()).contains("Seal").contains("Finish");
    }
  }

  @Test
  @Tag("deep")
  void theMoverMayDieBeforeAnyErrandOfWeakToStrong() {
    everyErrand(ChangeWorkload.of(WEAK, STRONG));
  }

  @Test
  void theMoverMayDieBeforeAnyErrandOfStrongToStrong() {
    everyErrand(STRONGS);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void strongComesUnderAWriterUnderLoad(long seed) {
    verify(ChangeWorkload.of(strong("s0", "s1", "s2"), SINGLE).run(seed), SINGLE);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void weakComesUnderAWriterUnderLoad(long seed) {
    verify(ChangeWorkload.of(WEAK, SINGLE).run(seed), SINGLE);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void aCacheWithAWriterBecomesStrongUnderLoad(long seed) {
    int writer = (int) (seed % 2); // The suspended process or another one.
    verify(ChangeWorkload.of(FROM_SINGLE, STRONG).writing(writer).run(seed), STRONG);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void sitesOfACacheWithAWriterRotateUnderLoad(long seed) {
    verify(SINGLES.writing((int) (seed % 2)).run(seed), SINGLE);
  }

  @Test
  void theMoverMayDieBeforeAnyErrandOfACacheWithAWriter() {
    everyErrand(SINGLES);
  }

  @Tag("deep")
  @Test
  void theMoverMayDieBeforeAnyErrandWhileAReaderSleeps() {
    everyErrand(SINGLES.writing(1));
    everyErrand(ChangeWorkload.of(FROM_SINGLE, STRONG).writing(1));
    everyErrand(ChangeWorkload.of(strong("s0", "s1", "s2"), SINGLE));
    everyErrand(ChangeWorkload.of(WEAK, SINGLE));
  }

  @Test
  void whoHasJoinedTakesOverFromAMoverThatDiesBeforeAnyErrand() {
    everyErrand(STRONGS.withAnotherThatJoined());
  }

  @Test
  void whoHasJoinedLeavesAMoverAloneThatLives() {
    Run run = STRONGS.withAnotherThatJoined().run(5);

    verify(run, STRONG);
    assertThat(run.errands()).contains("Finish");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2})
  void usersAreAnsweredWhileKeysAreTakenOver(long seed) {
    for (CacheDefinition from : List.of(strong("s0", "s1", "s2"), WEAK, FROM_SINGLE)) {
      Run run = ChangeWorkload.of(from, STRONG).writing(1).paced(1).sleepingLate().run(seed);

      verify(run, STRONG);
      assertThat(run.errands()).contains("TakeOver");
      assertThat(run.shared().answeredDuringCutover).as("answers meanwhile").isGreaterThan(100);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {3, 4})
  void theMoverMayDieWhileItTakesKeysOver(long seed) {
    for (CacheDefinition from : List.of(strong("s0", "s1", "s2"), WEAK, FROM_SINGLE)) {
      ChangeWorkload workload = ChangeWorkload.of(from, STRONG).paced(2).sleepingLate();
      int during = workload.run(seed).errands().indexOf("TakeOver");

      Run run = workload.dying(during).run(seed);

      verify(run, STRONG);
      assertThat(run.errands()).last().isEqualTo("TakeOver");
    }
  }

  @Test
  void aMoverThatDoesNotOutwaitTermsIsCaught() {
    assertThat(isCaught(4, SINGLES.writing(1).with(ConfigurationLeaseRules.STANDARD, HASTY)))
        .isTrue();
  }

  @Test
  void termsThatAreEndedAtAMinorityAreCaught() {
    ChangeRules few =
        new ChangeRules(ConfigurationLeaseRules.STANDARD) {
          @Override
          public int ends(int sites, boolean each) {
            return 1;
          }
        };

    assertThat(
            isCaught(1, SINGLES.cuttingTheMoverOff().with(ConfigurationLeaseRules.STANDARD, few)))
        .isTrue();
    verify(SINGLES.cuttingTheMoverOff().run(1), SINGLE);
  }

  @Test
  void aMoverThatDoesNotOutwaitTrustIsCaught() {
    ChangeWorkload weakToStrong = ChangeWorkload.of(WEAK, STRONG);

    assertThat(isCaught(3, weakToStrong.with(ConfigurationLeaseRules.STANDARD, HASTY))).isTrue();
    assertThat(isCaught(2, STRONGS.with(ConfigurationLeaseRules.STANDARD, HASTY))).isTrue();
  }

  @Test
  void aSleeperThatTrustsForEverIsCaught() {
    ConfigurationLeaseRules blind =
        new ConfigurationLeaseRules(2_000_000_000L, 200_000_000L) {
          @Override
          public boolean holds(long askedNanos, long nowNanos) {
            return true;
          }

          @Override
          public long renewalNanos() {
            return Duration.ofHours(1).toNanos();
          }
        };
    ChangeRules rules = new ChangeRules(ConfigurationLeaseRules.STANDARD);

    assertThat(isCaught(1, ChangeWorkload.of(WEAK, STRONG).with(blind, rules))).isTrue();
    assertThat(isCaught(1, STRONGS.with(blind, rules))).isTrue();
  }

  /** Whether some run has a wrong history; the run of seed {@code first} most likely has one. */
  private static boolean isCaught(long first, ChangeWorkload workload) {
    for (long seed = first; seed < first + 20; seed++) {
      if (workload.run(seed).verdict() instanceof LinearizabilityVerdict.Violation) {
        return true;
      }
    }
    return false;
  }

  private static void everyErrand(ChangeWorkload workload) {
    boolean all = DEEP || !workload.joined();
    for (int errand = 0; ; errand += DEEP ? 1 : 2) {
      Run run = workload.dying(errand).run(errand);
      if (!all && run.errands().contains("Remove")) {
        return; // The process that has joined waits for a minute then.
      }
      verify(run, workload.to());
      if (run.errands().size() <= errand) {
        assertThat(errand).as("errands of a change").isGreaterThanOrEqualTo(8);
        return;
      }
    }
  }

  private static void verify(Run run, CacheDefinition to) {
    assertThat(run.finished()).as("it came to an end").isTrue();
    FailureArtifacts.requireLinearizable(
        run.verdict(),
        run.shared().recorder.history(),
        ChangeWorkloadTest.class,
        run.errands().size());
    assertThat(run.stored().definition()).isEqualTo(to);
    ConfigurationChange left = run.stored().change().orElse(null);
    if (left != null) { // Lost messages may leave a former store after three attempts.
      assertThat(Collections.frequency(run.errands(), "Remove")).isEqualTo(3);
      assertThat(left.step()).isEqualTo(ChangePhase.CLOSING);
      assertThat(left.remains()).isNotEmpty();
    }
    assertThat(run.stored().configuration()).isEqualTo(2);
    assertThat(run.shared().answeredBefore).as("answers before").isPositive();
    assertThat(run.shared().answeredAfter).as("answers after").isPositive();
  }
}

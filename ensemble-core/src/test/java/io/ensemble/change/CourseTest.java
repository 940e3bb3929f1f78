package io.ensemble.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.trust.TrustRules;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What a mover does next. */
final class CourseTest {

  private static final CacheDefinition TO =
      CacheDefinition.of("c", Mode.SWMR).sites("x", "y").build();
  private static final CacheDefinition REGISTERS =
      CacheDefinition.of("c", Mode.MWMR).sites("x", "y").build();
  private static final Map<String, String> LIVES = Map.of("x", "00000001", "y", "00000002");
  private static final ChangeRules RULES = new ChangeRules(new TrustRules(100, 10));

  private static Change begun() {
    return Change.begun(TO, LIVES, "me", new TreeSet<>());
  }

  /** Those of a mover that was overtaken hold nothing that was acknowledged. */
  @Test
  void onlyStoresThatServedAreAbandoned() {
    Remains never = new Remains("x", "never");
    Remains first = new Remains("x", "first");
    Remains second = new Remains("x", "second");
    Change joint = Change.begun(TO, LIVES, "me", new TreeSet<>(Set.of(never))).at(Step.JOINT);

    Change restarted = joint.restarted("you", LIVES, Set.of(first));
    Change again =
        restarted
            .takenOver("them", LIVES, Set.of(new Remains("x", "overtaken")))
            .at(Step.JOINT)
            .restarted("me", LIVES, Set.of(second));

    assertThat(restarted.abandoned()).containsExactly(first);
    assertThat(again.abandoned()).containsExactly(first, second);
    assertThat(again.remains()).contains(never, first, second);
  }

  @Test
  void everythingIsCopiedBeforeAnythingEndsAndAgainAfterwards() {
    Course course = new Course(RULES, 3, false);
    Change change = begun();

    assertThat(course.next(change, 0)).isEqualTo(new Errand.Make());
    course.made();
    assertThat(course.next(change, 0)).isEqualTo(new Errand.Advance(Step.COPYING));
    change = change.at(Step.COPYING);
    assertThat(course.next(change, 0)).isEqualTo(new Errand.Copy(false));
    course.copied(false);
    assertThat(course.next(change, 0)).isEqualTo(new Errand.Advance(Step.SEALING));
    change = change.at(Step.SEALING);
    assertThat(course.next(change, 0)).isEqualTo(new Errand.Seal(Set.of(0, 1, 2)));
    course.ended(2, 1_000);
    assertThat(course.next(change, 1_000)).isEqualTo(new Errand.Seal(Set.of(0, 1)));
    course.ended(0, 1_050);
    course.ended(1, 1_090);
    assertThat(course.next(change, 1_100)).isEqualTo(new Errand.Outwait(1_160));
    assertThat(course.next(change, 1_159)).isInstanceOf(Errand.Outwait.class);
    assertThat(course.next(change, 1_160)).isEqualTo(new Errand.Copy(true));
    course.copied(true);
    assertThat(course.next(change, 1_160)).isEqualTo(new Errand.Advance(Step.CLOSING));
    Remains former = new Remains("a", "c.1");
    change = change.ending(Step.CLOSING, Set.of(former));
    assertThat(course.next(change, 1_160)).isEqualTo(new Errand.Remove(Set.of(former)));
    course.removed(Set.of(former));
    assertThat(course.next(change, 1_160)).isEqualTo(new Errand.Finish(Set.of()));
  }

  @Test
  void registersServeAtOnceAndTakeKeysOverBeforeTheFormerStoresGo() {
    Course course = new Course(RULES, 1, false);
    Change change = Change.begun(REGISTERS, LIVES, "me", new TreeSet<>()).at(Step.SEALING);
    course.made();
    course.ended(0, 1_000);

    assertThat(course.next(change, 1_109)).isEqualTo(new Errand.Outwait(1_110));
    assertThat(course.next(change, 1_110)).isEqualTo(new Errand.Advance(Step.JOINT));
    change = change.at(Step.JOINT);
    assertThat(course.next(change, 1_110)).isEqualTo(new Errand.TakeOver());
    Course successor = new Course(RULES, 1, false);
    assertThat(successor.next(change, 1_110)).isEqualTo(new Errand.TakeOver());
    assertThat(RULES.takesOtherStores(Step.JOINT)).isFalse();
    assertThat(RULES.mayGiveUp(Step.JOINT)).isFalse();
    successor.tookOver();
    assertThat(successor.next(change, 1_110)).isEqualTo(new Errand.Advance(Step.CLOSING));
  }

  @Test
  void whereEachSiteAnswersForItselfEachIsEnded() {
    assertThat(RULES.ends(3, true)).isEqualTo(3);
    assertThat(RULES.ends(3, false)).isEqualTo(2);
    assertThat(RULES.ends(2, false)).isEqualTo(2);
  }

  @Test
  void whoTakesOverMakesStoresOfItsOwnAndWaitsAnew() {
    Change taken =
        begun()
            .at(Step.SEALING)
            .takenOver(
                "you",
                Map.of("x", "00000003", "y", "00000004"),
                Set.of(new Remains("x", "c.2.old")));
    Course course = new Course(RULES, 1, false);

    assertThat(taken.turn()).isEqualTo(2);
    assertThat(taken.step()).isEqualTo(Step.SEALING);
    assertThat(course.next(taken, 0)).isEqualTo(new Errand.Make());
    course.made();
    assertThat(course.next(taken, 0)).isEqualTo(new Errand.Seal(Set.of(0)));
    course.ended(0, 500);
    assertThat(course.next(taken, 500)).isEqualTo(new Errand.Outwait(610));
  }

  @Test
  void aStoreThatCannotBeRemovedDoesNotHoldTheChangeForEver() {
    Remains lost = new Remains("a", "c.1");
    Change change = begun().ending(Step.ABORTING, Set.of(lost));
    Course course = new Course(RULES, 1, false);

    for (int i = 0; i < 3; i++) {
      assertThat(course.next(change, 0)).isEqualTo(new Errand.Remove(Set.of(lost)));
      course.removed(Set.of());
    }

    assertThat(course.next(change, 0)).isEqualTo(new Errand.Finish(Set.of(lost)));
  }

  @Test
  void aChangeHasOneStoreForEachOfItsSites() {
    assertThatThrownBy(() -> Change.begun(TO, Map.of("x", "00000001"), "me", new TreeSet<>()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("[x, y]");
    assertThat(RULES.mayGiveUp(Step.COPYING)).isTrue();
    assertThat(RULES.mayGiveUp(Step.SEALING)).isFalse();
  }

  @Test
  void aRestartedChangeServesAgainWhenWhatItHasAbandonedIsFencedOutwaitedAndRead() {
    Remains lost = new Remains("x", "c.2.lost");
    Change change =
        Change.begun(REGISTERS, LIVES, "me", new TreeSet<>())
            .at(Step.JOINT)
            .restarted("you", Map.of("x", "00000003", "y", "00000004"), Set.of(lost));
    Course course = new Course(RULES, 1, false);
    long abandoned = RULES.abandonNanos();

    assertThat(change.step()).isEqualTo(Step.SEALING);
    assertThat(change.restarts()).isEqualTo(1);
    assertThat(change.turn()).isEqualTo(2);
    assertThat(change.remains()).containsExactly(lost);
    assertThat(course.next(change, 0)).isEqualTo(new Errand.Make());
    course.made();
    assertThat(course.next(change, 0)).isEqualTo(new Errand.Seal(Set.of(0)));
    course.ended(0, 1_000);
    assertThat(course.next(change, 1_000)).isEqualTo(new Errand.Fence());
    course.fenced(1_050);
    assertThat(course.next(change, 1_100)).isEqualTo(new Errand.Outwait(1_110));
    assertThat(course.next(change, 1_110)).isEqualTo(new Errand.Outwait(1_050 + abandoned));
    long later = 1_050 + abandoned;
    assertThat(course.next(change, later)).isEqualTo(new Errand.Salvage());
    course.unfenced(); // One has come back.
    assertThat(course.next(change, later)).isEqualTo(new Errand.Fence());
    course.fenced(later);
    assertThat(course.next(change, later)).isEqualTo(new Errand.Outwait(later + abandoned));
    later += abandoned;
    assertThat(course.next(change, later)).isEqualTo(new Errand.Salvage());
    course.salvaged();
    assertThat(course.next(change, later)).isEqualTo(new Errand.Advance(Step.JOINT));
    assertThat(change.ending(Step.CLOSING, Set.of()).restarts()).isEqualTo(1);
  }

  @Test
  void aChangeIsRestartedInJointOnly() {
    for (Step step : Step.values()) {
      assertThat(RULES.mayRestart(step)).as("%s", step).isEqualTo(step == Step.JOINT);
    }
  }
}

package io.ensemble.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.lease.ConfigurationLeaseRules;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The next action of a mover. */
final class ChangeStateMachineTest {

  private static final CacheDefinition TO =
      CacheDefinition.of("c", Mode.SWMR).sites("x", "y").build();
  private static final CacheDefinition REGISTERS =
      CacheDefinition.of("c", Mode.MWMR).sites("x", "y").build();
  private static final Map<String, String> LIVES = Map.of("x", "00000001", "y", "00000002");
  private static final ChangeRules RULES = new ChangeRules(new ConfigurationLeaseRules(100, 10));

  private static ConfigurationChange begun() {
    return ConfigurationChange.begun(TO, LIVES, "me", new TreeSet<>());
  }

  /** The stores of a mover that was overtaken never served, so they hold no acknowledged write. */
  @Test
  void onlyStoresThatServedAreAbandoned() {
    ObsoleteStore never = new ObsoleteStore("x", "never");
    ObsoleteStore first = new ObsoleteStore("x", "first");
    ObsoleteStore second = new ObsoleteStore("x", "second");
    ConfigurationChange cutover =
        ConfigurationChange.begun(TO, LIVES, "me", new TreeSet<>(Set.of(never)))
            .at(ChangePhase.CUTOVER);

    ConfigurationChange restarted = cutover.restarted("you", LIVES, Set.of(first));
    ConfigurationChange again =
        restarted
            .takenOver("them", LIVES, Set.of(new ObsoleteStore("x", "overtaken")))
            .at(ChangePhase.CUTOVER)
            .restarted("me", LIVES, Set.of(second));

    assertThat(restarted.abandoned()).containsExactly(first);
    assertThat(again.abandoned()).containsExactly(first, second);
    assertThat(again.remains()).contains(never, first, second);
  }

  @Test
  void everythingIsCopiedBeforeAnythingEndsAndAgainAfterwards() {
    ChangeStateMachine course = new ChangeStateMachine(RULES, 3, false);
    ConfigurationChange change = begun();

    assertThat(course.next(change, 0)).isEqualTo(new ChangeAction.Make());
    course.made();
    assertThat(course.next(change, 0)).isEqualTo(new ChangeAction.Advance(ChangePhase.COPYING));
    change = change.at(ChangePhase.COPYING);
    assertThat(course.next(change, 0)).isEqualTo(new ChangeAction.Copy(false));
    course.copied(false);
    assertThat(course.next(change, 0)).isEqualTo(new ChangeAction.Advance(ChangePhase.SEALING));
    change = change.at(ChangePhase.SEALING);
    assertThat(course.next(change, 0)).isEqualTo(new ChangeAction.Seal(Set.of(0, 1, 2)));
    course.ended(2, 1_000);
    assertThat(course.next(change, 1_000)).isEqualTo(new ChangeAction.Seal(Set.of(0, 1)));
    course.ended(0, 1_050);
    course.ended(1, 1_090);
    assertThat(course.next(change, 1_100)).isEqualTo(new ChangeAction.AwaitLeaseExpiry(1_160));
    assertThat(course.next(change, 1_159)).isInstanceOf(ChangeAction.AwaitLeaseExpiry.class);
    assertThat(course.next(change, 1_160)).isEqualTo(new ChangeAction.Copy(true));
    course.copied(true);
    assertThat(course.next(change, 1_160)).isEqualTo(new ChangeAction.Advance(ChangePhase.CLOSING));
    ObsoleteStore former = new ObsoleteStore("a", "c.1");
    change = change.ending(ChangePhase.CLOSING, Set.of(former));
    assertThat(course.next(change, 1_160)).isEqualTo(new ChangeAction.Remove(Set.of(former)));
    course.removed(Set.of(former));
    assertThat(course.next(change, 1_160)).isEqualTo(new ChangeAction.Finish(Set.of()));
  }

  @Test
  void registersServeAtOnceAndTakeKeysOverBeforeTheFormerStoresGo() {
    ChangeStateMachine course = new ChangeStateMachine(RULES, 1, false);
    ConfigurationChange change =
        ConfigurationChange.begun(REGISTERS, LIVES, "me", new TreeSet<>()).at(ChangePhase.SEALING);
    course.made();
    course.ended(0, 1_000);

    assertThat(course.next(change, 1_109)).isEqualTo(new ChangeAction.AwaitLeaseExpiry(1_110));
    assertThat(course.next(change, 1_110)).isEqualTo(new ChangeAction.Advance(ChangePhase.CUTOVER));
    change = change.at(ChangePhase.CUTOVER);
    assertThat(course.next(change, 1_110)).isEqualTo(new ChangeAction.TakeOver());
    ChangeStateMachine successor = new ChangeStateMachine(RULES, 1, false);
    assertThat(successor.next(change, 1_110)).isEqualTo(new ChangeAction.TakeOver());
    assertThat(RULES.takesOtherStores(ChangePhase.CUTOVER)).isFalse();
    assertThat(RULES.canCancel(ChangePhase.CUTOVER)).isFalse();
    successor.tookOver();
    assertThat(successor.next(change, 1_110))
        .isEqualTo(new ChangeAction.Advance(ChangePhase.CLOSING));
  }

  @Test
  void whereEachSiteAnswersForItselfEachIsEnded() {
    assertThat(RULES.ends(3, true)).isEqualTo(3);
    assertThat(RULES.ends(3, false)).isEqualTo(2);
    assertThat(RULES.ends(2, false)).isEqualTo(2);
  }

  @Test
  void whoTakesOverMakesStoresOfItsOwnAndWaitsAnew() {
    ConfigurationChange taken =
        begun()
            .at(ChangePhase.SEALING)
            .takenOver(
                "you",
                Map.of("x", "00000003", "y", "00000004"),
                Set.of(new ObsoleteStore("x", "c.2.old")));
    ChangeStateMachine course = new ChangeStateMachine(RULES, 1, false);

    assertThat(taken.turn()).isEqualTo(2);
    assertThat(taken.step()).isEqualTo(ChangePhase.SEALING);
    assertThat(course.next(taken, 0)).isEqualTo(new ChangeAction.Make());
    course.made();
    assertThat(course.next(taken, 0)).isEqualTo(new ChangeAction.Seal(Set.of(0)));
    course.ended(0, 500);
    assertThat(course.next(taken, 500)).isEqualTo(new ChangeAction.AwaitLeaseExpiry(610));
  }

  @Test
  void aStoreThatCannotBeRemovedDoesNotHoldTheChangeForEver() {
    ObsoleteStore lost = new ObsoleteStore("a", "c.1");
    ConfigurationChange change = begun().ending(ChangePhase.ABORTING, Set.of(lost));
    ChangeStateMachine course = new ChangeStateMachine(RULES, 1, false);

    for (int i = 0; i < 3; i++) {
      assertThat(course.next(change, 0)).isEqualTo(new ChangeAction.Remove(Set.of(lost)));
      course.removed(Set.of());
    }

    assertThat(course.next(change, 0)).isEqualTo(new ChangeAction.Finish(Set.of(lost)));
  }

  @Test
  void aChangeHasOneStoreForEachOfItsSites() {
    assertThatThrownBy(
            () -> ConfigurationChange.begun(TO, Map.of("x", "00000001"), "me", new TreeSet<>()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("[x, y]");
    assertThat(RULES.canCancel(ChangePhase.COPYING)).isTrue();
    assertThat(RULES.canCancel(ChangePhase.SEALING)).isFalse();
  }

  @Test
  void aRestartedChangeServesAgainWhenWhatItHasAbandonedIsFencedOutwaitedAndRead() {
    ObsoleteStore lost = new ObsoleteStore("x", "c.2.lost");
    ConfigurationChange change =
        ConfigurationChange.begun(REGISTERS, LIVES, "me", new TreeSet<>())
            .at(ChangePhase.CUTOVER)
            .restarted("you", Map.of("x", "00000003", "y", "00000004"), Set.of(lost));
    ChangeStateMachine course = new ChangeStateMachine(RULES, 1, false);
    long abandoned = RULES.abandonNanos();

    assertThat(change.step()).isEqualTo(ChangePhase.SEALING);
    assertThat(change.restarts()).isEqualTo(1);
    assertThat(change.turn()).isEqualTo(2);
    assertThat(change.remains()).containsExactly(lost);
    assertThat(course.next(change, 0)).isEqualTo(new ChangeAction.Make());
    course.made();
    assertThat(course.next(change, 0)).isEqualTo(new ChangeAction.Seal(Set.of(0)));
    course.ended(0, 1_000);
    assertThat(course.next(change, 1_000)).isEqualTo(new ChangeAction.Fence());
    course.fenced(1_050);
    assertThat(course.next(change, 1_100)).isEqualTo(new ChangeAction.AwaitLeaseExpiry(1_110));
    assertThat(course.next(change, 1_110))
        .isEqualTo(new ChangeAction.AwaitLeaseExpiry(1_050 + abandoned));
    long later = 1_050 + abandoned;
    assertThat(course.next(change, later)).isEqualTo(new ChangeAction.Salvage());
    course.unfenced(); // An abandoned store is back.
    assertThat(course.next(change, later)).isEqualTo(new ChangeAction.Fence());
    course.fenced(later);
    assertThat(course.next(change, later))
        .isEqualTo(new ChangeAction.AwaitLeaseExpiry(later + abandoned));
    later += abandoned;
    assertThat(course.next(change, later)).isEqualTo(new ChangeAction.Salvage());
    course.salvaged();
    assertThat(course.next(change, later)).isEqualTo(new ChangeAction.Advance(ChangePhase.CUTOVER));
    assertThat(change.ending(ChangePhase.CLOSING, Set.of()).restarts()).isEqualTo(1);
  }

  @Test
  void aChangeIsRestartedInCutoverOnly() {
    for (ChangePhase changePhase : ChangePhase.values()) {
      assertThat(RULES.mayRestart(changePhase))
          .as("%s", changePhase)
          .isEqualTo(changePhase == ChangePhase.CUTOVER);
    }
  }
}

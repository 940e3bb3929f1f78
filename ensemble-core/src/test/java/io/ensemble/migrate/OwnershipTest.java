package io.ensemble.migrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.ensemble.CacheDefinition;
import io.ensemble.ChangeUnderWayException;
import io.ensemble.Mode;
import io.ensemble.catalog.CatalogException;
import io.ensemble.catalog.InMemoryDefinitions;
import io.ensemble.catalog.ManualScheduler;
import io.ensemble.catalog.SiteDirectory;
import io.ensemble.catalog.StoredDefinition;
import io.ensemble.change.Change;
import io.ensemble.change.ChangeRules;
import io.ensemble.change.Step;
import io.ensemble.growth.GrowthRules;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.WriterId;
import io.ensemble.trust.TrustRules;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who has a change, and for how long. */
final class OwnershipTest {

  private static final ChangeRules RULES = new ChangeRules(TrustRules.STANDARD);

  private final ManualScheduler scheduler = new ManualScheduler();
  private final InMemoryDefinitions definitions = new InMemoryDefinitions();
  private final Vigils vigils = new Vigils(RULES, new GrowthRules(TrustRules.STANDARD));
  private int tokens = 1;

  @BeforeEach
  void create() {
    CacheDefinition from = CacheDefinition.of("c", Mode.MWMR).sites("a").build();
    CacheDefinition to = CacheDefinition.of("c", Mode.MWMR).sites("b").build();
    StoredDefinition first =
        StoredDefinition.first(from, id() + "000000000001", Map.of("a", "0000000a"));
    definitions.create(first);
    Change begun =
        Change.begun(to, Map.of("b", "0000000b"), owner(1).owner(), new TreeSet<>())
            .at(Step.COPYING);
    definitions.replace(stored().with(Optional.of(begun)));
  }

  private String id() {
    return got(definitions.id());
  }

  private static <T> T got(CompletionStage<T> stage) {
    return stage.toCompletableFuture().getNow(null);
  }

  private StoredDefinition stored() {
    return got(definitions.get("c")).orElseThrow();
  }

  private Change change() {
    return stored().change().orElseThrow();
  }

  private Ownership owner(long number) {
    Means means =
        new Means(
            SiteDirectory.of(Map.of()),
            definitions,
            scheduler,
            new HybridClock(scheduler::epochMicros),
            () -> "%08x".formatted(tokens++),
            RULES,
            errand -> {});
    return new Ownership(means, new WriterId(0, number), stored());
  }

  @Test
  void ofTwoWhoFindAMoverSilentOneTakesOver() {
    StoredDefinition seen = stored();

    CompletionStage<StoredDefinition> second = owner(2).takeOver(seen);
    CompletionStage<StoredDefinition> third = owner(3).takeOver(seen);

    assertThat(second.toCompletableFuture()).isCompleted();
    assertThat(third.toCompletableFuture())
        .isCompletedExceptionally()
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withCauseInstanceOf(CatalogException.class);
    assertThat(owner(2).has(change())).isTrue();
    assertThat(change().turn()).isEqualTo(2);
    assertThat(change().incarnations()).doesNotContainValue("0000000b");
    assertThat(change().remains()).hasSize(1);
  }

  @Test
  void aMoverThatBeatsIsLeftAlone() {
    Heart heart = new Heart(owner(1), new Tally(), change -> {});
    heart.start();

    for (int second = 0; second < 60; second++) {
      assertThat(vigils.isSilent(stored(), scheduler.nanos())).as("second %d", second).isFalse();
      scheduler.advance(Duration.ofSeconds(1));
    }
    assertThat(change().beat().number()).isEqualTo(30);
    heart.close();
    scheduler.advance(Duration.ofSeconds(2));
    assertThat(vigils.isSilent(stored(), scheduler.nanos())).isFalse();
    for (int second = 0; second < 6; second++) {
      assertThat(vigils.isSilent(stored(), scheduler.nanos())).as("second %d", second).isFalse();
      scheduler.advance(Duration.ofSeconds(1));
    }
    assertThat(vigils.isSilent(stored(), scheduler.nanos())).isTrue();
  }

  @Test
  void nobodyKeepsVigilForCachesThatAreGone() {
    for (int i = 0; i < 100; i++) {
      CacheDefinition from = CacheDefinition.of("gone" + i, Mode.MWMR).sites("a").build();
      StoredDefinition gone =
          StoredDefinition.first(from, id() + "000000000002", Map.of("a", "0000000a"));
      Change begun =
          Change.begun(from.at(List.of("b")), Map.of("b", "0000000b"), "me", new TreeSet<>());
      vigils.isSilent(gone.with(Optional.of(begun)), scheduler.nanos());
    }
    assertThat(vigils.number()).isEqualTo(100);

    scheduler.advance(Duration.ofNanos(RULES.blindNanos() + 1));
    vigils.isSilent(stored(), scheduler.nanos());

    assertThat(vigils.number()).isEqualTo(1);
  }

  @Test
  void aHeartbeatThatFailsAtOnceIsFollowedByTheNext() {
    AtomicInteger beats = new AtomicInteger();
    Heart heart =
        new Heart(
            scheduler,
            1_000_000_000,
            () -> {
              if (beats.incrementAndGet() < 3) {
                throw new AssertionError("told to break");
              }
              return CompletableFuture.completedFuture(null);
            });
    heart.start();

    scheduler.advance(Duration.ofSeconds(10));

    assertThat(beats).hasValue(10);
    heart.close();
  }

  @Test
  void whoseTurnIsOverBeatsNoMore() {
    Heart heart = new Heart(owner(1), new Tally(), change -> {});
    heart.start();
    owner(2).takeOver(stored());
    StoredDefinition after = stored();

    scheduler.advance(Duration.ofSeconds(20));

    assertThat(stored()).isEqualTo(after);
  }

  private Means means() {
    return owner(1).means();
  }

  @Test
  void aMoverThatIsStoppedBeatsNoMore() {
    Mover mover = new Mover(means(), new WriterId(0, 1), stored());
    mover.start(); // It knows no site, and tries again and again.
    scheduler.advance(Duration.ofSeconds(13)); // It tries at 11.3 and 16.3, and beats between.
    assertThat(change().beat().number()).isPositive();

    mover.stop();

    StoredDefinition after = stored();
    scheduler.advance(Duration.ofMinutes(1));
    assertThat(stored()).isEqualTo(after);
    assertThat(scheduler.timers()).isZero();
    assertThat(after.change().orElseThrow().owner())
        .as("the cache is served: whoever watches finds out")
        .isEqualTo(owner(1).owner());
    assertThat(mover.over().toCompletableFuture()).isCompletedExceptionally();
  }

  @Test
  void whoHasJoinedTakesOverFromOneThatIsSilent() {
    Mover joined = new Mover(means(), new WriterId(0, 2), stored());
    joined.start();
    scheduler.advance(Duration.ofSeconds(5));
    assertThat(owner(1).has(change())).isTrue();

    scheduler.advance(Duration.ofSeconds(3));

    assertThat(owner(2).has(change())).isTrue();
    joined.stop();
  }

  @Test
  void aTurnIsGivenUpWhereNobodyIsServed() {
    definitions.replace(stored().with(Optional.of(change().at(Step.SEALING))));
    assertThat(vigils.isSilent(stored(), scheduler.nanos())).isFalse();

    owner(2).resign();
    assertThat(vigils.isSilent(stored(), scheduler.nanos())).as("another's").isFalse();
    owner(1).resign();

    assertThat(vigils.isSilent(stored(), scheduler.nanos())).isTrue();
    assertThat(owner(1).has(change())).isFalse();
    owner(2).takeOver(stored());
    assertThat(change().turn()).isEqualTo(2);
    assertThat(change().incarnations()).doesNotContainValue("0000000b");
  }

  @Test
  void aCopyComesToAnEndWithItsMover() {
    Pace pace = new Pace(scheduler);
    Pace last = pace.unbounded();
    assertThat(last.turn(1).toCompletableFuture()).isCompletedWithValue(true);

    pace.end();

    assertThat(pace.turn(1).toCompletableFuture()).isCompletedExceptionally();
    assertThat(last.turn(1).toCompletableFuture()).isCompletedExceptionally();
  }

  @Test
  void moversEndTogetherAndNoneBeginsAfter() {
    Movers movers = new Movers();
    Mover first = new Mover(means(), new WriterId(0, 1), stored());
    movers.start(first);

    assertThat(movers.stop().toCompletableFuture()).isCompleted();

    assertThat(first.over().toCompletableFuture()).isCompletedExceptionally();
    Mover late = new Mover(means(), new WriterId(0, 2), stored());
    assertThatIllegalStateException().isThrownBy(() -> movers.start(late));
    assertThat(late.over().toCompletableFuture()).isCompletedExceptionally();
  }

  @Test
  void aPaceIsHeardOfWithinABeat() {
    Pace pace = new Pace(scheduler);
    new Heart(owner(1), new Tally(), change -> pace.set(change.rate())).start();
    definitions.replace(stored().with(Optional.of(change().paced(8))));

    scheduler.advance(Duration.ofSeconds(2));

    assertThat(pace.most()).isEqualTo(2);
  }

  /** The change is given up, to the end, and another one begins. */
  private void nextChange(CacheDefinition to) {
    definitions.replace(stored().with(Optional.empty()));
    Change next =
        Change.begun(to, Map.of("c", "0000000c"), owner(9).owner(), new TreeSet<>())
            .at(Step.COPYING);
    definitions.replace(stored().with(Optional.of(next)));
  }

  private static void isRefused(CompletionStage<?> stage, Class<? extends Exception> why) {
    assertThat(stage.toCompletableFuture())
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withCauseInstanceOf(why);
  }

  @Test
  void aLaterChangeIsNeitherGivenUpNorTakenOver() {
    Ownership former = owner(1);
    nextChange(CacheDefinition.of("c", Mode.MWMR).sites("c").build());
    StoredDefinition before = stored();

    isRefused(former.giveUp(), IllegalStateException.class);
    isRefused(former.takeOver(), ChangeUnderWayException.class);

    assertThat(stored()).isEqualTo(before);
  }

  @Test
  void theSameChangeOfALaterConfigurationIsAnotherOne() {
    CacheDefinition back = stored().definition();
    Ownership former = owner(1);
    definitions.replace(stored().switched());
    assertThat(former.isOf(stored())).isTrue(); // What is left of it.
    definitions.replace(stored().with(Optional.empty()));
    Change undone = Change.begun(back, Map.of("a", "0000000d"), "other", new TreeSet<>());
    definitions.replace(stored().with(Optional.of(undone)));
    definitions.replace(stored().switched());
    CacheDefinition to = CacheDefinition.of("c", Mode.MWMR).sites("b").build();
    Change again = Change.begun(to, Map.of("b", "0000000e"), "other", new TreeSet<>());
    definitions.replace(stored().with(Optional.of(again)));
    StoredDefinition before = stored();
    assertThat(before.configuration()).isEqualTo(3);

    isRefused(former.giveUp(), IllegalStateException.class);

    assertThat(stored()).isEqualTo(before);
  }

  @Test
  void aRestartLeadsToTheNextNumberAndAbandonsTheStoresThatServed() {
    definitions.replace(stored().with(Optional.of(change().at(Step.JOINT))));
    StoredDefinition joint = stored();
    Ownership late = owner(3);
    Ownership former = owner(1);

    assertThat(owner(2).restart().toCompletableFuture()).isCompleted();

    StoredDefinition now = stored();
    assertThat(owner(2).has(change())).isTrue();
    assertThat(now.leadsFrom()).isEqualTo(1);
    assertThat(now.leadsTo()).isEqualTo(3);
    assertThat(now.abandoned()).isEqualTo(joint.newStores()).isNotEmpty();
    assertThat(now.newStores()).allMatch(store -> store.store().startsWith("c.3."));
    assertThat(former.isOf(now)).as("one change, in other hands").isTrue();
    assertThat(late.restart().toCompletableFuture())
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .havingCause()
        .isInstanceOf(IllegalStateException.class)
        .withMessageContaining("step=SEALING");
    assertThat(stored()).isEqualTo(now);
  }

  @Test
  void whoTakesARestartOverAbandonsTheSameStoresAndMakesOthers() {
    definitions.replace(stored().with(Optional.of(change().at(Step.JOINT))));
    owner(2).restart();
    StoredDefinition first = stored();

    owner(3).takeOver(first);

    StoredDefinition now = stored();
    assertThat(now.abandoned()).isEqualTo(first.abandoned());
    assertThat(now.newStores()).doesNotContainAnyElementsOf(first.newStores());
    assertThat(change().remains()).containsAll(first.newStores());
    definitions.replace(now.with(Optional.of(change().at(Step.JOINT))));
    assertThat(stored().served().configuration()).isEqualTo(3);
    definitions.replace(stored().switched());
    assertThat(stored().configuration()).isEqualTo(3);
    assertThat(stored().leadsFrom()).isEqualTo(1);
    assertThat(owner(1).isOf(stored())).isTrue();
    assertThat(stored().abandoned()).isEmpty();
    assertThat(change().remains()).containsAll(first.abandoned());
  }
}

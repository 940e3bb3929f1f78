package io.ensemble.migrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.ensemble.CacheDefinition;
import io.ensemble.ChangeInProgressException;
import io.ensemble.Mode;
import io.ensemble.catalog.SiteDirectory;
import io.ensemble.catalog.VirtualTimeScheduler;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ChangeRules;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.lease.ConfigurationLeaseRules;
import io.ensemble.repartition.RepartitionRules;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.WriterId;
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

/** Which process owns a change, and for how long. */
final class ChangeOwnershipTest {

  private static final ChangeRules RULES = new ChangeRules(ConfigurationLeaseRules.STANDARD);

  private final VirtualTimeScheduler scheduler = new VirtualTimeScheduler();
  private final InMemoryDefinitions definitions = new InMemoryDefinitions();
  private final OwnerFailureDetectors ownerFailureDetectors =
      new OwnerFailureDetectors(RULES, new RepartitionRules(ConfigurationLeaseRules.STANDARD));
  private int tokens = 1;

  @BeforeEach
  void create() {
    CacheDefinition from = CacheDefinition.of("c", Mode.MWMR).sites("a").build();
    CacheDefinition to = CacheDefinition.of("c", Mode.MWMR).sites("b").build();
    StoredDefinition first =
        StoredDefinition.first(from, id() + "000000000001", Map.of("a", "0000000a"));
    definitions.create(first);
    ConfigurationChange begun =
        ConfigurationChange.begun(to, Map.of("b", "0000000b"), owner(1).owner(), new TreeSet<>())
            .at(ChangePhase.COPYING);
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

  private ConfigurationChange change() {
    return stored().change().orElseThrow();
  }

  private ChangeOwnership owner(long number) {
    MoverContext means =
        new MoverContext(
            SiteDirectory.of(Map.of()),
            definitions,
            scheduler,
            new HybridClock(scheduler::epochMicros),
            () -> "%08x".formatted(tokens++),
            RULES,
            errand -> {});
    return new ChangeOwnership(means, new WriterId(0, number), stored());
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
    assertThat(owner(2).isOwnerOf(change())).isTrue();
    assertThat(change().turn()).isEqualTo(2);
    assertThat(change().incarnations()).doesNotContainValue("0000000b");
    assertThat(change().remains()).hasSize(1);
  }

  @Test
  void aMoverThatBeatsIsLeftAlone() {
    HeartbeatSender heart = new HeartbeatSender(owner(1), new CopyProgress(), change -> {});
    heart.start();

    for (int second = 0; second < 60; second++) {
      assertThat(ownerFailureDetectors.isSilent(stored(), scheduler.nanos()))
          .as("second %d", second)
          .isFalse();
      scheduler.advance(Duration.ofSeconds(1));
    }
    assertThat(change().beat().number()).isEqualTo(30);
    heart.close();
    scheduler.advance(Duration.ofSeconds(2));
    assertThat(ownerFailureDetectors.isSilent(stored(), scheduler.nanos())).isFalse();
    for (int second = 0; second < 6; second++) {
      assertThat(ownerFailureDetectors.isSilent(stored(), scheduler.nanos()))
          .as("second %d", second)
          .isFalse();
      scheduler.advance(Duration.ofSeconds(1));
    }
    assertThat(ownerFailureDetectors.isSilent(stored(), scheduler.nanos())).isTrue();
  }

  @Test
  void nobodyKeepsVigilForCachesThatAreGone() {
    for (int i = 0; i < 100; i++) {
      CacheDefinition from = CacheDefinition.of("gone" + i, Mode.MWMR).sites("a").build();
      StoredDefinition gone =
          StoredDefinition.first(from, id() + "000000000002", Map.of("a", "0000000a"));
      ConfigurationChange begun =
          ConfigurationChange.begun(
              from.at(List.of("b")), Map.of("b", "0000000b"), "me", new TreeSet<>());
      ownerFailureDetectors.isSilent(gone.with(Optional.of(begun)), scheduler.nanos());
    }
    assertThat(ownerFailureDetectors.number()).isEqualTo(100);

    scheduler.advance(Duration.ofNanos(RULES.blindNanos() + 1));
    ownerFailureDetectors.isSilent(stored(), scheduler.nanos());

    assertThat(ownerFailureDetectors.number()).isEqualTo(1);
  }

  @Test
  void aHeartbeatThatFailsAtOnceIsFollowedByTheNext() {
    AtomicInteger beats = new AtomicInteger();
    HeartbeatSender heart =
        new HeartbeatSender(
            "c",
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
    HeartbeatSender heart = new HeartbeatSender(owner(1), new CopyProgress(), change -> {});
    heart.start();
    owner(2).takeOver(stored());
    StoredDefinition after = stored();

    scheduler.advance(Duration.ofSeconds(20));

    assertThat(stored()).isEqualTo(after);
  }

  private MoverContext means() {
    return owner(1).moverContext();
  }

  @Test
  void aMoverThatIsStoppedBeatsNoMore() {
    Mover mover = new Mover(means(), new WriterId(0, 1), stored());
    mover.start(); // The mover has no sites and keeps retrying.
    scheduler.advance(Duration.ofSeconds(13)); // Between the attempts at 11.3 s and 16.3 s.
    assertThat(change().beat().number()).isPositive();

    mover.stop();

    StoredDefinition after = stored();
    scheduler.advance(Duration.ofMinutes(1));
    assertThat(stored()).isEqualTo(after);
    assertThat(scheduler.timers()).isZero();
    assertThat(after.change().orElseThrow().owner())
        .as("the cache is served: whoever watches finds out")
        .isEqualTo(owner(1).owner());
    assertThat(mover.completion().toCompletableFuture()).isCompletedExceptionally();
  }

  @Test
  void whoHasJoinedTakesOverFromOneThatIsSilent() {
    Mover joined = new Mover(means(), new WriterId(0, 2), stored());
    joined.start();
    scheduler.advance(Duration.ofSeconds(5));
    assertThat(owner(1).isOwnerOf(change())).isTrue();

    scheduler.advance(Duration.ofSeconds(3));

    assertThat(owner(2).isOwnerOf(change())).isTrue();
    joined.stop();
  }

  @Test
  void anOwnerResignsWhileNoClientIsServed() {
    definitions.replace(stored().with(Optional.of(change().at(ChangePhase.SEALING))));
    assertThat(ownerFailureDetectors.isSilent(stored(), scheduler.nanos())).isFalse();

    owner(2).resign();
    assertThat(ownerFailureDetectors.isSilent(stored(), scheduler.nanos()))
        .as("another's")
        .isFalse();
    owner(1).resign();

    assertThat(ownerFailureDetectors.isSilent(stored(), scheduler.nanos())).isTrue();
    assertThat(owner(1).isOwnerOf(change())).isFalse();
    owner(2).takeOver(stored());
    assertThat(change().turn()).isEqualTo(2);
    assertThat(change().incarnations()).doesNotContainValue("0000000b");
  }

  @Test
  void aCopyComesToAnEndWithItsMover() {
    CopyRateLimiter pace = new CopyRateLimiter(scheduler);
    CopyRateLimiter last = pace.withoutLimit();
    assertThat(last.acquire(1).toCompletableFuture()).isCompletedWithValue(true);

    pace.end();

    assertThat(pace.acquire(1).toCompletableFuture()).isCompletedExceptionally();
    assertThat(last.acquire(1).toCompletableFuture()).isCompletedExceptionally();
  }

  @Test
  void moversEndTogetherAndNoneBeginsAfter() {
    Movers movers = new Movers();
    Mover first = new Mover(means(), new WriterId(0, 1), stored());
    movers.start(first);

    assertThat(movers.stop().toCompletableFuture()).isCompleted();

    assertThat(first.completion().toCompletableFuture()).isCompletedExceptionally();
    Mover late = new Mover(means(), new WriterId(0, 2), stored());
    assertThatIllegalStateException().isThrownBy(() -> movers.start(late));
    assertThat(late.completion().toCompletableFuture()).isCompletedExceptionally();
  }

  @Test
  void aPaceIsHeardOfWithinABeat() {
    CopyRateLimiter pace = new CopyRateLimiter(scheduler);
    new HeartbeatSender(owner(1), new CopyProgress(), change -> pace.set(change.rate())).start();
    definitions.replace(stored().with(Optional.of(change().paced(8))));

    scheduler.advance(Duration.ofSeconds(2));

    assertThat(pace.maxBatch()).isEqualTo(2);
  }

  /** The change is cancelled completely, and another one begins. */
  private void nextChange(CacheDefinition to) {
    definitions.replace(stored().with(Optional.empty()));
    ConfigurationChange next =
        ConfigurationChange.begun(to, Map.of("c", "0000000c"), owner(9).owner(), new TreeSet<>())
            .at(ChangePhase.COPYING);
    definitions.replace(stored().with(Optional.of(next)));
  }

  private static void isRefused(CompletionStage<?> stage, Class<? extends Exception> why) {
    assertThat(stage.toCompletableFuture())
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withCauseInstanceOf(why);
  }

  @Test
  void aLaterChangeIsNeitherCancelledNorTakenOver() {
    ChangeOwnership former = owner(1);
    nextChange(CacheDefinition.of("c", Mode.MWMR).sites("c").build());
    StoredDefinition before = stored();

    isRefused(former.cancel(), IllegalStateException.class);
    isRefused(former.takeOver(), ChangeInProgressException.class);

    assertThat(stored()).isEqualTo(before);
  }

  @Test
  void theSameChangeOfALaterConfigurationIsAnotherOne() {
    CacheDefinition back = stored().definition();
    ChangeOwnership former = owner(1);
    definitions.replace(stored().switched());
    assertThat(former.isOf(stored())).isTrue(); // The rest of the same change.
    definitions.replace(stored().with(Optional.empty()));
    ConfigurationChange undone =
        ConfigurationChange.begun(back, Map.of("a", "0000000d"), "other", new TreeSet<>());
    definitions.replace(stored().with(Optional.of(undone)));
    definitions.replace(stored().switched());
    CacheDefinition to = CacheDefinition.of("c", Mode.MWMR).sites("b").build();
    ConfigurationChange again =
        ConfigurationChange.begun(to, Map.of("b", "0000000e"), "other", new TreeSet<>());
    definitions.replace(stored().with(Optional.of(again)));
    StoredDefinition before = stored();
    assertThat(before.configuration()).isEqualTo(3);

    isRefused(former.cancel(), IllegalStateException.class);

    assertThat(stored()).isEqualTo(before);
  }

  @Test
  void aRestartLeadsToTheNextNumberAndAbandonsTheStoresThatServed() {
    definitions.replace(stored().with(Optional.of(change().at(ChangePhase.CUTOVER))));
    StoredDefinition cutover = stored();
    ChangeOwnership late = owner(3);
    ChangeOwnership former = owner(1);

    assertThat(owner(2).restart().toCompletableFuture()).isCompleted();

    StoredDefinition now = stored();
    assertThat(owner(2).isOwnerOf(change())).isTrue();
    assertThat(now.leadsFrom()).isEqualTo(1);
    assertThat(now.leadsTo()).isEqualTo(3);
    assertThat(now.abandoned()).isEqualTo(cutover.newStores()).isNotEmpty();
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
    definitions.replace(stored().with(Optional.of(change().at(ChangePhase.CUTOVER))));
    owner(2).restart();
    StoredDefinition first = stored();

    owner(3).takeOver(first);

    StoredDefinition now = stored();
    assertThat(now.abandoned()).isEqualTo(first.abandoned());
    assertThat(now.newStores()).doesNotContainAnyElementsOf(first.newStores());
    assertThat(change().remains()).containsAll(first.newStores());
    definitions.replace(now.with(Optional.of(change().at(ChangePhase.CUTOVER))));
    assertThat(stored().served().configuration()).isEqualTo(3);
    definitions.replace(stored().switched());
    assertThat(stored().configuration()).isEqualTo(3);
    assertThat(stored().leadsFrom()).isEqualTo(1);
    assertThat(owner(1).isOf(stored())).isTrue();
    assertThat(stored().abandoned()).isEmpty();
    assertThat(change().remains()).containsAll(first.abandoned());
  }
}

package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.cache.DynamicQuorumEngine;
import io.ensemble.cache.RecoverableEngine;
import io.ensemble.catalog.Catalog;
import io.ensemble.catalog.SiteDirectory;
import io.ensemble.catalog.StubSite;
import io.ensemble.catalog.VirtualTimeScheduler;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.change.ObsoleteStore;
import io.ensemble.primary.VoterSet;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A two-site cache goes on at one site while a change removes its obsolete stores. */
class GoOnBesideChangeTest {

  private static final CacheDefinition CACHE =
      CacheDefinition.of("s", Mode.SWMR).sites("a", "b").build();

  private int tokens;
  private final VirtualTimeScheduler scheduler = new VirtualTimeScheduler();
  private final RacingDefinitions definitions = new RacingDefinitions();
  private final StubSite a = new StubSite("a");
  private final StubSite b = new StubSite("b");
  private final Catalog catalog =
      new Catalog(
          SiteDirectory.of(Map.of("a", a, "b", b)),
          definitions,
          scheduler,
          () -> "%08x".formatted(++tokens));
  private int ends;

  /** An engine that ends voter sets and fills stores, without any data. */
  private final class Engine implements DynamicQuorumEngine, RecoverableEngine {

    @Override
    public void follow(VoterSet voterSet, Runnable renew) {
      renew.run();
    }

    @Override
    public void whenOver(Runnable look) {}

    @Override
    public CompletionStage<VoterSet> end(
        VoterSet voterSet, SiteStore store, List<String> next, Deadline deadline) {
      ends++;
      return CompletableFuture.completedFuture(voterSet.succeeded(voterSet.firstTerm(), next));
    }

    @Override
    public CompletionStage<Boolean> hasEnded(
        VoterSet voterSet, SiteStore store, Deadline deadline) {
      return CompletableFuture.completedFuture(ends > 0);
    }

    @Override
    public CompletionStage<Boolean> hasCounted(long number, SiteStore store, Deadline deadline) {
      return CompletableFuture.completedFuture(false);
    }

    @Override
    public CompletionStage<Void> fill(Deadline deadline) {
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Long> filled(String site, Deadline deadline) {
      return CompletableFuture.completedFuture(0L);
    }

    @Override
    public CompletionStage<Long> refill(String site, SiteStore fresh, Deadline deadline) {
      return CompletableFuture.failedFuture(new AssertionError("not by a majority"));
    }
  }

  private final Engine engine = new Engine();

  @BeforeEach
  void create() {
    got(catalog.create(CACHE, Deadline.after(Duration.ofSeconds(5), scheduler)));
  }

  private static <T> T got(CompletionStage<T> stage) {
    return stage.toCompletableFuture().getNow(null);
  }

  private StoredDefinition stored() {
    return got(definitions.get("s")).orElseThrow();
  }

  private CompletableFuture<StoredDefinition> goOn(StoredDefinition seen) {
    Deadline deadline = Deadline.after(Duration.ofSeconds(5), scheduler);
    return catalog.goOnAt(seen, "a", engine, deadline).toCompletableFuture();
  }

  /** A change in phase {@code changePhase}, owned by the process {@code mover}. */
  private ConfigurationChange change(ChangePhase changePhase) {
    CacheDefinition to = CacheDefinition.of("s", Mode.SWMR).sites("a", "c").build();
    ConfigurationChange begun =
        ConfigurationChange.begun(
            to, Map.of("a", "0000000b", "c", "0000000c"), "mover", new TreeSet<>());
    return changePhase == ChangePhase.ABORTING
        ? begun.ending(changePhase, List.of(new ObsoleteStore("c", "left")))
        : begun.at(changePhase);
  }

  @Test
  void beatsMeanwhileDoNoHarm() {
    ConfigurationChange ended = change(ChangePhase.ABORTING);
    definitions.replace(stored().with(Optional.of(ended)));
    StoredDefinition seen = stored();
    ConfigurationChange beaten = ended.beaten(7, 9);
    definitions.beforeReplace.set(() -> definitions.replace(seen.with(Optional.of(beaten))));

    StoredDefinition after = got(goOn(seen));

    assertThat(after).isNotNull().isEqualTo(stored());
    assertThat(after.roll().sites()).containsExactly("a");
    assertThat(after.incarnations()).containsOnlyKeys("a");
    assertThat(after.change()).contains(beaten);
    assertThat(ends).isEqualTo(1);
  }

  @Test
  void whatIsLeftMayBeGoneMeanwhile() {
    definitions.replace(stored().with(Optional.of(change(ChangePhase.ABORTING))));
    StoredDefinition seen = stored();
    definitions.beforeReplace.set(() -> definitions.replace(seen.with(Optional.empty())));

    assertThat(got(goOn(seen)).roll().sites()).containsExactly("a");
    assertThat(stored().change()).isEmpty();
  }

  @Test
  void whoBeatsAllTheWhileIsNotOutlasted() {
    definitions.replace(stored().with(Optional.of(change(ChangePhase.ABORTING))));
    StoredDefinition seen = stored();
    Runnable[] beat = {() -> {}};
    beat[0] =
        () -> {
          StoredDefinition now = stored();
          definitions.replace(now.with(now.change().map(change -> change.beaten(0, 0))));
          definitions.beforeReplace.set(beat[0]);
        };
    definitions.beforeReplace.set(beat[0]);

    assertThat(goOn(seen))
        .failsWithin(Duration.ZERO)
        .withThrowableThat()
        .withCauseInstanceOf(CatalogException.class);
    assertThat(stored().roll().sites()).containsExactly("a", "b");
  }

  @Test
  void besideAChangeThatHasBegunMeanwhileItDoesNotGoOn() {
    StoredDefinition seen = stored();
    StoredDefinition changing = seen.with(Optional.of(change(ChangePhase.PREPARING)));
    definitions.beforeReplace.set(() -> definitions.replace(changing));

    assertThat(goOn(seen)).isCompletedExceptionally();
    assertThat(stored()).isEqualTo(changing);
  }

  private CompletableFuture<Catalog.RecoveryResult> recover(
      StoredDefinition seen, FormerStorePolicy former) {
    Deadline deadline = Deadline.after(Duration.ofSeconds(5), scheduler);
    return catalog.recover(seen, "b", former, engine, deadline).toCompletableFuture();
  }

  @Test
  void aLostStoreIsReplacedByTheNextRoll() {
    StoredDefinition seen = stored();
    b.stores.clear();

    StoredDefinition after = got(recover(seen, FormerStorePolicy.MUST_BE_LOST)).stored();

    assertThat(after).isEqualTo(stored());
    assertThat(after.roll().number()).isEqualTo(2);
    assertThat(after.roll().sites()).containsExactly("a", "b");
    assertThat(b.stores).containsOnlyKeys(after.store("b").orElseThrow());
  }

  /** The change ends the voter set that it began with; a later voter set would go on beside it. */
  @Test
  void aLostStoreIsNotReplacedBesideAChangeThatBeganMeanwhile() {
    StoredDefinition seen = stored();
    b.stores.clear();
    ConfigurationChange begun = change(ChangePhase.COPYING);
    definitions.beforeReplace.set(() -> definitions.replace(seen.with(Optional.of(begun))));

    assertThat(recover(seen, FormerStorePolicy.MUST_BE_LOST))
        .failsWithin(Duration.ofSeconds(5))
        .withThrowableThat()
        .withCauseInstanceOf(CatalogException.class);

    assertThat(stored().roll().number()).isEqualTo(1);
    assertThat(stored().change()).contains(begun);
    assertThat(stored().isRefillRefused()).isTrue();
    assertThat(b.stores).isEmpty();
  }

  /** A former recovery ended the voter set and stopped before it published the next one. */
  @Test
  void aRecoveryThatEndedTheRollIsFinishedThoughTheStoreIsThere() {
    StoredDefinition seen = stored();
    assertThat(recover(seen, FormerStorePolicy.MUST_BE_LOST))
        .failsWithin(Duration.ofSeconds(5))
        .withThrowableThat()
        .withCauseInstanceOf(StoreIntactException.class);
    ends = 1;

    StoredDefinition after = got(recover(seen, FormerStorePolicy.MUST_BE_LOST)).stored();

    assertThat(after.roll().number()).isEqualTo(2);
    assertThat(after.store("b")).isNotEqualTo(seen.store("b"));
    assertThat(b.stores).containsOnlyKeys(after.store("b").orElseThrow());
  }
}

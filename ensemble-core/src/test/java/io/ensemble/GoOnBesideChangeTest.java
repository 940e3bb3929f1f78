package io.ensemble;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.cache.Enrolled;
import io.ensemble.cache.Recoverable;
import io.ensemble.catalog.Catalog;
import io.ensemble.catalog.CatalogException;
import io.ensemble.catalog.FakeSite;
import io.ensemble.catalog.ManualScheduler;
import io.ensemble.catalog.SiteDirectory;
import io.ensemble.catalog.StoredDefinition;
import io.ensemble.change.Change;
import io.ensemble.change.Remains;
import io.ensemble.change.Step;
import io.ensemble.primary.Roll;
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

/** A cache at two sites goes on at one while what a change has left is being removed. */
class GoOnBesideChangeTest {

  private static final CacheDefinition CACHE =
      CacheDefinition.of("s", Mode.SWMR).sites("a", "b").build();

  private int tokens;
  private final ManualScheduler scheduler = new ManualScheduler();
  private final RacingDefinitions definitions = new RacingDefinitions();
  private final FakeSite a = new FakeSite("a");
  private final FakeSite b = new FakeSite("b");
  private final Catalog catalog =
      new Catalog(
          SiteDirectory.of(Map.of("a", a, "b", b)),
          definitions,
          scheduler,
          () -> "%08x".formatted(++tokens));
  private int ends;

  /** The engine of the cache, as far as its rolls go. */
  private final class Engine implements Enrolled, Recoverable {

    @Override
    public void follow(Roll roll, Runnable renew) {
      renew.run();
    }

    @Override
    public void whenOver(Runnable look) {}

    @Override
    public CompletionStage<Roll> end(
        Roll roll, SiteStore store, List<String> next, Deadline deadline) {
      ends++;
      return CompletableFuture.completedFuture(roll.succeeded(roll.firstTerm(), next));
    }

    @Override
    public CompletionStage<Boolean> hasEnded(Roll roll, SiteStore store, Deadline deadline) {
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

  /** A change that has come to {@code step}, its mover at work. */
  private Change change(Step step) {
    CacheDefinition to = CacheDefinition.of("s", Mode.SWMR).sites("a", "c").build();
    Change begun =
        Change.begun(to, Map.of("a", "0000000b", "c", "0000000c"), "mover", new TreeSet<>());
    return step == Step.ABORTING
        ? begun.ending(step, List.of(new Remains("c", "left")))
        : begun.at(step);
  }

  @Test
  void beatsMeanwhileDoNoHarm() {
    Change ended = change(Step.ABORTING);
    definitions.replace(stored().with(Optional.of(ended)));
    StoredDefinition seen = stored();
    Change beaten = ended.beaten(7, 9);
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
    definitions.replace(stored().with(Optional.of(change(Step.ABORTING))));
    StoredDefinition seen = stored();
    definitions.beforeReplace.set(() -> definitions.replace(seen.with(Optional.empty())));

    assertThat(got(goOn(seen)).roll().sites()).containsExactly("a");
    assertThat(stored().change()).isEmpty();
  }

  @Test
  void whoBeatsAllTheWhileIsNotOutlasted() {
    definitions.replace(stored().with(Optional.of(change(Step.ABORTING))));
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
    StoredDefinition changing = seen.with(Optional.of(change(Step.PREPARING)));
    definitions.beforeReplace.set(() -> definitions.replace(changing));

    assertThat(goOn(seen)).isCompletedExceptionally();
    assertThat(stored()).isEqualTo(changing);
  }

  private CompletableFuture<Catalog.Recovered> recover(StoredDefinition seen, FormerStore former) {
    Deadline deadline = Deadline.after(Duration.ofSeconds(5), scheduler);
    return catalog.recover(seen, "b", former, engine, deadline).toCompletableFuture();
  }

  @Test
  void aLostStoreIsReplacedByTheNextRoll() {
    StoredDefinition seen = stored();
    b.stores.clear();

    StoredDefinition after = got(recover(seen, FormerStore.MUST_BE_LOST)).stored();

    assertThat(after).isEqualTo(stored());
    assertThat(after.roll().number()).isEqualTo(2);
    assertThat(after.roll().sites()).containsExactly("a", "b");
    assertThat(b.stores).containsOnlyKeys(after.store("b").orElseThrow());
  }

  /** The change ends the roll that it began with: a later one would go on beside it. */
  @Test
  void aLostStoreIsNotReplacedBesideAChangeThatBeganMeanwhile() {
    StoredDefinition seen = stored();
    b.stores.clear();
    Change begun = change(Step.COPYING);
    definitions.beforeReplace.set(() -> definitions.replace(seen.with(Optional.of(begun))));

    assertThat(recover(seen, FormerStore.MUST_BE_LOST))
        .failsWithin(Duration.ofSeconds(5))
        .withThrowableThat()
        .withCauseInstanceOf(CatalogException.class);

    assertThat(stored().roll().number()).isEqualTo(1);
    assertThat(stored().change()).contains(begun);
    assertThat(stored().isRefillRefused()).isTrue();
    assertThat(b.stores).isEmpty();
  }

  /** It gave the store up, and has died before it published the next roll. */
  @Test
  void aRecoveryThatEndedTheRollIsFinishedThoughTheStoreIsThere() {
    StoredDefinition seen = stored();
    assertThat(recover(seen, FormerStore.MUST_BE_LOST))
        .failsWithin(Duration.ofSeconds(5))
        .withThrowableThat()
        .withCauseInstanceOf(StoreIntactException.class);
    ends = 1;

    StoredDefinition after = got(recover(seen, FormerStore.MUST_BE_LOST)).stored();

    assertThat(after.roll().number()).isEqualTo(2);
    assertThat(after.store("b")).isNotEqualTo(seen.store("b"));
    assertThat(b.stores).containsOnlyKeys(after.store("b").orElseThrow());
  }
}

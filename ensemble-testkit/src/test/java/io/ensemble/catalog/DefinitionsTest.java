package io.ensemble.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.Acknowledgement;
import io.ensemble.CacheDefinition;
import io.ensemble.CopyWindow;
import io.ensemble.DistributedDefinition;
import io.ensemble.Mode;
import io.ensemble.change.Change;
import io.ensemble.change.Remains;
import io.ensemble.change.Step;
import io.ensemble.growth.Growth;
import io.ensemble.partition.PartitionerSpec;
import io.ensemble.placement.Wish;
import io.ensemble.primary.Roll;
import io.ensemble.primary.Term;
import io.ensemble.stamp.WriterId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What every catalog does. */
abstract class DefinitionsTest {

  static final String BIRTH = "0000000000ca0000000000b1";
  static final String OTHER_BIRTH = "0000000000ca0000000000b2";
  static final CacheDefinition CACHE =
      CacheDefinition.of("c", Mode.MWMR).sites("a", "b = x", "ü").build();
  static final StoredDefinition FIRST =
      StoredDefinition.first(CACHE, BIRTH, Map.of("a", "00000001", "b = x", "00000002"));

  abstract Definitions definitions();

  @Test
  void whatIsCreatedIsThere() {
    assertThat(get(definitions().get("c"))).isEmpty();
    assertThat(get(definitions().list())).isEmpty();

    assertThat(get(definitions().create(FIRST))).isEqualTo(FIRST);

    assertThat(get(definitions().get("c"))).contains(FIRST);
    assertThat(get(definitions().list())).containsExactly("c");
  }

  @Test
  void aWindowComesBack() {
    CacheDefinition windowed =
        CacheDefinition.of("c", Mode.SWMR)
            .sites("a", "b = x", "ü")
            .acknowledgement(Acknowledgement.PRIMARY)
            .window(new CopyWindow(7, Duration.ofMillis(1_500)))
            .build();
    StoredDefinition stored = StoredDefinition.first(windowed, BIRTH, Map.of());

    get(definitions().create(stored));

    assertThat(get(definitions().get("c"))).contains(stored);
  }

  @Test
  void aRollComesBack() {
    CacheDefinition two = CacheDefinition.of("c", Mode.SWMR).sites("a", "b = x").build();
    StoredDefinition stored =
        StoredDefinition.first(two, BIRTH, Map.of("a", "00000001", "b = x", "00000002"));
    get(definitions().create(stored));
    Term last = stored.roll().firstTerm().succeeded("a", WriterId.NONE);

    StoredDefinition alone = stored.goingOn(stored.roll().succeeded(last, List.of("b = x")));
    assertThat(get(definitions().replace(alone))).isTrue();
    assertThat(get(definitions().get("c"))).contains(alone);
    assertThat(alone.store("a")).isEmpty();
    assertThat(alone.store("b = x")).isEqualTo(stored.store("b = x"));

    Roll again = alone.roll().succeeded(last, List.of("b = x", "a"));
    StoredDefinition both = alone.goingOn(again, "a", "0000000f");
    assertThat(get(definitions().replace(both))).isTrue();
    assertThat(get(definitions().get("c"))).contains(both);
    assertThat(both.roll().sites()).containsExactly("b = x", "a");
    assertThat(both.store("a").orElseThrow()).endsWith(".0000000f");
  }

  @Test
  void theIdIsOneForAllWhoShareTheCatalog() {
    String id = get(definitions().id());

    assertThat(id).matches("[0-9a-f]{12}");
    get(definitions().create(FIRST));
    assertThat(get(definitions().id())).isEqualTo(id);
  }

  @Test
  void theFirstToCreateWins() {
    StoredDefinition second = StoredDefinition.first(CACHE, OTHER_BIRTH, Map.of("a", "0000000a"));
    get(definitions().create(FIRST));

    assertThat(get(definitions().create(second))).isEqualTo(FIRST);
    assertThat(get(definitions().get("c"))).contains(FIRST);
  }

  @Test
  void otherSettingsAreRefusedNamingTheDifference() {
    get(definitions().create(FIRST));
    CacheDefinition other =
        CacheDefinition.of("c", Mode.MWMR).sites("a", "b = x", "ü").maxValueBytes(1).build();

    assertThatThrownBy(
            () -> get(definitions().create(StoredDefinition.first(other, BIRTH, Map.of()))))
        .isInstanceOf(CacheExistsException.class)
        .hasMessageContainingAll("cache=c", "maxValueBytes: 1048576, 1")
        .hasMessageNotContaining("deadline");
  }

  @Test
  void aReplacementNeedsThePresentRevision() {
    StoredDefinition changed = FIRST.withIncarnation("ü", "0000000f");
    assertThat(get(definitions().replace(changed))).isFalse();
    get(definitions().create(FIRST));

    assertThat(get(definitions().replace(changed))).isTrue();
    assertThat(get(definitions().replace(changed))).isFalse();
    assertThat(get(definitions().replace(FIRST))).isFalse();
    assertThat(get(definitions().get("c"))).contains(changed);
  }

  @Test
  void aDeletionNeedsThePresentRevision() {
    assertThat(get(definitions().delete(FIRST))).isFalse();
    get(definitions().create(FIRST));

    assertThat(get(definitions().delete(FIRST.withIncarnation("ü", "0000000f")))).isFalse();
    assertThat(get(definitions().delete(FIRST))).isTrue();
    assertThat(get(definitions().get("c"))).isEmpty();
    assertThat(get(definitions().list())).isEmpty();
  }

  @Test
  void whoKnowsAnEarlierBirthChangesAndDeletesNothing() {
    StoredDefinition again = StoredDefinition.first(CACHE, OTHER_BIRTH, Map.of("a", "0000000a"));
    get(definitions().create(again));

    assertThat(get(definitions().replace(FIRST.withIncarnation("ü", "0000000f")))).isFalse();
    assertThat(get(definitions().delete(FIRST))).isFalse();

    assertThat(get(definitions().get("c"))).contains(again);
  }

  @Test
  void oddNamesAreKeptApart() {
    List<String> names =
        List.of("C", "%63", "..", "a/b", "ä", "🂡".repeat(32), "A".repeat(128), "a".repeat(128));
    for (String name : names) {
      CacheDefinition odd = CacheDefinition.of(name, Mode.WEAK).sites("a").build();
      get(definitions().create(StoredDefinition.first(odd, BIRTH, Map.of())));
    }

    assertThat(get(definitions().list())).containsExactlyInAnyOrderElementsOf(names);
    for (String name : names) {
      assertThat(get(definitions().get(name)).orElseThrow().definition().name()).isEqualTo(name);
    }
  }

  @Test
  void ofManyAtOnceOneWins() {
    get(definitions().create(FIRST));
    List<CompletableFuture<Boolean>> answers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      StoredDefinition mine = FIRST.withIncarnation("ü", "000000%02x".formatted(i));
      answers.add(definitions().replace(mine).toCompletableFuture());
    }

    assertThat(answers.stream().filter(answer -> get(answer))).hasSize(1);
    assertThat(get(definitions().get("c")).orElseThrow().revision()).isEqualTo(2);
  }

  @Test
  void aChangeComesBackAtEachOfItsSteps() {
    CacheDefinition to = CacheDefinition.of("c", Mode.WEAK).sites("b = x", "new 1").build();
    Map<String, String> lives = Map.of("b = x", "0000000a", "new 1", "0000000b");
    Remains before = new Remains("old 1", "c.1 x");
    Change begun = Change.begun(to, lives, "me", new TreeSet<>(Set.of(before)));
    StoredDefinition preparing = FIRST.with(Optional.of(begun));
    StoredDefinition sealing =
        preparing.with(preparing.change().map(change -> change.at(Step.SEALING)));
    StoredDefinition closing = sealing.switched();
    StoredDefinition over = closing.with(Optional.empty());

    get(definitions().create(FIRST));
    for (StoredDefinition next : List.of(preparing, sealing, closing, over)) {
      assertThat(get(definitions().replace(next))).isTrue();
      assertThat(get(definitions().get("c"))).contains(next);
    }

    assertThat(preparing.store("b = x")).isEqualTo(FIRST.store("b = x"));
    assertThat(preparing.newStores()).hasSize(2);
    assertThat(closing.definition()).isEqualTo(to);
    assertThat(closing.configuration()).isEqualTo(2);
    assertThat(preparing.newStores())
        .contains(new Remains("b = x", closing.store("b = x").orElseThrow()));
    assertThat(closing.change().orElseThrow().remains())
        .containsExactlyInAnyOrder(
            before,
            new Remains("a", FIRST.store("a").orElseThrow()),
            new Remains("b = x", FIRST.store("b = x").orElseThrow()));
  }

  private static final DistributedDefinition PARTS =
      DistributedDefinition.of("ü = /..", "p", "set=x", "ü2")
          .by(PartitionerSpec.of("uniform").with("pattern", "^a=(.)$").with("part", "checksum="))
          .inFrontierMode();
  private static final StoredDistribution PARTED =
      new StoredDistribution(PARTS, "00000000000000b1");

  @Test
  void theFirstToCreateADistributedCacheWinsAndOthersFindIt() {
    assertThat(get(definitions().distributions().get(PARTS.name()))).isEmpty();
    assertThat(get(definitions().distributions().create(PARTED))).isEqualTo(PARTED);

    assertThat(
            get(
                definitions()
                    .distributions()
                    .create(new StoredDistribution(PARTS, "00000000000000b2"))))
        .isEqualTo(PARTED);
    assertThat(get(definitions().distributions().get(PARTS.name()))).contains(PARTED);
    StoredDistribution other =
        new StoredDistribution(DistributedDefinition.of(PARTS.name(), "p"), "00000000000000b3");
    assertThatThrownBy(() -> get(definitions().distributions().create(other)))
        .isInstanceOf(DistributionExistsException.class)
        .hasMessageContainingAll("parts: [p, set=x, ü2], [p]", "frontier: true, false");
  }

  @Test
  void aChangeOfPartsComesBackAtEachOfItsSteps() {
    Distributions distributions = definitions().distributions();
    StoredDistribution fenced = PARTED.withFence();
    StoredDistribution begun = fenced.with(Growth.begun(PARTS.with("new = x"), "me"));
    StoredDistribution moving = begun.with(begun.growth().orElseThrow().moving());
    StoredDistribution moved = moving.with(moving.growth().orElseThrow().moved("set=x"));
    StoredDistribution other = moved.with(moved.growth().orElseThrow().takenOver("you"));
    StoredDistribution grown = other.grown();

    assertThat(get(distributions.replace(begun))).isFalse();
    get(distributions.create(fenced));
    for (StoredDistribution next : List.of(begun, moving, moved, other, grown)) {
      assertThat(get(distributions.replace(next))).isTrue();
      assertThat(get(distributions.replace(next))).isFalse();
      assertThat(get(distributions.get(PARTS.name()))).contains(next);
    }
    assertThat(grown.definition().parts()).containsExactly("p", "set=x", "ü2", "new = x");
    assertThat(grown.generation()).isEqualTo(2);
    assertThat(grown.growth()).isEmpty();
    assertThat(get(distributions.delete(fenced))).isFalse();
    assertThat(get(distributions.delete(grown))).isTrue();
  }

  @Test
  void onlyTheDistributedCacheThatIsKnownIsDeleted() {
    Distributions distributions = definitions().distributions();
    StoredDistribution again = new StoredDistribution(PARTS, "00000000000000b2");
    get(distributions.create(PARTED));

    assertThat(get(distributions.delete(again))).isFalse();
    assertThat(get(distributions.delete(PARTED))).isTrue();
    assertThat(get(distributions.delete(PARTED))).isFalse();
    assertThat(get(distributions.list())).isEmpty();
    assertThat(get(distributions.create(again))).isEqualTo(again);
  }

  @Test
  void aNameIsOfOneKindOfCache() {
    Definitions catalog = definitions();
    StoredDistribution sameName =
        new StoredDistribution(DistributedDefinition.of("c", "p"), "00000000000000b2");
    StoredDefinition ofParts =
        StoredDefinition.first(
            CacheDefinition.of(PARTS.name(), Mode.WEAK).sites("a").build(), BIRTH, Map.of());
    get(catalog.create(FIRST));
    get(catalog.distributions().create(PARTED));

    assertThatThrownBy(() -> get(catalog.distributions().create(sameName)))
        .isInstanceOf(CatalogException.class)
        .hasMessageContaining("an ensemble cache");
    assertThatThrownBy(() -> get(catalog.create(ofParts)))
        .isInstanceOf(CatalogException.class)
        .hasMessageContaining("a distributed cache");
    assertThat(get(catalog.delete(ofParts))).isFalse();
    assertThat(get(catalog.replace(ofParts.withIncarnation("a", "0000000f")))).isFalse();
    assertThat(get(catalog.distributions().delete(sameName))).isFalse();
    assertThat(get(catalog.get(PARTS.name()))).isEmpty();
    assertThat(get(catalog.distributions().get("c"))).isEmpty();
    assertThat(get(catalog.list())).containsExactly("c");
    assertThat(get(catalog.distributions().list())).containsExactly(PARTS.name());
  }

  @Test
  void ofBothKindsAtOnceOneWins() {
    for (int i = 0; i < 5; i++) {
      String name = "both" + i;
      StoredDefinition one =
          StoredDefinition.first(
              CacheDefinition.of(name, Mode.WEAK).sites("a").build(), BIRTH, Map.of());
      StoredDistribution other =
          new StoredDistribution(DistributedDefinition.of(name, "p"), "00000000000000b2");
      Definitions mine = definitions();
      Distributions yours = definitions().distributions();

      CompletableFuture<StoredDefinition> first = mine.create(one).toCompletableFuture();
      CompletableFuture<StoredDistribution> second = yours.create(other).toCompletableFuture();

      assertThat(Stream.of(first, second).filter(DefinitionsTest::succeeds)).hasSize(1);
      assertThat(get(mine.get(name)).isPresent()).isEqualTo(succeeds(first));
      assertThat(get(yours.get(name)).isPresent()).isEqualTo(succeeds(second));
    }
  }

  @Test
  void aPlacementComesBackAndGoesWithItsBirth() {
    Wish wish =
        Wish.copies("c", 2)
            .ban("ü x")
            .require("region", "eu")
            .spreadBy("zone")
            .prefer("a")
            .near("orders", "x = y")
            .entries(7)
            .build();
    StoredPlacement first =
        new StoredPlacement(BIRTH, wish, List.of("a", "b = x"), List.of("a: taken", "note: n=1"));
    StoredPlacement next =
        new StoredPlacement(
            OTHER_BIRTH, Wish.exactly("c", List.of("b = x")).build(), List.of("b = x"), List.of());

    assertThat(get(definitions().placements().get("c"))).isEmpty();
    assertThat(get(definitions().placements().keep(first))).isTrue();
    assertThat(get(definitions().placements().get("c"))).contains(first);
    assertThat(get(definitions().placements().keep(next))).isTrue();
    assertThat(get(definitions().placements().get("c"))).contains(next);
    assertThat(get(definitions().placements().forget("c", BIRTH))).isFalse();
    assertThat(get(definitions().placements().forget("c", OTHER_BIRTH))).isTrue();
    assertThat(get(definitions().placements().get("c"))).isEmpty();
    assertThat(get(definitions().list())).isEmpty();
  }

  private static boolean succeeds(CompletableFuture<?> creation) {
    try {
      get(creation);
      return true;
    } catch (CatalogException refused) {
      assertThat(refused.reason()).isEqualTo(CatalogException.Reason.EXISTS);
      return false;
    }
  }

  static <T> T get(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
    } catch (java.util.concurrent.ExecutionException e) {
      throw (RuntimeException) e.getCause();
    } catch (InterruptedException | java.util.concurrent.TimeoutException e) {
      throw new AssertionError(e);
    }
  }
}

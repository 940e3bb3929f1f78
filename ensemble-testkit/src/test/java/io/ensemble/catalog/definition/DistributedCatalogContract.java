package io.ensemble.catalog.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.CacheDefinition;
import io.ensemble.DistributedDefinition;
import io.ensemble.Mode;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.partition.PartitionerSpec;
import io.ensemble.placement.PlacementPolicy;
import io.ensemble.repartition.Repartition;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The contract of all catalogs for distributed caches and placements. */
public abstract class DistributedCatalogContract {

  public static final String BIRTH = "0000000000ca0000000000b1";
  public static final String OTHER_BIRTH = "0000000000ca0000000000b2";
  public static final CacheDefinition CACHE =
      CacheDefinition.of("c", Mode.MWMR).sites("a", "b = x", "ü").build();
  public static final StoredDefinition FIRST =
      StoredDefinition.first(CACHE, BIRTH, Map.of("a", "00000001", "b = x", "00000002"));

  private static final DistributedDefinition PARTS =
      DistributedDefinition.of("ü = /..", "p", "set=x", "ü2")
          .by(PartitionerSpec.of("uniform").with("pattern", "^a=(.)$").with("part", "checksum="))
          .inFrontierMode();
  private static final StoredDistribution PARTED =
      new StoredDistribution(PARTS, "00000000000000b1");

  public abstract Definitions definitions();

  @Test
  public void theFirstToCreateADistributedCacheWinsAndOthersFindIt() {
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
  public void aChangeOfPartsComesBackAtEachOfItsSteps() {
    DistributedDefinitions distributions = definitions().distributions();
    StoredDistribution fenced = PARTED.withFence();
    StoredDistribution begun = fenced.with(Repartition.begun(PARTS.with("new = x"), "me"));
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
  public void onlyTheDistributedCacheThatIsKnownIsDeleted() {
    DistributedDefinitions distributions = definitions().distributions();
    StoredDistribution again = new StoredDistribution(PARTS, "00000000000000b2");
    get(distributions.create(PARTED));

    assertThat(get(distributions.delete(again))).isFalse();
    assertThat(get(distributions.delete(PARTED))).isTrue();
    assertThat(get(distributions.delete(PARTED))).isFalse();
    assertThat(get(distributions.list())).isEmpty();
    assertThat(get(distributions.create(again))).isEqualTo(again);
  }

  @Test
  public void aNameIsOfOneKindOfCache() {
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
        .hasMessageContaining("an Ensemble cache");
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
  public void ofBothKindsAtOnceOneWins() {
    for (int i = 0; i < 5; i++) {
      String name = "both" + i;
      StoredDefinition one =
          StoredDefinition.first(
              CacheDefinition.of(name, Mode.WEAK).sites("a").build(), BIRTH, Map.of());
      StoredDistribution other =
          new StoredDistribution(DistributedDefinition.of(name, "p"), "00000000000000b2");
      Definitions mine = definitions();
      DistributedDefinitions yours = definitions().distributions();

      CompletableFuture<StoredDefinition> first = mine.create(one).toCompletableFuture();
      CompletableFuture<StoredDistribution> second = yours.create(other).toCompletableFuture();

      assertThat(Stream.of(first, second).filter(DistributedCatalogContract::succeeds)).hasSize(1);
      assertThat(get(mine.get(name)).isPresent()).isEqualTo(succeeds(first));
      assertThat(get(yours.get(name)).isPresent()).isEqualTo(succeeds(second));
    }
  }

  @Test
  public void aPlacementComesBackAndGoesWithItsBirth() {
    PlacementPolicy wish =
        PlacementPolicy.copies("c", 2)
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
            OTHER_BIRTH,
            PlacementPolicy.exactly("c", List.of("b = x")).build(),
            List.of("b = x"),
            List.of());

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

  public static <T> T get(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().get(20, TimeUnit.SECONDS);
    } catch (java.util.concurrent.ExecutionException e) {
      throw (RuntimeException) e.getCause();
    } catch (InterruptedException | java.util.concurrent.TimeoutException e) {
      throw new AssertionError(e);
    }
  }
}

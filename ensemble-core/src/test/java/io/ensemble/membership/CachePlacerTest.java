package io.ensemble.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.ensemble.CacheDefinition;
import io.ensemble.DistributedFixture;
import io.ensemble.EnsembleCache;
import io.ensemble.Mode;
import io.ensemble.catalog.StubSite;
import io.ensemble.catalog.definition.CacheExistsException;
import io.ensemble.catalog.definition.StoredPlacement;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.catalog.site.SiteEntry.State;
import io.ensemble.detect.SuspicionLevel;
import io.ensemble.placement.PlacementImpossibleException;
import io.ensemble.placement.PlacementPolicy;
import io.ensemble.placement.PlacementResult;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStatistics;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Where a manager places caches, and the reasons that it reports. */
@Timeout(60)
class CachePlacerTest extends DistributedFixture {

  private static final PlacementPolicy TWO_IN_EU =
      PlacementPolicy.copies("c", 2).require("region", "eu").build();

  @BeforeEach
  void enterSites() {
    enter("a", Map.of("region", "eu", "zone", "1"));
    enter("b", Map.of("region", "eu", "zone", "2"));
    enter("c", Map.of("region", "us", "zone", "1"));
  }

  private void enter(String site, Map<String, String> labels) {
    SiteEntry entry =
        SiteEntry.open(site, List.of(Endpoint.parse("127.0.0.1:1")), SiteStorage.MEMORY);
    definitions.sites().create(entry);
    definitions.sites().replace(entry.labelled(labels));
  }

  private void state(String site, State state) {
    SiteEntry entry = definitions.sites().get(site).toCompletableFuture().join().orElseThrow();
    assertThat(definitions.sites().replace(entry.in(state)).toCompletableFuture().join()).isTrue();
  }

  private static CacheDefinition.Builder settings(String name) {
    return CacheDefinition.of(name, Mode.MWMR);
  }

  @Test
  void labelsInTheCatalogDecideAndWhyIsKept() {
    EnsembleCache<String, Integer> cache = manager.createCache(TWO_IN_EU, settings("c"));

    assertThat(cache.definition().sites()).containsExactlyInAnyOrder("a", "b");
    StoredPlacement kept = manager("b").placement("c").orElseThrow();
    assertThat(kept.wish()).isEqualTo(TWO_IN_EU);
    assertThat(kept.sites()).isEqualTo(cache.definition().sites());
    assertThat(kept.reasons())
        .hasSize(3)
        .anyMatch(reason -> reason.startsWith("c: excluded: "))
        .anyMatch(reason -> reason.startsWith("a: chosen as number "));
  }

  @Test
  void aWishThatCannotBeKeptIsRefusedSayingWhyOfEachSite() {
    state("a", State.DRAINING);

    assertThatExceptionOfType(PlacementImpossibleException.class)
        .isThrownBy(() -> manager.createCache(TWO_IN_EU, settings("c")))
        .withMessageContainingAll("cache=c required=2 found=1", "; a: ", "; c: ");
    assertThatExceptionOfType(PlacementImpossibleException.class)
        .isThrownBy(
            () ->
                manager.createCache(
                    PlacementPolicy.copies("c", 1).require("region", "mars").build(),
                    settings("c")))
        .withMessageContaining("region=mars");
    assertThat(manager.getCacheNames()).isEmpty();
    assertThat(manager.placement("c")).isEmpty();
  }

  @Test
  void whatWasDecidedThenIsKeptThoughItWouldBeDecidedOtherwiseNow() {
    manager.createCache(TWO_IN_EU, settings("c"));
    state("b", State.DRAINING);
    enter("d", Map.of());

    assertThat(manager.placement("c").orElseThrow().sites()).containsExactlyInAnyOrder("a", "b");
    assertThatExceptionOfType(PlacementImpossibleException.class)
        .isThrownBy(() -> manager.place(manager.placement("c").orElseThrow().wish()));
    assertThat(manager.place(PlacementPolicy.copies("c", 2).build()).sites())
        .containsExactlyInAnyOrder("a", "c"); // Not d, as this manager has no such site.
  }

  @Test
  void creatingItAgainFindsItWhereItIs() {
    List<String> sites = manager.createCache(TWO_IN_EU, settings("c")).definition().sites();

    assertThat(manager("").createCache(TWO_IN_EU, settings("c")).definition().sites())
        .isEqualTo(sites);
    assertThat(manager.place(TWO_IN_EU).sites()).isEqualTo(sites);
  }

  @Test
  void creatingItAgainByTheSameWishFindsItThoughItWouldBeElsewhereNow() {
    List<String> sites = manager.createCache(TWO_IN_EU, settings("c")).definition().sites();
    relabel("b", "us");
    relabel("c", "eu");
    assertThat(manager.place(TWO_IN_EU).sites()).containsExactlyInAnyOrder("a", "c");

    assertThat(manager.createCache(TWO_IN_EU, settings("c")).definition().sites()).isEqualTo(sites);
    assertThatExceptionOfType(CacheExistsException.class)
        .isThrownBy(() -> manager.createCache(TWO_IN_EU, CacheDefinition.of("c", Mode.WEAK)))
        .withMessageContaining("mode: MWMR, WEAK");
  }

  private void relabel(String site, String region) {
    SiteEntry entry = definitions.sites().get(site).toCompletableFuture().join().orElseThrow();
    SiteEntry next = entry.labelled(Map.of("region", region));
    assertThat(definitions.sites().replace(next).toCompletableFuture().join()).isTrue();
  }

  @Test
  void aCacheIsCreatedAtSitesThatAnswer() {
    site("a").fails = Reason.UNREACHABLE;
    PlacementPolicy two = PlacementPolicy.copies("c", 2).prefer("a").build();

    assertThat(manager.createCache(two, settings("c")).definition().sites())
        .containsExactlyInAnyOrder("b", "c");
    assertThat(manager.placement("c").orElseThrow().reasons())
        .anyMatch(reason -> reason.startsWith("a: not chosen: does not answer: score "));
    site("a").fails = null;
    site("b").health = new SuspicionLevel(SuspicionLevel.State.SUSPECTED, 9, 1);
    assertThat(manager.place(PlacementPolicy.copies("d", 2).build()).sites())
        .containsExactlyInAnyOrder("a", "c");
  }

  @Test
  void aNewCacheIsNotKeptFromNorDrawnToASiteThatThereIsNot() {
    PlacementPolicy mistyped =
        PlacementPolicy.copies("c", 1).ban("olso").prefer("a", "romme").build();

    assertThatIllegalArgumentException()
        .isThrownBy(() -> manager.createCache(mistyped, settings("c")))
        .withMessageContaining("cache=c unknown=[olso, romme] known=[a, b, c]");
    assertThat(manager.getCacheNames()).isEmpty();
  }

  @Test
  void aWishThatWasKeptMayNameASiteThatIsGone() {
    enter("d", Map.of());
    PlacementPolicy wish = PlacementPolicy.copies("c", 1).ban("d").build();
    List<String> sites = manager.createCache(wish, settings("c")).definition().sites();
    manager.membership().remove("d");

    assertThat(manager("").createCache(wish, settings("c")).definition().sites()).isEqualTo(sites);
    assertThat(manager("").place(wish).notes()).containsExactly("banned site does not exist: d");
    CacheDefinition altered = manager.stored("c").orElseThrow().definition().at(List.of("a", "b"));
    assertThat(manager.alter(altered).done()).isNotNull();
  }

  private StubSite site(String name) {
    return sites.stream().filter(site -> site.name().equals(name)).findFirst().orElseThrow();
  }

  @Test
  void cachesThatAreUsedTogetherAreTogether() {
    for (String site : List.of("a", "b", "c")) {
      String first = "at-" + site;
      part(first, site);
      assertThat(manager.place(PlacementPolicy.copies("x", 1).near(first).build()).sites())
          .containsExactly(site);
    }
  }

  private void tells(String site, CompletionStage<SiteStatistics> figures) {
    sites.stream().filter(one -> one.name().equals(site)).forEach(one -> one.figures = figures);
  }

  private void tells(String site, long entries, long requestsPerSecond) {
    tells(
        site,
        CompletableFuture.completedStage(
            new SiteStatistics(OptionalLong.of(entries), OptionalLong.of(requestsPerSecond))));
  }

  /** Each site in turn has the least, so the order of names cannot explain the choice. */
  @Test
  void ofSitesThatAreAlikeTheOneWithLessIsTaken() {
    for (String least : List.of("a", "b", "c")) {
      List.of("a", "b", "c").forEach(site -> tells(site, site.equals(least) ? 900 : 1_000, 5));
      assertThat(manager.place(PlacementPolicy.copies("x", 1).build()).sites())
          .containsExactly(least);
      List.of("a", "b", "c").forEach(site -> tells(site, 1_000, site.equals(least) ? 5 : 6));
      assertThat(manager.place(PlacementPolicy.copies("x", 1).build()).sites())
          .containsExactly(least);
    }
    assertThat(manager.membership().figures().get("a").entries()).hasValue(1_000);
  }

  @Test
  void figuresThatCannotBeHadRefuseNothing() {
    tells("a", CompletableFuture.failedStage(new SiteException("a", Reason.UNREACHABLE, "dead")));
    tells("b", 10, 20);
    tells("c", 90, 180);

    PlacementResult placed = manager.place(PlacementPolicy.copies("x", 3).build());

    assertThat(placed.sites()).containsExactly("b", "c", "a");
    assertThat(placed.text())
        .contains("a: chosen as number 3: does not answer, ", "unknown, the mean is assumed")
        .contains("(90, 1800 permille of the mean), load -360 (180, ");
    assertThat(manager.membership().figures()).containsOnlyKeys("b", "c");
  }

  @Test
  void aPlacementGoesWithItsCache() {
    manager.createCache(TWO_IN_EU, settings("c"));
    assertThat(manager.deleteCache("c")).isTrue();
    assertThat(manager.placement("c")).isEmpty();
    assertThat(definitions.placements().get("c").toCompletableFuture().join()).isEmpty();

    part("c", "a");
    assertThat(manager.placement("c")).isEmpty();
    assertThat(definitions.placements().forget("c", "none").toCompletableFuture().join()).isFalse();
  }

  @Test
  void aWishIsForTheCacheThatItNames() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> manager.createCache(TWO_IN_EU, settings("other")))
        .withMessageContaining("cache=other policy=c");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PlacementPolicy.copies("c", 1).ban("a\nb").build());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PlacementPolicy.copies("c", 1).require("a=b", "c").build());
  }
}

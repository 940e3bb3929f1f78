package io.ensemble.testkit.weak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.EntryView;
import io.ensemble.Mode;
import io.ensemble.ReconciledCache;
import io.ensemble.Reconciliation;
import io.ensemble.ReconciliationException;
import io.ensemble.SiblingValues;
import io.ensemble.SiteView;
import io.ensemble.catalog.definition.FileDefinitions;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.ensemble.testkit.embedded.SharedFederation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Concurrent values at three real sites, some of which are cut off, lost and refilled. */
@Timeout(240)
class SiblingsIT {

  @TempDir static Path catalog;
  private static EmbeddedFederation federation;
  private static EnsembleCacheManager lyon;
  private static EnsembleCacheManager oslo;

  @BeforeAll
  static void start() {
    federation = SharedFederation.threeSites();
    lyon = manager("lyon");
    oslo = manager("oslo");
  }

  @AfterAll
  static void stop() {
    SharedFederation.restoreThreeSites();
    lyon.getCacheNames().forEach(lyon::deleteCache);
    lyon.stop();
    oslo.stop();
  }

  private static EnsembleCacheManager manager(String local) {
    EnsembleCacheManagerBuilder builder =
        EnsembleCacheManager.builder().localSite(local).definitions(FileDefinitions.in(catalog));
    for (EmbeddedSite site : federation.sites()) {
      SiteConfiguration.Builder configuration = SiteConfiguration.builder(site.name());
      site.endpoints()
          .forEach(at -> configuration.endpoint(at.getHostString() + ":" + at.getPort()));
      builder.site(configuration.build());
    }
    return builder.build();
  }

  private static CacheDefinition definition(String name) {
    return CacheDefinition.of(name, Mode.WEAK)
        .sites("lyon", "oslo", "rome")
        .siblings(8)
        .deadline(Duration.ofSeconds(20))
        .build();
  }

  @Test
  void whatWasWrittenAtSitesThatWereCutOffIsASiblingEverywhereUntilItIsResolved() {
    EnsembleCache<String, String> atLyon = lyon.createCache(definition("carts"));
    EnsembleCache<String, String> atOslo = oslo.getCache("carts");
    ReconciledCache<String, String> carts = atLyon.reconciled(SiblingsIT.merging());
    atLyon.put("cart", "tea");
    awaitThat("equal sites", () -> views("carts", "cart").size() == 1);

    cutAllBut("lyon");
    atLyon.put("cart", "tea,bread");
    // Ensemble stops retrying a copy after 5 s; only then may the next site be reached again.
    await("retries of copies ended").pollDelay(Duration.ofSeconds(7)).until(() -> true);
    cutAllBut("oslo");
    atOslo.put("cart", "tea,milk");
    heal();

    awaitThat("siblings", () -> states("carts", "cart").equals(Set.of("2 siblings")));
    assertThat(views("carts", "cart")).as("all sites hold the same").hasSize(1);
    assertThat(carts.get("cart")).isEqualTo("bread,milk,tea");
    assertThat(atLyon.get("cart")).as("the last writer's").isEqualTo("tea,milk");
    assertThatThrownBy(() -> atOslo.reconciled(Reconciliation.refusing()).get("cart"))
        .isInstanceOf(ReconciliationException.class)
        .hasMessageContaining("cache=carts siblings=2");
    assertThat(carts.siblings("cart").values()).containsExactly("tea,milk", "tea,bread");

    federation.site("rome").kill();
    federation.site("rome").restart();
    assertThat(lyon.recoverSite("carts", "rome")).isEqualTo(1);
    assertThat(states("carts", "cart")).containsExactly("2 siblings");

    assertThat(carts.resolve("cart")).isEqualTo("bread,milk,tea");

    awaitThat(
        "one value everywhere",
        () -> states("carts", "cart").equals(Set.of("")) && views("carts", "cart").size() == 1);
    assertThat(atOslo.get("cart")).isEqualTo("bread,milk,tea");
    assertThat(oslo.<String, String>getCache("carts").reconciled(merging()).siblings("cart"))
        .extracting(SiblingValues::values)
        .isEqualTo(List.of("bread,milk,tea"));
  }

  @Test
  void aContextSaysWhatAWriteTakesThePlaceOf() {
    ReconciledCache<String, String> cache =
        lyon.<String, String>createCache(definition("contexts"))
            .reconciled(Reconciliation.lastWriter());
    cache.put("k", "read by both");
    SiblingValues<String> seen = cache.siblings("k");

    cache.put("k", "one", seen.context());
    cache.put("k", "other", seen.context());

    SiblingValues<String> both = cache.siblings("k");
    assertThat(both.values()).containsExactly("other", "one");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> cache.put("another key", "x", both.context()))
        .withMessageContaining("the key that it was read from");
    cache.remove("k", seen.context());
    assertThat(cache.siblings("k").values()).hasSize(2);
    assertThat(cache.merge("k", "!", String::concat)).isEqualTo("other!");
    assertThat(cache.siblings("k").values()).containsExactly("other!");
    cache.remove("k", both.context());
    assertThat(cache.get("k")).isEqualTo("other!");
    cache.remove("k", cache.siblings("k").context());
    assertThat(cache.get("k")).isNull();
    assertThat(cache.siblings("k").values()).isEmpty();
  }

  @Test
  void collectionsAndConditionalOperationsSeeWhatThePolicyMakes() {
    ReconciledCache<String, String> cache =
        lyon.<String, String>createCache(definition("views")).reconciled(merging());
    SiblingValues<String> nothing = cache.siblings("k");
    cache.put("k", "b", nothing.context());
    cache.put("k", "a", nothing.context());

    assertThat(cache.values()).containsExactly("a,b");
    assertThat(cache.getAll(Set.of("k"))).containsEntry("k", "a,b");
    assertThat(cache.containsValue("a,b")).isTrue();
    assertThat(lyon.<String, String>getCache("views").values()).containsExactly("a");
    assertThatThrownBy(
            () ->
                cache.resolve(
                    "k",
                    siblings -> {
                      throw new ArithmeticException("as the test requires it");
                    }))
        .isInstanceOf(ReconciliationException.class)
        .hasCauseInstanceOf(ArithmeticException.class);
    assertThat(cache.siblings("k").values()).hasSize(2);
    assertThat(cache.replace("k", "a,b", "c")).isTrue();
    assertThat(cache.siblings("k").values()).containsExactly("c");
  }

  @Test
  void siblingsGoAlongToOtherSites() throws Exception {
    ReconciledCache<String, String> cache =
        lyon.<String, String>createCache(definition("moved")).reconciled(merging());
    SiblingValues<String> nothing = cache.siblings("k");
    cache.put("k", "b", nothing.context());
    cache.put("k", "a", nothing.context());
    SiblingValues<String> seen = cache.siblings("k");
    awaitThat("equal sites", () -> views("moved", "k").size() == 1);

    lyon.alter(definition("moved").at(List.of("oslo", "rome")))
        .done()
        .toCompletableFuture()
        .get(60, TimeUnit.SECONDS);

    assertThat(cache.siblings("k").values()).containsExactly("a", "b");
    cache.put("k", "c", seen.context());
    assertThat(cache.siblings("k").values()).containsExactly("c");
    CacheDefinition plain =
        CacheDefinition.of("moved", Mode.WEAK)
            .sites("oslo", "rome")
            .deadline(Duration.ofSeconds(20))
            .build();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> lyon.alter(plain))
        .withMessageContaining("siblings: 8, 1");
  }

  @Test
  void aCacheWithoutSiblingsHasNoSuchView() {
    EnsembleCache<String, String> plain =
        lyon.createCache(CacheDefinition.of("plain", Mode.WEAK).sites("lyon").build());

    assertThatThrownBy(() -> plain.reconciled(Reconciliation.lastWriter()))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("cache=plain");
  }

  /** Merges sets of words, in alphabetical order. */
  private static Reconciliation<String> merging() {
    return Reconciliation.merging(
        (one, other) ->
            Stream.of(one, other)
                .flatMap(words -> Stream.of(words.split(",")))
                .distinct()
                .sorted()
                .collect(Collectors.joining(",")));
  }

  private static void cutAllBut(String reachable) {
    for (EmbeddedSite site : federation.sites()) {
      if (site.name().equals(reachable)) {
        site.resume();
      } else {
        site.cut();
      }
    }
  }

  private static void heal() {
    federation.sites().forEach(EmbeddedSite::resume);
  }

  private static Set<String> views(String cache, String key) {
    return explained(cache, key)
        .map(entry -> entry.map(EntryView::digest).orElse("nothing"))
        .collect(Collectors.toSet());
  }

  private static Set<String> states(String cache, String key) {
    return explained(cache, key)
        .map(entry -> entry.map(EntryView::state).orElse("nothing"))
        .collect(Collectors.toSet());
  }

  private static Stream<Optional<EntryView>> explained(String cache, String key) {
    return lyon.explain(cache, key).stream().map(SiteView::entry);
  }

  private static void awaitThat(String what, Callable<Boolean> condition) {
    await(what)
        .pollInterval(Duration.ofMillis(200))
        .atMost(Duration.ofSeconds(90))
        .until(condition);
  }
}

package io.ensemble.testkit.sites;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.Acknowledgement;
import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.catalog.definition.FileDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.detect.SuspicionLevel.State;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.ensemble.testkit.embedded.SharedFederation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two processes maintain the sites of a federation without commands. */
@Timeout(180)
class MaintenanceIT {

  private static final int ENTRIES = 300;
  private static final Duration LONG = Duration.ofSeconds(90);
  private static final Endpoint STALE = new Endpoint("127.0.0.1", 1);

  @TempDir static Path catalog;
  private static EmbeddedFederation federation;
  private static EnsembleCacheManager one;
  private static EnsembleCacheManager two;

  @BeforeAll
  static void start() {
    federation = SharedFederation.threeSites();
    one = EnsembleCacheManager.builder().catalog(catalog.toString()).maintenance(true).build();
    two = EnsembleCacheManager.builder().catalog(catalog.toString()).maintenance(true).build();
    federation.sites().forEach(site -> one.membership().add(entry(site)));
  }

  @AfterAll
  static void stop() {
    SharedFederation.restoreThreeSites();
    one.getCacheNames().forEach(one::deleteCache);
    one.stop();
    two.stop();
  }

  private static SiteEntry entry(EmbeddedSite site) {
    List<Endpoint> endpoints = new ArrayList<>(nodes(site));
    if (site.name().equals("oslo")) {
      endpoints.add(STALE);
    }
    return SiteEntry.open(site.name(), endpoints, SiteStorage.MEMORY);
  }

  private static List<Endpoint> nodes(EmbeddedSite site) {
    return site.endpoints().stream()
        .map(at -> new Endpoint(at.getHostString(), at.getPort()))
        .toList();
  }

  private static List<Endpoint> entered(String site) {
    return one.membership().entry(site).orElseThrow().endpoints();
  }

  private static void until(Callable<Boolean> holds, String what) {
    await(what).atMost(LONG).until(holds);
  }

  @Test
  void aSiteThatComesBackEmptyIsFilledAndEndpointsAreKept() {
    List<State> states = new CopyOnWriteArrayList<>();
    two.membership()
        .listen(
            health -> {
              if (health.site().equals("rome")) {
                states.add(health.state());
              }
            });
    EnsembleCache<String, Integer> strong =
        one.createCache(
            CacheDefinition.of("strong", Mode.MWMR).sites("lyon", "oslo", "rome").build());
    EnsembleCache<String, Integer> weak =
        one.createCache(
            CacheDefinition.of("weak", Mode.WEAK)
                .sites("lyon", "rome")
                .acknowledgement(Acknowledgement.MAJORITY)
                .build());
    EnsembleCache<String, Integer> led =
        one.createCache(CacheDefinition.of("led", Mode.SWMR).sites("lyon", "oslo", "rome").build());
    EnsembleCache<String, Integer> there = two.getCache("strong");
    for (int i = 0; i < ENTRIES; i++) {
      strong.put("k" + i, i);
      weak.put("k" + i, i);
      led.put("k" + i, i);
    }
    Optional<String> before = one.stored("strong").orElseThrow().store("rome");

    EmbeddedSite lost = federation.site("rome");
    lost.kill();
    for (int i = 0; i < 50; i++) {
      there.put("k" + i, i + 1);
    }
    until(() -> states.contains(State.SUSPECTED), "a silent site is suspected");
    lost.restart();

    until(() -> isFilled(lost, "strong", before), "the strong cache is whole at the site");
    until(() -> isFilled(lost, "led", Optional.empty()), "the SWMR cache is whole at the site");
    until(() -> isFilled(lost, "weak", Optional.empty()), "the weak cache is whole at the site");
    until(() -> states.get(states.size() - 1) == State.REACHABLE, "it is reachable again");
    federation.site("lyon").kill();
    assertThat(there.get("k7")).isEqualTo(8);
    assertThat(there.get("k77")).isEqualTo(77);
    until(() -> entered("oslo").equals(nodes(federation.site("oslo"))), "what is stale is dropped");
    Map<String, Map<String, String>> notes = one.membership().notes();
    assertThat(notes).containsOnlyKeys("lyon", "oslo", "rome");
    assertThat(notes.get("oslo")).containsEntry("state", "reachable");
  }

  private static boolean isFilled(EmbeddedSite site, String cache, Optional<String> former) {
    Optional<String> store = one.stored(cache).orElseThrow().store(site.name());
    return store.isPresent()
        && !store.equals(former)
        && site.holds(store.get())
        && site.size(store.get()) >= ENTRIES; // The end's entry may be included.
  }

  @Test
  void aChangeWhoseMoverHasDiedIsCarriedToItsEnd() throws Exception {
    EnsembleCache<String, String> cache =
        one.createCache(CacheDefinition.of("left", Mode.MWMR).sites("oslo", "rome").build());
    cache.put("k", "v");
    CacheDefinition to = CacheDefinition.of("left", Mode.MWMR).sites("rome").build();
    Map<String, String> lives = Map.of("rome", "0000000c");
    ConfigurationChange begun =
        ConfigurationChange.begun(to, lives, "somebody who is dead", new TreeSet<>());
    FileDefinitions definitions = FileDefinitions.in(catalog);
    StoredDefinition next = one.stored("left").orElseThrow().with(Optional.of(begun));
    assertThat(definitions.replace(next).toCompletableFuture().get(30, TimeUnit.SECONDS)).isTrue();

    until(() -> two.stored("left").orElseThrow().change().isEmpty(), "the change is over");

    assertThat(two.stored("left").orElseThrow().definition()).isEqualTo(to);
    assertThat(two.<String, String>getCache("left").get("k")).isEqualTo("v");
    assertThat(one.deleteCache("left")).isTrue(); // A cache at one site cannot be recovered.
  }
}

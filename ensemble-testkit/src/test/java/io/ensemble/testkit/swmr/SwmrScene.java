package io.ensemble.testkit.swmr;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.OpenCache;
import io.ensemble.cache.Recoverable;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.swmr.OpenSwmrCache;
import io.ensemble.catalog.Catalog;
import io.ensemble.catalog.Catalog.Recovered;
import io.ensemble.catalog.DefinitionWatch;
import io.ensemble.catalog.InMemoryDefinitions;
import io.ensemble.catalog.SiteHandle;
import io.ensemble.catalog.StoredDefinition;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Site;
import io.ensemble.site.StoreKind;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.WriterId;
import io.ensemble.testkit.sim.SimClient;
import io.ensemble.testkit.sim.SimFederation;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** An SWMR cache of a simulated federation, with the catalog's own handles and recovery. */
final class SwmrScene {

  static final Duration LONG = Duration.ofMinutes(30);

  private static final String NAME = "copies";

  final SimFederation federation;
  private final CacheDefinition definition;
  private final InMemoryDefinitions definitions = new InMemoryDefinitions();
  private int tokens = 1;

  SwmrScene(SimFederation federation) {
    this.federation = federation;
    definition =
        CacheDefinition.of(NAME, Mode.SWMR)
            .sites(federation.siteNames())
            .tombstoneGrace(Duration.ZERO)
            .build();
    Map<String, String> lives = new TreeMap<>();
    federation.siteNames().forEach(site -> lives.put(site, "00000000"));
    StoredDefinition first = StoredDefinition.first(definition, "0000000000ca0000000000b2", lives);
    definitions.create(first);
    federation.createStore(first.storeName("00000000"), StoreKind.ACCEPTOR);
  }

  StoredDefinition stored() {
    return definitions.get(NAME).toCompletableFuture().join().orElseThrow();
  }

  /** A process has the cache open. */
  OpenSwmrCache open(SimClient client) {
    return open(client, site -> site, OpenSwmrCache::open);
  }

  /**
   * The same, differently.
   *
   * @param sites the sites as the process sees them
   */
  OpenSwmrCache open(
      SimClient client, UnaryOperator<Site> sites, Function<OpenCache, OpenSwmrCache> engine) {
    DefinitionWatch watch = new DefinitionWatch(stored(), definitions, client.scheduler());
    List<StoreHandle> handles =
        definition.sites().stream()
            .<StoreHandle>map(
                site ->
                    new SiteHandle(
                        sites.apply(client.sites().get(site)),
                        watch,
                        client.scheduler(),
                        CacheMetrics.NONE))
            .toList();
    return engine.apply(
        new OpenCache(
            definition,
            handles,
            Optional.empty(),
            client.scheduler(),
            new HybridClock(client.scheduler()::epochMicros),
            new WriterId(client.random().nextLong(), client.random().nextLong()),
            CacheMetrics.NONE));
  }

  CompletionStage<Recovered> recover(SimClient by, String site, Recoverable engine) {
    Catalog catalog =
        new Catalog(by.sites(), definitions, by.scheduler(), () -> "%08x".formatted(tokens++));
    return catalog.recover(
        stored(), site, engine, Deadline.after(Duration.ofSeconds(40), by.scheduler()));
  }

  <T> T get(CompletionStage<T> stage) {
    return federation.get(stage, LONG);
  }

  /** How many entries a site holds, the record of terms among them. */
  int entries(String site) {
    return federation.contents(site, stored().store(site).orElseThrow()).orElseThrow().size();
  }
}

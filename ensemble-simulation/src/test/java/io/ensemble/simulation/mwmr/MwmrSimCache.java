package io.ensemble.simulation.mwmr;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.mwmr.MwmrEngine;
import io.ensemble.catalog.Catalog;
import io.ensemble.catalog.DefinitionWatch;
import io.ensemble.catalog.SiteDirectory;
import io.ensemble.catalog.SiteHandle;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.simulation.SimClient;
import io.ensemble.simulation.SimFederation;
import io.ensemble.site.StoreKind;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.WriterId;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** An MWMR cache of a simulated federation, with the catalog's own handles and recovery. */
final class MwmrSimCache {

  private static final String NAME = "registers";

  private final SimFederation federation;
  private final CacheDefinition definition;
  private final InMemoryDefinitions definitions = new InMemoryDefinitions();
  private int tokens = 1;

  MwmrSimCache(SimFederation federation, Duration deadline) {
    this(federation, deadline, Duration.ZERO);
  }

  MwmrSimCache(SimFederation federation, Duration deadline, Duration tombstoneGrace) {
    this.federation = federation;
    definition =
        CacheDefinition.of(NAME, Mode.MWMR)
            .sites(federation.siteNames())
            .deadline(deadline)
            .tombstoneGrace(tombstoneGrace)
            .build();
    Map<String, String> lives = new TreeMap<>();
    federation.siteNames().forEach(site -> lives.put(site, "00000000"));
    StoredDefinition first = StoredDefinition.first(definition, "0000000000ca0000000000b1", lives);
    definitions.create(first);
    federation.createStore(first.storeName("00000000"), StoreKind.ACCEPTOR);
  }

  SimFederation federation() {
    return federation;
  }

  CacheDefinition definition() {
    return definition;
  }

  StoredDefinition stored() {
    return definitions.get(NAME).toCompletableFuture().join().orElseThrow();
  }

  InMemoryDefinitions definitions() {
    return definitions;
  }

  String newToken() {
    return "%08x".formatted(tokens++);
  }

  Catalog catalog(SimClient client) {
    return new Catalog(
        SiteDirectory.of(client.sites()), definitions, client.scheduler(), this::newToken);
  }

  /** One process that has the cache open. */
  record Opened(SimClient client, MwmrEngine engine, List<SiteHandle> handles) {}

  Opened open(SimClient client) {
    return open(client, (MeterRegistry) null);
  }

  Opened open(SimClient client, MeterRegistry registry) {
    return open(client, registry, new HybridClock(client.scheduler()::epochMicros));
  }

  /** A process with a clock of its own. */
  Opened open(SimClient client, HybridClock clock) {
    return open(client, null, clock);
  }

  private Opened open(SimClient client, MeterRegistry registry, HybridClock clock) {
    CacheMetrics metrics = CacheMetrics.of(registry, NAME, Mode.MWMR);
    DefinitionWatch watch = new DefinitionWatch(stored(), definitions, client.scheduler());
    List<SiteHandle> handles =
        definition.sites().stream()
            .map(
                site ->
                    new SiteHandle(client.sites().get(site), watch, client.scheduler(), metrics))
            .toList();
    EngineContext cache =
        new EngineContext(
            definition,
            List.<StoreHandle>copyOf(handles),
            Optional.empty(),
            client.scheduler(),
            clock,
            new WriterId(client.random().nextLong(), client.random().nextLong()),
            metrics);
    return new Opened(client, MwmrEngine.open(cache), handles);
  }
}

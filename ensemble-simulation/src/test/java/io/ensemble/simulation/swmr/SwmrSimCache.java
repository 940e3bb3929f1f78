package io.ensemble.simulation.swmr;

import io.ensemble.Acknowledgement;
import io.ensemble.CacheDefinition;
import io.ensemble.CopyWindow;
import io.ensemble.FormerStorePolicy;
import io.ensemble.Mode;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.DynamicQuorumEngine;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.RecoverableEngine;
import io.ensemble.cache.swmr.FaultyVoterSetEnd;
import io.ensemble.cache.swmr.OpenSwmrCache;
import io.ensemble.catalog.Catalog;
import io.ensemble.catalog.Catalog.RecoveryResult;
import io.ensemble.catalog.DefinitionWatch;
import io.ensemble.catalog.SiteDirectory;
import io.ensemble.catalog.SiteHandle;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.primary.TermLeaseRules;
import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.SimClient;
import io.ensemble.simulation.SimFederation;
import io.ensemble.site.Site;
import io.ensemble.site.StoreKind;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.WriterId;
import io.ensemble.testkit.swmr.FlakyCatalog;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** An SWMR cache of a simulated federation, with the catalog's own handles and recovery. */
final class SwmrSimCache {

  static final Duration LONG = Duration.ofMinutes(30);

  /** The window with {@code Acknowledgement.PRIMARY}, small enough to be full at times. */
  static final CopyWindow WINDOW = new CopyWindow(4, Duration.ofSeconds(2));

  private static final String NAME = "copies";

  final SimFederation federation;
  private final CacheDefinition definition;
  private final InMemoryDefinitions definitions = new InMemoryDefinitions();
  private final TermLeaseRules termLeaseRules;
  private final IdentityHashMap<OpenSwmrCache, DefinitionWatch> watches = new IdentityHashMap<>();
  private int tokens = 1;

  SwmrSimCache(SimFederation federation) {
    this(federation, Duration.ZERO);
  }

  SwmrSimCache(SimFederation federation, Duration tombstoneGrace) {
    this(federation, Acknowledgement.MAJORITY, FaultyVoterSetEnd.leases(), tombstoneGrace);
  }

  SwmrSimCache(
      SimFederation federation, Acknowledgement acknowledgement, TermLeaseRules termLeaseRules) {
    this(federation, acknowledgement, termLeaseRules, Duration.ZERO);
  }

  private SwmrSimCache(
      SimFederation federation,
      Acknowledgement acknowledgement,
      TermLeaseRules termLeaseRules,
      Duration tombstoneGrace) {
    this.federation = federation;
    this.termLeaseRules = termLeaseRules;
    CacheDefinition.Builder building =
        CacheDefinition.of(NAME, Mode.SWMR)
            .sites(federation.siteNames())
            .tombstoneGrace(tombstoneGrace)
            .acknowledgement(acknowledgement);
    definition =
        acknowledgement == Acknowledgement.PRIMARY
            ? building.window(WINDOW).build()
            : building.build();
    Map<String, String> lives = new TreeMap<>();
    federation.siteNames().forEach(site -> lives.put(site, "00000000"));
    StoredDefinition first = StoredDefinition.first(definition, "0000000000ca0000000000b2", lives);
    definitions.create(first);
    federation.createStore(first.storeName("00000000"), StoreKind.REPLICA);
  }

  /** The same cache with a copy of its present catalog. */
  SwmrSimCache(SwmrSimCache other) {
    federation = other.federation;
    definition = other.definition;
    termLeaseRules = other.termLeaseRules;
    tokens = 1_000_000;
    definitions.create(other.stored());
  }

  StoredDefinition stored() {
    return definitions.get(NAME).toCompletableFuture().join().orElseThrow();
  }

  /** Opens the cache in a process. */
  OpenSwmrCache open(SimClient client) {
    return open(client, () -> false);
  }

  /**
   * The same.
   *
   * @param away whether the process cannot read the definitions at the moment
   */
  OpenSwmrCache open(SimClient client, BooleanSupplier away) {
    return open(client, site -> site, away, cache -> FaultyVoterSetEnd.open(cache, termLeaseRules));
  }

  /**
   * The same with wrapped sites and another engine.
   *
   * @param sites the sites as the process sees them
   */
  OpenSwmrCache open(
      SimClient client, UnaryOperator<Site> sites, Function<EngineContext, OpenSwmrCache> open) {
    return open(client, sites, () -> false, open);
  }

  private OpenSwmrCache open(
      SimClient client,
      UnaryOperator<Site> sites,
      BooleanSupplier away,
      Function<EngineContext, OpenSwmrCache> open) {
    StoredDefinition now = stored();
    DefinitionWatch watch =
        new DefinitionWatch(now, new FlakyCatalog(definitions, away), client.scheduler());
    List<SiteHandle> handles =
        definition.sites().stream()
            .map(
                site ->
                    new SiteHandle(
                        sites.apply(client.sites().get(site)),
                        watch,
                        client.scheduler(),
                        CacheMetrics.NONE))
            .toList();
    OpenSwmrCache engine =
        open.apply(
            new EngineContext(
                definition,
                List.copyOf(handles),
                Optional.empty(),
                client.scheduler(),
                new HybridClock(client.scheduler()::epochMicros),
                new WriterId(client.random().nextLong(), client.random().nextLong()),
                CacheMetrics.NONE));
    engine.follow(now.roll(), () -> {});
    engine.whenOver(watch::look);
    watch.whenOthersCount(
        changed ->
            engine.follow(changed.roll(), () -> handles.forEach(handle -> handle.follow(changed))));
    watch.whenStoresAreOthers(changed -> handles.forEach(handle -> handle.follow(changed)));
    watch.start();
    watches.put(engine, watch);
    return engine;
  }

  /** Lets the process of {@code engine} read the definitions and follow them. */
  CompletionStage<StoredDefinition> look(OpenSwmrCache engine) {
    return watches.get(engine).present();
  }

  /** An operator's command to continue at one site, up to the change of the catalog. */
  CompletionStage<StoredDefinition> goOnAt(SimClient by, String site, DynamicQuorumEngine engine) {
    return catalog(by).goOnAt(stored(), site, engine, soon(by));
  }

  CompletionStage<RecoveryResult> recover(SimClient by, String site, RecoverableEngine engine) {
    return recover(by, site, FormerStorePolicy.MUST_BE_LOST, engine);
  }

  CompletionStage<RecoveryResult> recover(
      SimClient by, String site, FormerStorePolicy former, RecoverableEngine engine) {
    return catalog(by).recover(stored(), site, former, engine, soon(by));
  }

  private Catalog catalog(SimClient by) {
    return new Catalog(
        SiteDirectory.of(by.sites()),
        definitions,
        by.scheduler(),
        () -> "%08x".formatted(tokens++));
  }

  static Deadline soon(SimClient client) {
    return Deadline.after(Duration.ofSeconds(40), client.scheduler());
  }

  <T> T get(CompletionStage<T> stage) {
    return federation.get(stage, LONG);
  }

  /** The number of entries at a site, including the record of terms. */
  int entries(String site) {
    return federation.contents(site, stored().store(site).orElseThrow()).orElseThrow().size();
  }
}

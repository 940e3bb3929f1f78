package io.ensemble.migrate;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.DynamicQuorumEngine;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.EngineFactory;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.lease.ConfigurationEndReader;
import io.ensemble.cache.lease.LeasedEngine;
import io.ensemble.cache.lease.LeasedStoreHandle;
import io.ensemble.cache.lease.ReconfigurableEngine;
import io.ensemble.cache.lease.ServingConfiguration;
import io.ensemble.catalog.DefinitionWatch;
import io.ensemble.catalog.SiteDirectory;
import io.ensemble.catalog.SiteHandle;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.lease.ConfigurationLeaseRules;
import io.ensemble.schedule.Scheduler;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.WriterId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An open cache across its configurations: opens the engine that serves in each configuration, when
 * the cache's record says so. Thread-safe.
 */
public final class ConfigurationFollower {

  private static final Logger LOG = LoggerFactory.getLogger(ConfigurationFollower.class);

  /**
   * The dependencies that all configurations of a cache share in one process.
   *
   * @param engines the factory that opens a cache of a mode
   * @param local the site near the application
   * @param writers returns a new writer id for each engine, never the same one twice
   * @param leaseRules how long a lease on a configuration holds
   */
  public record FollowerContext(
      SiteDirectory sites,
      Function<Mode, EngineFactory> engines,
      Optional<String> local,
      Scheduler scheduler,
      HybridClock clock,
      Supplier<WriterId> writers,
      CacheMetrics metrics,
      ConfigurationLeaseRules leaseRules) {

    /** The context of an engine, each with a writer id of its own. */
    EngineContext engineContext(CacheDefinition definition, List<? extends StoreHandle> stores) {
      return new EngineContext(
          definition,
          List.copyOf(stores),
          definition.replicaAt(local),
          scheduler,
          clock,
          writers.get(),
          metrics);
    }
  }

  private final FollowerContext context;
  private final DefinitionWatch watch;
  private final ReconfigurableEngine engine;
  private volatile List<SiteHandle> handles = List.of();
  private volatile long sealedConfiguration;

  /** The migration that serves while keys are taken over. */
  private volatile @Nullable LazyMigration cutover;

  /** A record that cannot be followed yet, because not all its sites are known to this process. */
  private volatile @Nullable StoredDefinition awaitedDefinition;

  private final AtomicBoolean isLearning = new AtomicBoolean();

  /**
   * Actions that must run without this object's lock, because they run foreign code; guarded by the
   * lock.
   */
  private final List<Runnable> deferredActions = new ArrayList<>();

  /** Opens the configuration that {@code watch} found. */
  public ConfigurationFollower(FollowerContext context, DefinitionWatch watch) {
    this.context = context;
    this.watch = watch;
    StoredDefinition initial = watch.opened();
    engine =
        new ReconfigurableEngine(
            context.sites().knows(sitesOf(initial))
                ? openConfiguration(initial)
                : openFormer(initial),
            context.scheduler(),
            this::refreshDefinition,
            () -> watch.presentWithin(0));
    applyChange(watch.opened());
    watch.whenChanged(this::applyChange);
  }

  /** The cache, whatever its configuration. */
  public ReconfigurableEngine engine() {
    return engine;
  }

  /** The stores of the present configuration. */
  public List<SiteHandle> handles() {
    return handles;
  }

  /**
   * The record is, or recently was, {@code now}. When this method returns, the record has been
   * followed.
   */
  private void applyChange(StoredDefinition now) {
    List<Runnable> actions;
    synchronized (this) {
      applyRecord(now);
    }
    if (Thread.holdsLock(this)) {
      // Reentrant call while another record is being followed; the outer call does the rest.
      return;
    }
    synchronized (this) {
      actions = List.copyOf(deferredActions);
      deferredActions.clear();
    }
    actions.forEach(Runnable::run);
  }

  /** Requires the lock. */
  private void applyRecord(StoredDefinition now) {
    if (now.served().configuration() > engine.number()) {
      follow(now);
    }
    LazyMigration migration = cutover;
    if (migration != null && now.configuration() >= migration.number()) {
      cutover = null;
      if (now.configuration() == migration.number()) { // Otherwise its stores were abandoned.
        deferredActions.add(migration::finish);
      }
    }
    if (now.change().filter(ConfigurationChange::isSealing).isPresent()) {
      sealedConfiguration = Math.max(sealedConfiguration, now.configuration());
      // After a restart, also the configuration that was taking keys over.
      if (engine.number() < now.leadsTo()) {
        engine.hold(engine.number());
      }
    }
  }

  private void follow(StoredDefinition now) {
    CacheDefinition definition = now.served().definition();
    if (!context.sites().knows(sitesOf(now))) {
      if (awaitedDefinition == null) {
        LOG.warn(
            "the new configuration has sites that are not configured in this process; cache={} "
                + "expected={} known={}",
            definition.name(),
            sitesOf(now),
            context.sites().names());
      }
      awaitedDefinition = now;
      engine.hold(engine.number());
      learnSites(now);
      return;
    }
    awaitedDefinition = null;
    LOG.info(
        "cache adopted its new configuration; cache={} configuration={} mode={} sites={}",
        definition.name(),
        now.served().configuration(),
        definition.mode(),
        definition.sites());
    deferredActions.add(engine.replace(openConfiguration(now)));
  }

  /** While calls are held: reads the record, or looks for the missing sites of the record found. */
  private void refreshDefinition() {
    StoredDefinition definition = awaitedDefinition;
    watch.look();
    if (definition != null) {
      learnSites(definition);
    }
  }

  private void learnSites(StoredDefinition now) {
    Collection<String> siteNames = sitesOf(now);
    if (isLearning.compareAndSet(false, true)) {
      context
          .sites()
          .learn(siteNames)
          .whenComplete(
              (done, failure) -> {
                isLearning.set(false);
                if (context.sites().knows(siteNames)) {
                  applyChange(now);
                }
              });
    }
  }

  /** The sites that are needed to serve the record. */
  private static Collection<String> sitesOf(StoredDefinition now) {
    return now.served() == now ? now.definition().sites() : now.allSites();
  }

  private ServingConfiguration openConfiguration(StoredDefinition now) {
    StoredDefinition served = now.served();
    if (served == now) {
      return openFormer(now);
    }
    List<SiteHandle> servedHandles = handles(served);
    handles = List.copyOf(servedHandles);
    LazyMigration migration = LazyMigration.of(now, handles(now), context, watch);
    cutover = migration;
    int majority = served.definition().majority();
    return migration.toServingConfiguration(
        new ConfigurationEndReader(
            context.leaseRules(),
            servedHandles,
            majority,
            context.scheduler(),
            () -> holdEnded(served.configuration()),
            migration::isNamed),
        List.copyOf(servedHandles));
  }

  /** The record's own configuration, whether it serves or has ended. */
  private ServingConfiguration openFormer(StoredDefinition stored) {
    List<SiteHandle> siteHandles = handles(stored);
    handles = List.copyOf(siteHandles);
    return stored.definition().mode() == Mode.SWMR
        ? openSwmr(stored, siteHandles)
        : openLeased(stored, siteHandles);
  }

  private List<SiteHandle> handles(StoredDefinition stored) {
    List<SiteHandle> siteHandles = new ArrayList<>();
    for (String site : stored.definition().sites()) {
      siteHandles.add(
          new SiteHandle(
              context.sites().of(site), watch, stored, context.scheduler(), context.metrics()));
    }
    return siteHandles;
  }

  /** In this configuration, the terms are the leases and end with it. */
  private ServingConfiguration openSwmr(StoredDefinition stored, List<SiteHandle> siteHandles) {
    CacheEngine innerEngine = openEngine(stored.definition(), List.copyOf(siteHandles));
    if (innerEngine instanceof DynamicQuorumEngine dynamicQuorumEngine) {
      dynamicQuorumEngine.whenOver(watch::look);
      dynamicQuorumEngine.follow(stored.roll(), () -> {});
    }
    long number = stored.configuration();
    return new ServingConfiguration(
        number, stored.definition(), innerEngine, innerEngine, () -> sealedConfiguration >= number);
  }

  private ServingConfiguration openLeased(StoredDefinition stored, List<SiteHandle> siteHandles) {
    CacheDefinition definition = stored.definition();
    boolean endsAtEachSite = definition.mode() == Mode.WEAK;
    long number = stored.configuration();
    ConfigurationEndReader endReader =
        openEndReader(stored, siteHandles, endsAtEachSite ? 1 : definition.majority());
    List<StoreHandle> engineStores = new ArrayList<>();
    for (int i = 0; i < siteHandles.size(); i++) {
      engineStores.add(
          endsAtEachSite
              ? new LeasedStoreHandle(siteHandles.get(i), endReader, i)
              : siteHandles.get(i));
    }
    CacheEngine innerEngine = openEngine(definition, engineStores);
    CacheEngine outerEngine =
        endsAtEachSite
            ? innerEngine
            : new LeasedEngine(innerEngine, definition, endReader, context.metrics());
    return new ServingConfiguration(
        number, definition, outerEngine, innerEngine, endReader::isEnding);
  }

  private ConfigurationEndReader openEndReader(
      StoredDefinition stored, List<SiteHandle> siteHandles, int requiredSites) {
    return new ConfigurationEndReader(
        context.leaseRules(),
        siteHandles,
        requiredSites,
        context.scheduler(),
        () -> holdEnded(stored.configuration()));
  }

  private CacheEngine openEngine(CacheDefinition definition, List<StoreHandle> stores) {
    return context
        .engines()
        .apply(definition.mode())
        .open(context.engineContext(definition, stores));
  }

  private void holdEnded(long number) {
    ReconfigurableEngine currentEngine = engine;
    // Null if an end mark is found while the first configuration is being opened.
    if (currentEngine != null) {
      currentEngine.hold(number);
    }
    watch.look();
  }
}

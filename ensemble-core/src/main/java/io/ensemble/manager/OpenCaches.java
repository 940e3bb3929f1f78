package io.ensemble.manager;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.cache.BlockingCall;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.DynamicQuorumEngine;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.EngineFactory;
import io.ensemble.cache.adapter.CacheInstance;
import io.ensemble.cache.encryption.Keysets;
import io.ensemble.catalog.DefinitionWatch;
import io.ensemble.catalog.SiteHandle;
import io.ensemble.catalog.SitesNotKnownHereException;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.codec.Codec;
import io.ensemble.lease.ConfigurationLeaseRules;
import io.ensemble.migrate.ConfigurationFollower;
import io.ensemble.redundancy.CacheRedundancy;
import io.ensemble.redundancy.RedundancyMonitor;
import io.ensemble.schedule.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** The caches that one manager has open, each once, until the manager is stopped. Thread-safe. */
public final class OpenCaches {

  public static final Duration LONGEST_LOOKUP = Duration.ofSeconds(10);
  private static final int MOST_LOOKS = 8;
  public static final Duration LONGEST_FAREWELL = Duration.ofSeconds(2);

  private final ManagerContext federation;
  private final Codec codec;
  private final Map<Mode, EngineFactory> engines;
  private final Keysets keysets;
  private final RedundancyMonitor redundancy;

  // Both are guarded by this object's lock.
  private final Map<String, ManagedCache> open = new TreeMap<>();
  private boolean stopped;

  public OpenCaches(ManagerContext federation, Codec codec, Map<Mode, EngineFactory> engines) {
    this(federation, codec, engines, Keysets.NONE);
  }

  public OpenCaches(
      ManagerContext federation, Codec codec, Map<Mode, EngineFactory> engines, Keysets keysets) {
    this.keysets = keysets;
    this.federation = federation;
    this.codec = codec;
    this.engines = Map.copyOf(engines);
    this.redundancy = new RedundancyMonitor(federation.sites(), federation.scheduler());
  }

  /** The known state of the replicas of caches. */
  public RedundancyMonitor redundancy() {
    return redundancy;
  }

  /**
   * The open caches, by name; the caller must hold this object's lock.
   *
   * @throws IllegalStateException if the manager is stopped
   */
  public synchronized Map<String, ManagedCache> running() {
    if (stopped) {
      throw new IllegalStateException("the manager is stopped: build another");
    }
    return open;
  }

  /** The caches that are open now, by name; empty once the manager is stopped. */
  public synchronized Map<String, ManagedCache> snapshot() {
    return stopped ? Map.of() : new TreeMap<>(open);
  }

  /** The keysets with which private caches are opened. */
  public Keysets keysets() {
    return keysets;
  }

  /** The open cache of that name, if there is one. */
  public synchronized Optional<ManagedCache> get(String name) {
    return Optional.ofNullable(running().get(name));
  }

  /**
   * Opens the cache, or returns the open one. If one of another birth is open, the catalog decides
   * which of the two still exists. Fails with {@link CatalogException} if other processes change it
   * repeatedly.
   */
  public ManagedCache opened(StoredDefinition stored) {
    String name = stored.definition().name();
    learn(stored.definition().sites());
    for (int i = 0; i < MOST_LOOKS; i++) {
      Optional<ManagedCache> former = get(name).filter(open -> !open.isOf(stored));
      if (former.isPresent() && waitFor(former.get().watch()::isPresent, LONGEST_LOOKUP)) {
        return former.get();
      }
      ManagedCache mine;
      boolean isNew;
      synchronized (this) {
        ManagedCache now = running().get(name);
        if (now == null || now.watch().isDeleted()) {
          mine = open(stored);
          open.put(name, mine);
          isNew = true;
        } else if (now.isOf(stored)) {
          mine = now;
          isNew = false;
        } else {
          continue; // Opened since the check; the catalog decides whether it exists.
        }
      }
      return isNew ? begun(mine) : upToDate(mine, stored);
    }
    throw new CatalogException(
        CatalogException.Reason.CHANGED,
        "other processes created, opened and deleted the cache at each attempt; cache=" + name);
  }

  /** Makes the cache follow to the configuration of {@code stored}, if it has not yet. */
  private ManagedCache upToDate(ManagedCache opened, StoredDefinition stored) {
    if (!opened.faces().isIn(stored.served().configuration())) {
      waitFor(opened.watch()::present, LONGEST_LOOKUP);
    }
    return opened;
  }

  /**
   * Opens the cache, or returns the open one, without blocking. Empty while one of another birth is
   * open, whose deletion will be noticed soon.
   */
  public Optional<ManagedCache> openedSoon(StoredDefinition stored) {
    ManagedCache mine;
    synchronized (this) {
      ManagedCache now = running().get(stored.definition().name());
      if (now != null && !now.watch().isDeleted()) {
        return Optional.of(now).filter(open -> open.isOf(stored));
      }
      mine = open(stored);
      open.put(stored.definition().name(), mine);
    }
    mine.watch().whenDeleted(() -> forget(mine));
    mine.watch().start();
    return Optional.of(mine);
  }

  /** Makes the existing ones of {@code sites} known to the manager. */
  private void learn(List<String> sites) {
    if (!federation.sites().knows(sites)) {
      waitFor(() -> federation.sites().learn(sites), LONGEST_LOOKUP);
    }
  }

  private ManagedCache begun(ManagedCache opened) {
    opened.watch().whenDeleted(() -> forget(opened));
    opened.watch().start();
    waitFor(opened::whenStoresAreSettled, ManagedCache.SETTLING);
    return opened;
  }

  /** Closes a cache that was deleted, with all its views and handles. Does not block. */
  private void forget(ManagedCache deleted) {
    synchronized (this) {
      open.remove(deleted.watch().opened().definition().name(), deleted);
    }
    deleted.faces().closeAsDeleted();
  }

  /** Closes the cache if it is open; its deletion is certain. */
  public void wasDeleted(StoredDefinition stored) {
    get(stored.definition().name())
        .filter(open -> open.isOf(stored))
        .ifPresent(open -> open.watch().wasDeleted());
  }

  private ManagedCache open(StoredDefinition stored) {
    CacheDefinition definition = stored.definition();
    if (!federation.sites().knows(definition.sites())) {
      throw new SitesNotKnownHereException(
          ("the cache has sites that are not configured in this manager; cache=%s expected=%s "
                  + "known=%s")
              .formatted(definition.name(), definition.sites(), federation.sites().names()),
          definition.sites());
    }
    CacheMetrics metrics =
        federation.metrics(definition.name(), definition.mode(), definition.privacy().isPrivate());
    measureReplicas(definition.name(), metrics);
    DefinitionWatch watch = federation.watch(stored);
    OpenEngine serving = serving(stored, watch, metrics);
    CacheEngine engine = serving.engine();
    CacheInstance faces =
        new CacheInstance(
            definition,
            keysets.users(definition, stored.birth(), engine, federation.clock()::physicalMicros),
            codec,
            federation.scheduler(),
            metrics,
            federation.clock()::physicalMicros,
            () -> stop(definition.name()),
            stored.birth());
    ManagedCache opened = new ManagedCache(watch, faces, serving.handles(), federation.scheduler());
    opened.follow(stored);
    watch.whenOthersCount(opened::follow);
    watch.whenStoresAreOthers(opened::followStores);
    if (engine instanceof DynamicQuorumEngine dynamicQuorumEngine) {
      dynamicQuorumEngine.whenOver(watch::look);
    }
    return opened;
  }

  /** All gauges are NaN before the first check. */
  private void measureReplicas(String cache, CacheMetrics metrics) {
    Map<CacheMetrics.ReplicaGauge, ToIntFunction<CacheRedundancy>> figures =
        Map.of(
            CacheMetrics.ReplicaGauge.ASKED, CacheRedundancy::asked,
            CacheMetrics.ReplicaGauge.WHOLE, CacheRedundancy::whole,
            CacheMetrics.ReplicaGauge.CAN_LOSE, CacheRedundancy::canLose);
    figures.forEach(
        (gauge, figure) ->
            metrics.gauge(
                gauge,
                () ->
                    redundancy
                        .of(cache)
                        .map(known -> (double) figure.applyAsInt(known))
                        .orElse(Double.NaN)));
  }

  /** An engine and the handles of its stores. */
  private record OpenEngine(CacheEngine engine, Supplier<List<SiteHandle>> handles) {}

  private OpenEngine serving(StoredDefinition stored, DefinitionWatch watch, CacheMetrics metrics) {
    if (stored.fenced()) {
      ConfigurationFollower follower =
          new ConfigurationFollower(
              new ConfigurationFollower.FollowerContext(
                  federation.sites(),
                  this::engine,
                  federation.localSite(),
                  federation.scheduler(),
                  federation.clock(),
                  federation::newWriter,
                  metrics,
                  ConfigurationLeaseRules.STANDARD),
              watch);
      return new OpenEngine(follower.engine(), follower::handles);
    }
    CacheDefinition definition = stored.definition();
    List<SiteHandle> handles =
        definition.sites().stream().map(site -> federation.handle(site, watch, metrics)).toList();
    CacheEngine engine =
        engine(definition.mode())
            .open(
                new EngineContext(
                    definition,
                    List.copyOf(handles),
                    definition.replicaAt(federation.localSite()),
                    federation.scheduler(),
                    federation.clock(),
                    federation.newWriter(),
                    metrics));
    return new OpenEngine(engine, () -> handles);
  }

  /**
   * The factory of engines for {@code mode}.
   *
   * @throws IllegalStateException if there is none
   */
  public EngineFactory engine(Mode mode) {
    EngineFactory engine = engines.get(mode);
    if (engine == null) {
      throw new IllegalStateException("the manager has no engine for the mode; mode=" + mode);
    }
    return engine;
  }

  /** Closes a cache; has no effect if it is not open. */
  public void stop(String name) {
    ManagedCache closing;
    synchronized (this) {
      closing = open.remove(name);
    }
    if (closing != null) {
      close(List.of(closing));
    }
  }

  /** Closes all caches and opens no more; returns false if that was done before. */
  public boolean stop() {
    List<ManagedCache> closing;
    synchronized (this) {
      if (stopped) {
        return false;
      }
      stopped = true;
      closing = List.copyOf(open.values());
      open.clear();
    }
    close(closing);
    return true;
  }

  /** Waits briefly until acknowledged writes that are in flight have reached their sites. */
  private void close(List<ManagedCache> closing) {
    if (!federation.scheduler().ownsCurrentThread()) {
      Deadline soon = Deadline.after(LONGEST_FAREWELL, federation.scheduler());
      closing.stream()
          .map(cache -> cache.drained(soon))
          .toList()
          .forEach(
              drained ->
                  BlockingCall.result(() -> drained, LONGEST_FAREWELL, federation.scheduler()));
    }
    closing.forEach(ManagedCache::close);
  }

  /** Waits for {@code step}, which is not started once the manager is stopped. */
  public <T extends @Nullable Object> T waitFor(
      Supplier<CompletionStage<T>> step, Duration longest) {
    running();
    return BlockingCall.result(step, longest, federation.scheduler());
  }

  /** The result of a change of a record; empty if another process was faster. */
  public <T> Optional<T> unlessRaced(Supplier<CompletionStage<T>> change) {
    try {
      return Optional.of(waitFor(change, LONGEST_LOOKUP));
    } catch (CatalogException raced) {
      if (raced.reason() != CatalogException.Reason.CHANGED) {
        throw raced;
      }
      return Optional.empty();
    }
  }
}

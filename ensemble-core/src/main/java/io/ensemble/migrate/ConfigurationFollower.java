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
import io.ensemble.lease.LeaseRules;
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
   * @param trust how long a lease on a configuration holds
   */
  public record Surroundings(
      SiteDirectory sites,
      Function<Mode, EngineFactory> engines,
      Optional<String> local,
      Scheduler scheduler,
      HybridClock clock,
      Supplier<WriterId> writers,
      CacheMetrics metrics,
      LeaseRules trust) {

    /** The context of an engine, each with a writer id of its own. */
    EngineContext cache(CacheDefinition definition, List<? extends StoreHandle> stores) {
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

  private final Surroundings around;
  private final DefinitionWatch watch;
  private final ReconfigurableEngine engine;
  private volatile List<SiteHandle> handles = List.of();
  private volatile long sealed;

  /** The migration that serves while keys are taken over. */
  private volatile @Nullable LazyMigration cutover;

  /** A record that cannot be followed yet, because not all its sites are known to this process. */
  private volatile @Nullable StoredDefinition ahead;

  private final AtomicBoolean learning = new AtomicBoolean();

  /**
   * Actions that must run without this object's lock, because they run foreign code; guarded by the
   * lock.
   */
  private final List<Runnable> deferred = new ArrayList<>();

  /** Opens the configuration that {@code watch} found. */
  public ConfigurationFollower(Surroundings around, DefinitionWatch watch) {
    this.around = around;
    this.watch = watch;
    StoredDefinition first = watch.opened();
    engine =
        new ReconfigurableEngine(
            around.sites().knows(sites(first)) ? open(first) : former(first),
            around.scheduler(),
            this::look,
            () -> watch.presentWithin(0));
    changed(watch.opened());
    watch.whenChanged(this::changed);
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
  private void changed(StoredDefinition now) {
    List<Runnable> rest;
    synchronized (this) {
      applyRecord(now);
    }
    if (Thread.holdsLock(this)) {
      // Reentrant call while another record is being followed; the outer call does the rest.
      return;
    }
    synchronized (this) {
      rest = List.copyOf(deferred);
      deferred.clear();
    }
    rest.forEach(Runnable::run);
  }

  /** Requires the lock. */
  private void applyRecord(StoredDefinition now) {
    if (now.served().configuration() > engine.number()) {
      follow(now);
    }
    LazyMigration taking = cutover;
    if (taking != null && now.configuration() >= taking.number()) {
      cutover = null;
      if (now.configuration() == taking.number()) { // Otherwise its stores were abandoned.
        deferred.add(taking::over);
      }
    }
    if (now.change().filter(ConfigurationChange::isSealing).isPresent()) {
      sealed = Math.max(sealed, now.configuration());
      // After a restart, also the configuration that was taking keys over.
      if (engine.number() < now.leadsTo()) {
        engine.hold(engine.number());
      }
    }
  }

  private void follow(StoredDefinition now) {
    CacheDefinition definition = now.served().definition();
    if (!around.sites().knows(sites(now))) {
      if (ahead == null) {
        LOG.warn(
            "the new configuration has sites that are not configured in this process; cache={} "
                + "expected={} known={}",
            definition.name(),
            sites(now),
            around.sites().names());
      }
      ahead = now;
      engine.hold(engine.number());
      learn(now);
      return;
    }
    ahead = null;
    LOG.info(
        "cache adopted its new configuration; cache={} configuration={} mode={} sites={}",
        definition.name(),
        now.served().configuration(),
        definition.mode(),
        definition.sites());
    deferred.add(engine.replace(open(now)));
  }

  /** While calls are held: reads the record, or looks for the missing sites of the record found. */
  private void look() {
    StoredDefinition waiting = ahead;
    watch.look();
    if (waiting != null) {
      learn(waiting);
    }
  }

  private void learn(StoredDefinition now) {
    Collection<String> wanted = sites(now);
    if (learning.compareAndSet(false, true)) {
      around
          .sites()
          .learn(wanted)
          .whenComplete(
              (learnt, failure) -> {
                learning.set(false);
                if (around.sites().knows(wanted)) {
                  changed(now);
                }
              });
    }
  }

  /** The sites that are needed to serve the record. */
  private static Collection<String> sites(StoredDefinition now) {
    return now.served() == now ? now.definition().sites() : now.allSites();
  }

  private ServingConfiguration open(StoredDefinition now) {
    StoredDefinition served = now.served();
    if (served == now) {
      return former(now);
    }
    List<SiteHandle> fresh = handles(served);
    handles = List.copyOf(fresh);
    LazyMigration taking = LazyMigration.of(now, handles(now), around, watch);
    cutover = taking;
    int majority = served.definition().majority();
    return taking.serving(
        new ConfigurationEndReader(
            around.trust(),
            fresh,
            majority,
            around.scheduler(),
            () -> ends(served.configuration()),
            taking::isNamed),
        List.copyOf(fresh));
  }

  /** The record's own configuration, whether it serves or has ended. */
  private ServingConfiguration former(StoredDefinition stored) {
    List<SiteHandle> plain = handles(stored);
    handles = List.copyOf(plain);
    return stored.definition().mode() == Mode.SWMR
        ? byTerms(stored, plain)
        : byTrust(stored, plain);
  }

  private List<SiteHandle> handles(StoredDefinition stored) {
    List<SiteHandle> plain = new ArrayList<>();
    for (String site : stored.definition().sites()) {
      plain.add(
          new SiteHandle(
              around.sites().of(site), watch, stored, around.scheduler(), around.metrics()));
    }
    return plain;
  }

  /** In this configuration, the terms are the leases and end with it. */
  private ServingConfiguration byTerms(StoredDefinition stored, List<SiteHandle> plain) {
    CacheEngine inner = inner(stored.definition(), List.copyOf(plain));
    if (inner instanceof DynamicQuorumEngine dynamicQuorumEngine) {
      dynamicQuorumEngine.whenOver(watch::look);
      dynamicQuorumEngine.follow(stored.roll(), () -> {});
    }
    long number = stored.configuration();
    return new ServingConfiguration(
        number, stored.definition(), inner, inner, () -> sealed >= number);
  }

  private ServingConfiguration byTrust(StoredDefinition stored, List<SiteHandle> plain) {
    CacheDefinition definition = stored.definition();
    boolean each = definition.mode() == Mode.WEAK;
    long number = stored.configuration();
    ConfigurationEndReader trust = trust(stored, plain, each ? 1 : definition.majority());
    List<StoreHandle> given = new ArrayList<>();
    for (int i = 0; i < plain.size(); i++) {
      given.add(each ? new LeasedStoreHandle(plain.get(i), trust, i) : plain.get(i));
    }
    CacheEngine inner = inner(definition, given);
    CacheEngine outer = each ? inner : new LeasedEngine(inner, definition, trust);
    return new ServingConfiguration(number, definition, outer, inner, trust::isEnding);
  }

  private ConfigurationEndReader trust(
      StoredDefinition stored, List<SiteHandle> plain, int needed) {
    return new ConfigurationEndReader(
        around.trust(), plain, needed, around.scheduler(), () -> ends(stored.configuration()));
  }

  private CacheEngine inner(CacheDefinition definition, List<StoreHandle> stores) {
    return around.engines().apply(definition.mode()).open(around.cache(definition, stores));
  }

  private void ends(long number) {
    ReconfigurableEngine following = engine;
    // Null if an end mark is found while the first configuration is being opened.
    if (following != null) {
      following.hold(number);
    }
    watch.look();
  }
}

package io.ensemble;

import io.ensemble.cache.EngineFactory;
import io.ensemble.cache.encryption.Keysets;
import io.ensemble.catalog.CatalogAddress;
import io.ensemble.catalog.CatalogSites;
import io.ensemble.catalog.SiteDirectory;
import io.ensemble.catalog.definition.Definitions;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.definition.RecordDefinitions;
import io.ensemble.codec.Codec;
import io.ensemble.keyset.KeysetReference;
import io.ensemble.maintenance.TaskLease;
import io.ensemble.manager.ClockRejectionReporter;
import io.ensemble.manager.ManagerContext;
import io.ensemble.manager.ModeEngines;
import io.ensemble.reconfiguration.CacheChanges;
import io.ensemble.reconfiguration.ChangeRun;
import io.ensemble.schedule.Scheduler;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.Site;
import io.ensemble.site.address.AddressPolicy;
import io.ensemble.site.hotrod.HotRod;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.stamp.HybridClock;
import io.micrometer.core.instrument.MeterRegistry;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.infinispan.protostream.SerializationContextInitializer;
import org.jspecify.annotations.Nullable;

/**
 * Describes an {@link EnsembleCacheManager}. Only sites are required, or a catalog that has some.
 * Not thread-safe.
 */
public final class EnsembleCacheManagerBuilder {

  private static final Duration LONGEST_ADMINISTRATION = Duration.ofMinutes(10);
  private static final Duration LARGEST_SKEW = Duration.ofDays(1);
  private static final Duration SHORTEST_SILENCE = Duration.ofSeconds(1);
  private static final Duration LONGEST_SILENCE = Duration.ofDays(365);

  private final List<Site> sites = new ArrayList<>();
  private final List<SiteConfiguration> configurations = new ArrayList<>();
  private final List<SerializationContextInitializer> schemas = new ArrayList<>();
  private final Map<Mode, EngineFactory> engines = ModeEngines.all();
  private final Map<String, KeysetReference> keysets = new HashMap<>();
  private @Nullable Definitions definitions;
  private @Nullable String address;
  private @Nullable Scheduler scheduler;
  private @Nullable LongSupplier epochMicros;
  private @Nullable String localSite;
  private @Nullable MeterRegistry registry;
  private @Nullable AddressPolicy addresses;
  private boolean maintenance;
  private boolean refilling = true;
  private Duration rebuildAfter = Duration.ofMinutes(10);
  private Duration beat = TaskLease.BEAT;
  private Duration administration = Duration.ofSeconds(30);
  private Duration maxClockSkew = HybridClock.MAX_SKEW;

  EnsembleCacheManagerBuilder() {}

  /**
   * Adds a site over Hot Rod, which is closed with the manager. It is not looked for in the
   * catalog; the sites that are entered there need not be added.
   */
  public EnsembleCacheManagerBuilder site(SiteConfiguration site) {
    configurations.add(site);
    return this;
  }

  /** Adds a site that stays open when the manager stops; it must run on the same scheduler. */
  public EnsembleCacheManagerBuilder site(Site site) {
    sites.add(site);
    return this;
  }

  /** The site that is near, for WEAK caches; none if not given, or if no site has that name. */
  public EnsembleCacheManagerBuilder localSite(String name) {
    localSite = name;
    return this;
  }

  /**
   * Where definitions are; if not given, in this manager only, which forgets them: a catalog of its
   * own, whose caches are others than those of the same name elsewhere, and whose stores stay at
   * the sites unless the caches are deleted.
   */
  public EnsembleCacheManagerBuilder definitions(Definitions catalog) {
    definitions = catalog;
    address = null;
    return this;
  }

  /**
   * Where definitions are: {@code zk://host:port,...[/path]}, or a directory. The manager connects
   * to it, and lets go of it when it stops.
   */
  public EnsembleCacheManagerBuilder catalog(String where) {
    address = where;
    return this;
  }

  /**
   * Where sites of the catalog may be; anywhere if not given. No connection is made to anything
   * else, whether the catalog says so, a name has another address by now, or a site tells of such a
   * node. Sites that are given to this builder may be anywhere.
   */
  public EnsembleCacheManagerBuilder siteAddresses(AddressPolicy policy) {
    addresses = policy;
    return this;
  }

  /** Where everything runs; if not given, threads that end with the manager. */
  public EnsembleCacheManagerBuilder scheduler(Scheduler runs) {
    scheduler = runs;
    return this;
  }

  /**
   * The clock of stamps and lifespans, in microseconds since 1970; if not given the scheduler's.
   */
  public EnsembleCacheManagerBuilder clock(LongSupplier micros) {
    epochMicros = micros;
    return this;
  }

  /**
   * By how much a stamp of another process may be ahead of this process's {@linkplain #clock clock}
   * to be adopted; 1 min if not given, in (0 s, 1 d]. A stamp further ahead moves no other stamp of
   * this process; a write that would lose to it in a WEAK cache fails with {@link
   * ClockSkewException}. All processes should give the same.
   *
   * @throws IllegalArgumentException if the skew is out of range
   */
  public EnsembleCacheManagerBuilder maxClockSkew(Duration most) {
    if (most.isNegative() || most.isZero() || most.compareTo(LARGEST_SKEW) > 0) {
      throw new IllegalArgumentException("maximum clock skew must be in (0 s, 1 d]; got " + most);
    }
    maxClockSkew = most;
    return this;
  }

  /** Adds the ProtoStream schema of types that keys and values have. */
  public EnsembleCacheManagerBuilder schema(SerializationContextInitializer initializer) {
    schemas.add(initializer);
    return this;
  }

  /**
   * Where metrics go; nothing is measured if not given. See {@link io.ensemble.cache.CacheMetrics}.
   */
  public EnsembleCacheManagerBuilder metrics(MeterRegistry meters) {
    registry = meters;
    return this;
  }

  /**
   * Whether this process cares for the sites of its catalog, beside what it is used for; not if not
   * given. It does so from when it is built. Of all processes that do, one has each site: it gives
   * caches their stores again which the site has lost, brings the site what it missed while it was
   * away, keeps its endpoints in the catalog, and moves caches away while it is drained. Every
   * process that does, whether it has the site or not, brings it what its own writes missed there.
   *
   * <p>Costs a few round trips to the catalog every two seconds, and a request to each site; and
   * when a site was away for half a minute, or this process begins to care for it, a comparison of
   * its MWMR caches, at 2,000 keys a second.
   */
  public EnsembleCacheManagerBuilder maintenance(boolean wanted) {
    maintenance = wanted;
    return this;
  }

  /**
   * Whether this process gives the strong caches that it has open the stores again that a node has
   * forgotten; it does if not given, and {@linkplain #maintenance maintenance} always does. A node
   * that keeps its entries in memory forgets them when it is started again. Without anybody to
   * refill them a restart of one node after the other ends a cache.
   *
   * <p>It also {@linkplain #rebuildAfter rebuilds} caches whose nodes stay away. Costs a copy of
   * the store five to ten seconds after a node has come back empty. The process needs the right to
   * create and remove caches at the sites. Every process, whether it refills or not, reads the
   * record of each cache that it has open every two seconds, and a small entry of each of its
   * stores that are one node's every four to six seconds: {@link EnsembleCacheManager#redundancy}.
   */
  public EnsembleCacheManagerBuilder refilling(boolean wanted) {
    refilling = wanted;
    return this;
  }

  /**
   * How long a node must have been silent until this process {@linkplain CacheChanges#rebuild
   * rebuilds} the strong caches that it has open and that have a replica there; 10 min if not
   * given, in [1 s, 365 d]. The time begins when this process first finds the node silent, and
   * doubles with each rebuild of a cache, up to 64 times. A process that does not {@linkplain
   * #refilling refill} and has no {@linkplain #maintenance maintenance} does not rebuild by itself.
   * A node that was only cut off, or comes back with its disk, does no harm: its stores count no
   * more, and are removed.
   *
   * <p>Costs what a change of the cache costs ({@link ChangeRun}): a copy of the whole cache to
   * each of its replicas, at 2,000 keys a second, twice the room meanwhile, and 2.2 seconds in
   * which calls wait; in SWMR they wait until all keys are compared, too. It is done only if all
   * other replicas are whole and the site has another node that answers.
   *
   * @throws IllegalArgumentException if the time is out of range
   */
  public EnsembleCacheManagerBuilder rebuildAfter(Duration silence) {
    if (silence.compareTo(SHORTEST_SILENCE) < 0 || silence.compareTo(LONGEST_SILENCE) > 0) {
      throw new IllegalArgumentException(
          "the silence after which caches are rebuilt must be in [1 s, 365 d]; got " + silence);
    }
    rebuildAfter = silence;
    return this;
  }

  /**
   * The keyset of a {@linkplain Privacy private} cache, looked up when that is opened: after {@link
   * EnsembleCacheManager#stopCache} it is looked up anew. Without it the cache cannot be opened,
   * and with it only if it is private: its values alone if the keyset has no key for names, its
   * keys too if it has one; what cares for the cache, such as recovery and changes, needs none.
   */
  public EnsembleCacheManagerBuilder keyset(String cache, KeysetReference keyset) {
    keysets.put(cache, keyset);
    return this;
  }

  /** How far beats of maintenance are apart, the same in all processes; for tests. */
  EnsembleCacheManagerBuilder beat(Duration apart) {
    beat = apart;
    return this;
  }

  /** How long creating a cache may take: it waits for every site; 30 s if not given. */
  public EnsembleCacheManagerBuilder administrationDeadline(Duration longest) {
    if (longest.isNegative() || longest.isZero() || longest.compareTo(LONGEST_ADMINISTRATION) > 0) {
      throw new IllegalArgumentException(
          "an administration deadline is positive and at most %s; came %s"
              .formatted(LONGEST_ADMINISTRATION, longest));
    }
    administration = longest;
    return this;
  }

  /** Opens caches of {@code mode} with another engine than Ensemble's own. */
  public EnsembleCacheManagerBuilder engine(Mode mode, EngineFactory engine) {
    engines.put(mode, engine);
    return this;
  }

  /**
   * A running manager. Sends nothing to any site.
   *
   * @throws IllegalStateException with maintenance, if the definitions are no catalog
   * @throws IllegalArgumentException with two sites of one name; without sites, or with a local
   *     site that is none of them, when there is no catalog to have others
   */
  public EnsembleCacheManager build() {
    checkSites();
    List<Runnable> owned = new ArrayList<>();
    Scheduler runs = scheduler;
    if (runs == null) {
      ThreadScheduler own = new ThreadScheduler();
      owned.add(own::close);
      runs = own;
    }
    Map<String, Site> all = new LinkedHashMap<>();
    sites.forEach(site -> all.put(site.name(), site));
    try {
      for (SiteConfiguration configuration : configurations) {
        Site site = HotRod.connect(configuration, runs);
        owned.add(0, site::close);
        all.put(site.name(), site);
      }
      Definitions catalog = catalog(owned);
      return manager(runs, directory(all, catalog, runs, owned), catalog, owned);
    } catch (RuntimeException e) {
      owned.forEach(Runnable::run);
      throw e;
    }
  }

  private Definitions catalog(List<Runnable> owned) {
    if (address == null) {
      return definitions == null ? new InMemoryDefinitions() : definitions;
    }
    RecordDefinitions opened = CatalogAddress.open(address);
    owned.add(0, opened::close);
    return opened;
  }

  private SiteDirectory directory(
      Map<String, Site> given, Definitions catalog, Scheduler runs, List<Runnable> owned) {
    if (!(catalog instanceof RecordDefinitions records)) {
      return SiteDirectory.of(given);
    }
    CatalogSites all = CatalogSites.overHotRod(given, records.sites(), addresses, runs);
    owned.add(0, all::close);
    return all;
  }

  private EnsembleCacheManager manager(
      Scheduler runs, SiteDirectory all, Definitions catalog, List<Runnable> owned) {
    SecureRandom random = new SecureRandom();
    LongSupplier micros = epochMicros;
    ManagerContext federation =
        new ManagerContext(
            all,
            catalog,
            runs,
            Optional.ofNullable(localSite),
            new HybridClock(
                micros == null ? runs::epochMicros : micros,
                maxClockSkew,
                ClockRejectionReporter.reportedTo(registry, maxClockSkew)),
            registry,
            administration,
            random,
            List.copyOf(owned));
    EnsembleCacheManager built =
        new EnsembleCacheManager(federation, new Codec(schemas), engines, new Keysets(keysets));
    if (maintenance) {
      built
          .membership()
          .maintain("%016x%016x".formatted(random.nextLong(), random.nextLong()), beat);
    }
    Optional<Duration> rebuilds =
        refilling || maintenance ? Optional.of(rebuildAfter) : Optional.empty();
    built.membership().check(beat, refilling && !maintenance, rebuilds);
    return built;
  }

  private void checkSites() {
    List<String> names = new ArrayList<>();
    sites.forEach(site -> names.add(site.name()));
    configurations.forEach(configuration -> names.add(configuration.name()));
    boolean others = address != null || definitions != null;
    if (names.isEmpty() && !others) {
      throw new IllegalArgumentException("a manager wants at least one site; none came");
    }
    Set<String> distinct = new HashSet<>(names);
    if (distinct.size() < names.size()) {
      throw new IllegalArgumentException("a manager wants each site once; came " + names);
    }
    if (localSite != null && !distinct.contains(localSite) && !others) {
      throw new IllegalArgumentException(
          "the local site is one of the sites; wanted one of %s, came '%s'"
              .formatted(names, localSite));
    }
  }
}

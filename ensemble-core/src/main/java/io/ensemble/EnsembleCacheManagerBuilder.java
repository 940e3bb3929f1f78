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
 * Collects the settings of an {@link EnsembleCacheManager}. Only sites are required, or a catalog
 * that has some. Not thread-safe.
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
  private @Nullable OperationRecorder recorder;
  private @Nullable AddressPolicy addresses;
  private boolean maintenance;
  private boolean refilling = true;
  private Duration rebuildAfter = Duration.ofMinutes(10);
  private Duration beat = TaskLease.BEAT;
  private Duration administration = Duration.ofSeconds(30);
  private Duration maxClockSkew = HybridClock.MAX_SKEW;

  EnsembleCacheManagerBuilder() {}

  /**
   * Adds a site over Hot Rod, which is closed with the manager. A site of the catalog need not be
   * added; for a site that is added the catalog is not consulted.
   */
  public EnsembleCacheManagerBuilder site(SiteConfiguration site) {
    configurations.add(site);
    return this;
  }

  /**
   * Adds a site that stays open when the manager stops. The site must run on the same scheduler.
   */
  public EnsembleCacheManagerBuilder site(Site site) {
    sites.add(site);
    return this;
  }

  /**
   * The site near the application, for WEAK caches; none by default, or if no site has that name.
   */
  public EnsembleCacheManagerBuilder localSite(String name) {
    localSite = name;
    return this;
  }

  /**
   * The definitions. By default they are kept only in this manager's memory: a catalog of its own.
   * Its caches differ from caches of the same name elsewhere, and their stores stay at the sites
   * unless the caches are deleted.
   */
  public EnsembleCacheManagerBuilder definitions(Definitions catalog) {
    definitions = catalog;
    address = null;
    return this;
  }

  /**
   * The address of the catalog: {@code zk://host:port,...[/path]}, or a directory. The manager
   * connects to it, and disconnects when it stops.
   */
  public EnsembleCacheManagerBuilder catalog(String where) {
    address = where;
    return this;
  }

  /**
   * The allowed addresses of the catalog's sites; by default all. No connection is made to any
   * other address, whether that address comes from the catalog, from name resolution, or from a
   * site's list of nodes. Sites that are given to this builder may have any address.
   */
  public EnsembleCacheManagerBuilder siteAddresses(AddressPolicy policy) {
    addresses = policy;
    return this;
  }

  /** The scheduler that runs everything; by default threads that end with the manager. */
  public EnsembleCacheManagerBuilder scheduler(Scheduler runs) {
    scheduler = runs;
    return this;
  }

  /**
   * The clock of stamps and lifespans, in microseconds since 1970; by default that of the
   * scheduler.
   */
  public EnsembleCacheManagerBuilder clock(LongSupplier micros) {
    epochMicros = micros;
    return this;
  }

  /**
   * By how much a stamp of another process may be ahead of this process's {@linkplain #clock clock}
   * to be adopted; 1 min by default, in (0 s, 1 d]. A stamp further ahead moves no other stamp of
   * this process. A write that would lose to it in a WEAK cache fails with {@link
   * ClockSkewException}. All processes should use the same value.
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

  /** Adds a ProtoStream schema for the types of keys and values. */
  public EnsembleCacheManagerBuilder schema(SerializationContextInitializer initializer) {
    schemas.add(initializer);
    return this;
  }

  /**
   * The registry for metrics; by default nothing is measured. See {@link
   * io.ensemble.cache.CacheMetrics}.
   */
  public EnsembleCacheManagerBuilder metrics(MeterRegistry meters) {
    registry = meters;
    return this;
  }

  /**
   * Observes the operations of all caches of this manager, for example for heat maps; by default
   * none does. Costs what the recorder costs, and for a private cache an HMAC for each call.
   */
  public EnsembleCacheManagerBuilder recorder(OperationRecorder observer) {
    recorder = observer;
    return this;
  }

  /**
   * Whether this process runs maintenance of the sites of its catalog, from {@link #build} on;
   * false by default. For each site one of the maintaining processes holds the task. This process
   * recovers stores that the site has lost, and copies to the site the writes that it missed while
   * away. It also keeps the site's endpoints in the catalog. While the site is drained the process
   * moves caches away. Every maintaining process, with or without the task, copies to a site those
   * of its own writes that the site missed.
   *
   * <p>Costs a few round trips to the catalog every two seconds, and a request to each site. When a
   * site was away for half a minute, or this process takes on its task, the site's MWMR caches are
   * compared. The comparison reads 2,000 keys a second.
   */
  public EnsembleCacheManagerBuilder maintenance(boolean wanted) {
    maintenance = wanted;
    return this;
  }

  /**
   * Whether this process refills strong caches that it has open when a node has lost its stores;
   * true by default. With {@linkplain #maintenance maintenance} a process always does. A node that
   * keeps its entries in memory loses them when it is restarted. If no process refilled, restarting
   * one node after the other would destroy a cache.
   *
   * <p>The process also {@linkplain #rebuildAfter rebuilds} caches whose nodes stay away. A refill
   * costs a copy of the store, five to ten seconds after a node has come back empty. The process
   * needs the right to create and remove caches at the sites.
   *
   * <p>Every process, whether it refills or not, reads the record of each cache that it has open
   * every two seconds. The process also reads a small entry of each store that is on one node,
   * every four to six seconds: see {@link EnsembleCacheManager#redundancy}.
   */
  public EnsembleCacheManagerBuilder refilling(boolean wanted) {
    refilling = wanted;
    return this;
  }

  /**
   * How long a node must have been silent until this process {@linkplain CacheChanges#rebuild
   * rebuilds} strong caches that it has open and that have a replica there; 10 min by default, in
   * [1 s, 365 d]. The time begins when this process first finds the node silent, and doubles with
   * each rebuild of a cache, up to 64 times. A process that neither {@linkplain #refilling refills}
   * nor runs {@linkplain #maintenance maintenance} does not rebuild automatically. A node that was
   * only disconnected, or comes back with its disk, does no harm: its stores no longer count, and
   * are removed.
   *
   * <p>Costs as much as a change of the cache ({@link ChangeRun}): a copy of the whole cache to
   * each of its replicas, at 2,000 keys a second. The cache needs twice the memory meanwhile. Calls
   * wait for 2.2 seconds. In SWMR calls also wait until all keys are compared. A rebuild begins
   * only if all other replicas are whole and the site has another node that answers.
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
   * The keyset of a {@linkplain Privacy private} cache. The keyset is read when the cache is
   * opened, and read anew after {@link EnsembleCacheManager#stopCache}. Without a keyset a private
   * cache cannot be opened, and with one only a private cache can. If the keyset has a key for
   * names, the cache must encrypt keys too; otherwise it must encrypt values only. Maintenance of
   * the cache, such as recovery and changes, needs no keyset.
   */
  public EnsembleCacheManagerBuilder keyset(String cache, KeysetReference keyset) {
    keysets.put(cache, keyset);
    return this;
  }

  /** The time between two beats of maintenance, the same in all processes; for tests. */
  EnsembleCacheManagerBuilder beat(Duration apart) {
    beat = apart;
    return this;
  }

  /** The longest time for the creation of a cache, which waits for every site; 30 s by default. */
  public EnsembleCacheManagerBuilder administrationDeadline(Duration longest) {
    if (longest.isNegative() || longest.isZero() || longest.compareTo(LONGEST_ADMINISTRATION) > 0) {
      throw new IllegalArgumentException(
          "administration deadline must be in (0 s, %s]; got %s"
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
   * Builds a running manager. Sends nothing to any site.
   *
   * @throws IllegalStateException with maintenance, if the definitions are not a catalog
   * @throws IllegalArgumentException if two sites have the same name; or, without a catalog, if
   *     there are no sites, or if the local site is none of them
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
            recorder,
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
      throw new IllegalArgumentException("a manager requires at least one site; got none");
    }
    Set<String> distinct = new HashSet<>(names);
    if (distinct.size() < names.size()) {
      throw new IllegalArgumentException("site names must be unique; got " + names);
    }
    if (localSite != null && !distinct.contains(localSite) && !others) {
      throw new IllegalArgumentException(
          "the local site must be one of the sites; expected one of %s, got '%s'"
              .formatted(names, localSite));
    }
  }
}

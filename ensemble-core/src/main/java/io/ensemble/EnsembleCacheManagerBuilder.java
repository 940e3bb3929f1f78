package io.ensemble;

import io.ensemble.cache.EngineFactory;
import io.ensemble.catalog.CatalogAddress;
import io.ensemble.catalog.Definitions;
import io.ensemble.catalog.InMemoryDefinitions;
import io.ensemble.catalog.RecordDefinitions;
import io.ensemble.codec.Codec;
import io.ensemble.schedule.Scheduler;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.Site;
import io.ensemble.site.hotrod.HotRod;
import io.ensemble.site.hotrod.SiteConfiguration;
import io.ensemble.stamp.HybridClock;
import io.micrometer.core.instrument.MeterRegistry;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import org.infinispan.protostream.SerializationContextInitializer;
import org.jspecify.annotations.Nullable;

/** Describes an {@link EnsembleCacheManager}. Only sites are required. Not thread-safe. */
public final class EnsembleCacheManagerBuilder {

  private static final Duration LONGEST_ADMINISTRATION = Duration.ofMinutes(10);

  private final List<Site> sites = new ArrayList<>();
  private final List<SiteConfiguration> configurations = new ArrayList<>();
  private final List<SerializationContextInitializer> schemas = new ArrayList<>();
  private final Map<Mode, EngineFactory> engines = Engines.all();
  private Definitions definitions = new InMemoryDefinitions();
  private @Nullable String address;
  private @Nullable Scheduler scheduler;
  private @Nullable LongSupplier epochMicros;
  private @Nullable String localSite;
  private @Nullable MeterRegistry registry;
  private Duration administration = Duration.ofSeconds(30);

  EnsembleCacheManagerBuilder() {}

  /** Adds a site over Hot Rod, which is closed with the manager. */
  public EnsembleCacheManagerBuilder site(SiteConfiguration site) {
    configurations.add(site);
    return this;
  }

  /** Adds a site that stays open when the manager stops; it must run on the same scheduler. */
  public EnsembleCacheManagerBuilder site(Site site) {
    sites.add(site);
    return this;
  }

  /** The site that is near, for WEAK caches; none if not given. */
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
   * @throws IllegalArgumentException without sites, with two of one name, or with a local site that
   *     is none of them
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
      return manager(runs, all, catalog(owned), owned);
    } catch (RuntimeException e) {
      owned.forEach(Runnable::run);
      throw e;
    }
  }

  private Definitions catalog(List<Runnable> owned) {
    if (address == null) {
      return definitions;
    }
    RecordDefinitions opened = CatalogAddress.open(address);
    owned.add(0, opened::close);
    return opened;
  }

  private EnsembleCacheManager manager(
      Scheduler runs, Map<String, Site> all, Definitions catalog, List<Runnable> owned) {
    SecureRandom random = new SecureRandom();
    LongSupplier micros = epochMicros;
    Federation federation =
        new Federation(
            Map.copyOf(all),
            catalog,
            runs,
            Optional.ofNullable(localSite),
            new HybridClock(micros == null ? runs::epochMicros : micros),
            registry,
            administration,
            random,
            List.copyOf(owned));
    return new EnsembleCacheManager(federation, new Codec(schemas), engines);
  }

  private void checkSites() {
    List<String> names = new ArrayList<>();
    sites.forEach(site -> names.add(site.name()));
    configurations.forEach(configuration -> names.add(configuration.name()));
    if (names.isEmpty()) {
      throw new IllegalArgumentException("a manager wants at least one site; none came");
    }
    Set<String> distinct = new HashSet<>(names);
    if (distinct.size() < names.size()) {
      throw new IllegalArgumentException("a manager wants each site once; came " + names);
    }
    if (localSite != null && !distinct.contains(localSite)) {
      throw new IllegalArgumentException(
          "the local site is one of the sites; wanted one of %s, came '%s'"
              .formatted(names, localSite));
    }
  }
}

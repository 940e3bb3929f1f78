package io.ensemble.check.federation;

import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.check.process.CommandException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A connection to a running federation. Connects to a site when it first needs it. Thread-safe. */
public final class FederationConnection implements AutoCloseable {

  private final FederationDescriptor state;
  private final EnsembleCacheManager manager;

  private FederationConnection(
      FederationDescriptor state, EnsembleCacheManagerBuilder builder, @Nullable String localSite) {
    this.state = state;
    this.manager = (localSite == null ? builder : builder.localSite(localSite)).build();
  }

  /**
   * Connects to the federation that {@code state} describes.
   *
   * @param localSite the site that WEAK caches use first; null for none
   * @throws IllegalArgumentException if that is none of its sites
   */
  public static FederationConnection connect(
      FederationDescriptor state, @Nullable String localSite) {
    return connect(state, localSite, UnaryOperator.identity());
  }

  /**
   * As the other method.
   *
   * @param more further settings of the manager
   */
  public static FederationConnection connect(
      FederationDescriptor state,
      @Nullable String localSite,
      UnaryOperator<EnsembleCacheManagerBuilder> more) {
    return state.pid() == 0
        ? connected(state, more.apply(builder(state.sites())), localSite)
        : inCatalog(state, localSite, more);
  }

  /** As the other method, with the present and later sites of the catalog. */
  public static FederationConnection inCatalog(
      FederationDescriptor state,
      @Nullable String localSite,
      UnaryOperator<EnsembleCacheManagerBuilder> more) {
    return connected(state, more.apply(EnsembleCacheManager.builder()), localSite);
  }

  private static FederationConnection connected(
      FederationDescriptor state, EnsembleCacheManagerBuilder builder, @Nullable String localSite) {
    FederationConnection connected =
        new FederationConnection(state, builder.catalog(state.catalog()), localSite);
    if (localSite != null
        && !state.siteNames().contains(localSite)
        && !connected.siteNames().contains(localSite)) {
      connected.close();
      throw new IllegalArgumentException(
          "the local site must be one of the sites; expected one of %s, got '%s'"
              .formatted(state.siteNames(), localSite));
    }
    return connected;
  }

  /**
   * Returns a builder for a manager of {@code sites}.
   *
   * @throws CommandException if the description of a site is invalid
   */
  public static EnsembleCacheManagerBuilder builder(List<SiteDescriptor> sites) {
    EnsembleCacheManagerBuilder builder = EnsembleCacheManager.builder();
    sites.forEach(place -> builder.site(place.configuration()));
    return builder;
  }

  /** The description of the federation. */
  public FederationDescriptor state() {
    return state;
  }

  /**
   * The sites that caches may be placed at: the serving sites of the catalog, and sites that are
   * not in it.
   */
  public List<String> siteNames() {
    Set<String> names = new LinkedHashSet<>(state.pid() == 0 ? state.siteNames() : List.of());
    for (SiteEntry entry : manager.membership().entries()) {
      if (entry.state() == SiteEntry.State.SERVING) {
        names.add(entry.name());
      } else {
        names.remove(entry.name());
      }
    }
    return List.copyOf(names);
  }

  /** The names of all present sites, including those that are being drained. */
  public List<String> knownSites() {
    Set<String> names = new LinkedHashSet<>(state.pid() == 0 ? state.siteNames() : List.of());
    manager.membership().entries().forEach(entry -> names.add(entry.name()));
    return List.copyOf(names);
  }

  /** The manager of its caches. */
  public EnsembleCacheManager manager() {
    return manager;
  }

  /**
   * The cache of that name.
   *
   * @throws CommandException if there is none
   */
  public <K, V> EnsembleCache<K, V> cache(String name) {
    EnsembleCache<K, V> cache = manager.getCache(name);
    if (cache == null) {
      throw noSuchCache(name);
    }
    return cache;
  }

  /**
   * The names of the shards of a cache that has any, else its own name, whether or not the cache
   * exists.
   */
  public List<String> shardsOrItself(String name) {
    List<String> shards = manager.shards(name);
    return shards.isEmpty() ? List.of(name) : shards;
  }

  /** The failure for a cache that does not exist, or that is distributed. */
  public CommandException notConfigured(String name, String what) {
    return manager.distribution(name).isEmpty()
        ? noSuchCache(name)
        : new CommandException(
            "a change of the parts of a distributed cache cannot be %s; cache=%s"
                .formatted(what, name));
  }

  /** The failure for a cache that does not exist. */
  public CommandException noSuchCache(String name) {
    Set<String> there = manager.getCacheNames();
    if (there.contains(name)) { // The caller has not found it among the caches that have sites.
      return new CommandException(
          "the command requires a cache at sites, and '%s' is distributed over other caches"
              .formatted(name));
    }
    return new CommandException(
        "there is no cache '%s'; there %s"
            .formatted(name, there.isEmpty() ? "is none yet" : "are " + there));
  }

  @Override
  public void close() {
    manager.close();
  }
}

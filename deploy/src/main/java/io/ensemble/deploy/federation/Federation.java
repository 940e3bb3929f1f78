package io.ensemble.deploy.federation;

import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.deploy.CommandFailure;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A connection to a running federation. Connects to a site when it first needs it. Thread-safe. */
public final class Federation implements AutoCloseable {

  private final FederationState state;
  private final EnsembleCacheManager manager;

  private Federation(FederationState state, EnsembleCacheManager manager) {
    this.state = state;
    this.manager = manager;
  }

  /**
   * Connects to what {@code state} describes.
   *
   * @param localSite the site that WEAK caches use first; null for none
   * @throws IllegalArgumentException if that is none of its sites
   */
  public static Federation connect(FederationState state, @Nullable String localSite) {
    EnsembleCacheManagerBuilder builder = builder(state.sites()).catalog(state.catalog());
    if (localSite != null) {
      builder.localSite(localSite);
    }
    return new Federation(state, builder.build());
  }

  /**
   * Describes a manager of {@code sites}.
   *
   * @throws CommandFailure if one cannot be as it is told
   */
  public static EnsembleCacheManagerBuilder builder(List<Place> sites) {
    EnsembleCacheManagerBuilder builder = EnsembleCacheManager.builder();
    sites.forEach(place -> builder.site(place.configuration()));
    return builder;
  }

  /** Where it is. */
  public FederationState state() {
    return state;
  }

  /** Its caches. */
  public EnsembleCacheManager manager() {
    return manager;
  }

  /**
   * The cache of that name.
   *
   * @throws CommandFailure if there is none
   */
  public <K, V> EnsembleCache<K, V> cache(String name) {
    EnsembleCache<K, V> cache = manager.getCache(name);
    if (cache == null) {
      throw noSuchCache(name);
    }
    return cache;
  }

  /** What to say of a cache that is not there. */
  public CommandFailure noSuchCache(String name) {
    Set<String> there = manager.getCacheNames();
    return new CommandFailure(
        "there is no cache '%s'; there %s"
            .formatted(name, there.isEmpty() ? "is none yet" : "are " + there));
  }

  @Override
  public void close() {
    manager.close();
  }
}

package io.ensemble.benchmarks.store;

import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which store to open.
 *
 * @param sites the federation, in order of preference
 * @param mode what is measured
 * @param replication over how many of the sites, the first ones; 1 for a plain cache
 * @param cache the name; created if it is not there
 * @param deadline how long one call to Ensemble may take
 * @param connectDeadline how long connecting may take while the sites do not answer
 * @param catalog where caches are defined; null when this process alone knows them
 */
public record StoreSettings(
    List<SiteConfiguration> sites,
    StoreMode mode,
    int replication,
    String cache,
    Duration deadline,
    Duration connectDeadline,
    @Nullable String catalog) {

  /**
   * @throws IllegalArgumentException when the sites do not suffice
   */
  public StoreSettings {
    sites = List.copyOf(sites);
    if (sites.isEmpty()) {
      throw new IllegalArgumentException("a store wants at least one site; none came");
    }
    int most = mode == StoreMode.RAW ? 1 : sites.size();
    if (replication < 1 || replication > most) {
      throw new IllegalArgumentException(
          "replication is 1 to %d; got %d; mode=%s sites=%s"
              .formatted(most, replication, mode, names(sites)));
    }
  }

  /** The names of the sites that hold the cache. */
  public List<String> holders() {
    return names(sites.subList(0, replication));
  }

  private static List<String> names(List<SiteConfiguration> sites) {
    return sites.stream().map(SiteConfiguration::name).toList();
  }
}

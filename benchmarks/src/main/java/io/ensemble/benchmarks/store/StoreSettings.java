package io.ensemble.benchmarks.store;

import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a store.
 *
 * @param sites the federation, in order of preference
 * @param mode the measured mode
 * @param replication the number of sites that hold it, the first ones; 1 for a plain cache
 * @param cache the name; created if it does not exist
 * @param deadline the deadline of one call to Ensemble
 * @param connectDeadline the time limit for the connection while the sites do not answer
 * @param catalog the address of the catalog; null for definitions of this process alone
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
   * @throws IllegalArgumentException if there are too few sites
   */
  public StoreSettings {
    sites = List.copyOf(sites);
    if (sites.isEmpty()) {
      throw new IllegalArgumentException("a store requires at least one site; got none");
    }
    int most = mode == StoreMode.RAW ? 1 : sites.size();
    if (replication < 1 || replication > most) {
      throw new IllegalArgumentException(
          "replication must be in [1, %d]; got %d; mode=%s sites=%s"
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

package io.ensemble.benchmarks;

import io.ensemble.benchmarks.store.SiteAddresses;
import io.ensemble.benchmarks.store.StoreMode;
import io.ensemble.benchmarks.store.StoreSettings;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import java.time.Duration;
import java.util.List;
import java.util.Properties;

/**
 * The properties by which YCSB configures the binding; {@link SiteProperties} has those of sites
 * that require a password or TLS.
 */
final class BindingProperties {

  /** {@code lyon=host:port,host:port;oslo=…}; there is no default. */
  static final String ENDPOINTS = "ensemble.endpoints";

  /** {@code weak}, {@code mwmr} or {@code raw}; mwmr by default. */
  static final String MODE = "ensemble.mode";

  /** The number of sites; by default 2 in weak, all in mwmr. */
  static final String REPLICATION = "ensemble.replication";

  /** The cache; {@code ycsb} by default. */
  static final String CACHE = "ensemble.cache";

  /** The longest call, in milliseconds; 10,000 by default. */
  static final String DEADLINE_MILLIS = "ensemble.deadline.millis";

  /**
   * The time limit for the connection to the federation while its sites do not answer, in
   * milliseconds; 30,000 by default.
   */
  static final String CONNECT_DEADLINE_MILLIS = "ensemble.connect.deadline.millis";

  /** The address of the catalog, by which a second process finds the cache; none by default. */
  static final String CATALOG = "ensemble.catalog";

  private BindingProperties() {}

  /**
   * The settings in the properties.
   *
   * @throws IllegalArgumentException if a property is missing or invalid; the message names it
   * @throws IllegalStateException if a secret cannot be read; the message names it
   */
  static StoreSettings read(Properties properties) {
    String endpoints = properties.getProperty(ENDPOINTS);
    if (endpoints == null) {
      throw new IllegalArgumentException("the binding requires the property " + ENDPOINTS);
    }
    List<SiteConfiguration> sites =
        SiteProperties.apply(properties, SiteAddresses.parse(endpoints));
    StoreMode mode = StoreMode.of(properties.getProperty(MODE, "mwmr"));
    String catalog = properties.getProperty(CATALOG);
    return new StoreSettings(
        sites,
        mode,
        number(properties, REPLICATION, mode.defaultReplication(sites.size())),
        properties.getProperty(CACHE, "ycsb"),
        Duration.ofMillis(number(properties, DEADLINE_MILLIS, 10_000)),
        Duration.ofMillis(number(properties, CONNECT_DEADLINE_MILLIS, 30_000)),
        catalog);
  }

  private static int number(Properties properties, String name, int otherwise) {
    String text = properties.getProperty(name);
    try {
      return text == null ? otherwise : Integer.parseInt(text.strip());
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(name + " must be a number; got '" + text + "'", e);
    }
  }
}

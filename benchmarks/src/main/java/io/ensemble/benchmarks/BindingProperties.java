package io.ensemble.benchmarks;

import io.ensemble.benchmarks.store.SiteAddresses;
import io.ensemble.benchmarks.store.StoreMode;
import io.ensemble.benchmarks.store.StoreSettings;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import java.time.Duration;
import java.util.List;
import java.util.Properties;

/**
 * The properties by which YCSB tells the binding what to open; {@link SiteProperties} has those of
 * sites that ask for a password or TLS.
 */
final class BindingProperties {

  /** {@code lyon=host:port,host:port;oslo=…}; there is no default. */
  static final String ENDPOINTS = "ensemble.endpoints";

  /** {@code weak}, {@code mwmr} or {@code raw}; mwmr if not given. */
  static final String MODE = "ensemble.mode";

  /** How many sites; 2 in weak, all in mwmr if not given. */
  static final String REPLICATION = "ensemble.replication";

  /** The cache; {@code ycsb} if not given. */
  static final String CACHE = "ensemble.cache";

  /** The longest call, in milliseconds; 10,000 if not given. */
  static final String DEADLINE_MILLIS = "ensemble.deadline.millis";

  /**
   * How long connecting to the federation may take while its sites do not answer, in milliseconds;
   * 30,000 if not given.
   */
  static final String CONNECT_DEADLINE_MILLIS = "ensemble.connect.deadline.millis";

  /** Where caches are defined, by which a second process finds the cache; none if not given. */
  static final String CATALOG = "ensemble.catalog";

  private BindingProperties() {}

  /**
   * What the properties say.
   *
   * @throws IllegalArgumentException naming the one that is missing or wrong
   * @throws IllegalStateException naming a secret that cannot be read
   */
  static StoreSettings read(Properties properties) {
    String endpoints = properties.getProperty(ENDPOINTS);
    if (endpoints == null) {
      throw new IllegalArgumentException("the binding wants the property " + ENDPOINTS);
    }
    List<SiteConfiguration> sites =
        SiteProperties.applied(properties, SiteAddresses.parse(endpoints));
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
      throw new IllegalArgumentException(name + " wants a number; got '" + text + "'", e);
    }
  }
}

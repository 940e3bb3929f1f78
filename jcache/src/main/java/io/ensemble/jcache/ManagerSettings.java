package io.ensemble.jcache;

import io.ensemble.Mode;
import io.ensemble.catalog.CatalogAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import javax.cache.CacheException;

/**
 * The settings of a cache manager, from its URI and its properties.
 *
 * @param catalog the address of the catalog; empty if the setup gives the sites
 * @param setup of settings in code
 * @param localSite the site that WEAK caches use first
 * @param mode of caches whose configuration gives none
 * @param sites of new caches; empty for all serving sites
 * @param localListeners whether caches accept listeners whose configuration does not say so
 */
record ManagerSettings(
    Optional<String> catalog,
    JCacheSetup setup,
    Optional<String> localSite,
    Mode mode,
    List<String> sites,
    boolean localListeners) {

  /** The URI of a cache manager whose properties name the catalog. */
  static final URI DEFAULT_URI = URI.create("ensemble:default");

  static final String PREFIX = "ensemble.jcache.";
  private static final String CATALOG = PREFIX + "catalog";
  private static final String SETUP = PREFIX + "setup";
  private static final String LOCAL_SITE = PREFIX + "local-site";
  private static final String MODE = PREFIX + "mode";
  private static final String SITES = PREFIX + "sites";
  private static final String LISTENERS = PREFIX + "listeners";
  private static final Set<String> KNOWN =
      Set.of(CATALOG, SETUP, LOCAL_SITE, MODE, SITES, LISTENERS);

  /** The system properties with the prefix of this provider. */
  static Properties ofSystem() {
    Properties found = new Properties();
    for (String name : System.getProperties().stringPropertyNames()) {
      if (name.startsWith(PREFIX)) {
        found.setProperty(name, System.getProperty(name));
      }
    }
    return found;
  }

  /**
   * Reads the settings.
   *
   * @param given override the system properties of the same names
   * @throws CacheException if a setting is unknown, or its value not possible
   */
  static ManagerSettings of(URI uri, Properties given, ClassLoader loader) {
    Properties all = ofSystem();
    given.stringPropertyNames().forEach(name -> all.setProperty(name, given.getProperty(name)));
    Set<String> unknown = new TreeSet<>(all.stringPropertyNames());
    unknown.removeIf(name -> !name.startsWith(PREFIX) || KNOWN.contains(name));
    if (!unknown.isEmpty()) {
      throw new CacheException(
          "unknown properties %s; known are %s".formatted(unknown, new TreeSet<>(KNOWN)));
    }
    return new ManagerSettings(
        catalog(uri, all),
        setup(all, loader),
        Optional.ofNullable(all.getProperty(LOCAL_SITE)),
        mode(all.getProperty(MODE, Mode.MWMR.name())),
        names(all.getProperty(SITES, "")),
        localListeners(all.getProperty(LISTENERS, "refuse")));
  }

  private static Optional<String> catalog(URI uri, Properties all) {
    Optional<String> address =
        uri.equals(DEFAULT_URI)
            ? Optional.ofNullable(all.getProperty(CATALOG))
            : Optional.of(address(uri));
    if (address.isEmpty() && all.getProperty(SETUP) == null) {
      throw new CacheException(
          ("the cache manager requires a catalog: give zk://host:port,.../path or file:///directory"
                  + " as its URI, or set the property %s; uri=%s")
              .formatted(CATALOG, uri));
    }
    address
        .filter(CatalogAddress::isMissing)
        .ifPresent(
            missing -> {
              throw new CacheException("there is no catalog in the directory; got " + missing);
            });
    return address;
  }

  private static String address(URI uri) {
    if ("file".equals(uri.getScheme())) {
      try {
        return Path.of(uri).toString();
      } catch (IllegalArgumentException e) {
        throw new CacheException("the URI must be file:///directory; got " + uri, e);
      }
    }
    String text = uri.toString();
    if (!CatalogAddress.isRemote(text)) {
      throw new CacheException(
          "the URI must be zk://host:port,.../path, file:///directory or %s; got %s"
              .formatted(DEFAULT_URI, uri));
    }
    return text;
  }

  private static JCacheSetup setup(Properties all, ClassLoader loader) {
    String name = all.getProperty(SETUP);
    if (name == null) {
      return new JCacheSetup() {};
    }
    try {
      return Class.forName(name, true, loader)
          .asSubclass(JCacheSetup.class)
          .getConstructor()
          .newInstance();
    } catch (ReflectiveOperationException | ClassCastException e) {
      throw new CacheException(
          "%s must name a class that implements %s and has a public constructor without parameters;"
                  .formatted(SETUP, JCacheSetup.class.getName())
              + " got "
              + name,
          e);
    }
  }

  private static Mode mode(String text) {
    try {
      return Mode.valueOf(text.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new CacheException(
          "%s must be one of %s; got %s".formatted(MODE, List.of(Mode.values()), text), e);
    }
  }

  private static List<String> names(String text) {
    List<String> names = new ArrayList<>();
    Arrays.stream(text.split(",")).map(String::strip).filter(s -> !s.isEmpty()).forEach(names::add);
    return List.copyOf(names);
  }

  private static boolean localListeners(String text) {
    if (!text.equals("refuse") && !text.equals("local")) {
      throw new CacheException("%s must be refuse or local; got %s".formatted(LISTENERS, text));
    }
    return text.equals("local");
  }
}

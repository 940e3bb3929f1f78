package io.ensemble.benchmarks;

import io.ensemble.site.hotrod.configuration.Credentials;
import io.ensemble.site.hotrod.configuration.Secret;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import io.ensemble.site.hotrod.configuration.Tls;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The security of sites: properties named {@code ensemble.site.SITE.WHAT}. Passwords are by
 * reference only, because YCSB's properties are visible in lists of processes.
 */
final class SiteProperties {

  /** The prefix of the names of these properties. */
  static final String PREFIX = "ensemble.site.";

  private static final String USER = "user";
  private static final String PASSWORD = "password";
  private static final String MECHANISM = "mechanism";
  private static final String TRUST_STORE = "trust.store";
  private static final String TRUST_PASSWORD = "trust.password";
  private static final String KEY_STORE = "key.store";
  private static final String KEY_PASSWORD = "key.password";
  private static final String SNI = "sni";
  private static final String REVOCATION_LIST = "revocation.list";
  private static final String STORAGE = "storage";

  private final Properties properties;
  private final Set<String> unread = new HashSet<>();

  private SiteProperties(Properties properties) {
    this.properties = properties;
    properties.stringPropertyNames().stream()
        .filter(name -> name.startsWith(PREFIX))
        .forEach(unread::add);
  }

  /**
   * The sites with the security in the properties. Reads the secrets.
   *
   * @throws IllegalArgumentException if a property is missing, invalid or of an unknown site; the
   *     message names it
   * @throws IllegalStateException if a secret cannot be read; the message names it
   */
  static List<SiteConfiguration> apply(Properties properties, List<SiteConfiguration> sites) {
    SiteProperties access = new SiteProperties(properties);
    List<SiteConfiguration> entered = sites.stream().map(access::withSecurity).toList();
    if (!access.unread.isEmpty()) {
      throw new IllegalArgumentException("unknown site properties: " + access.unread);
    }
    return entered;
  }

  private SiteConfiguration withSecurity(SiteConfiguration site) {
    return new SiteConfiguration(
        site.name(),
        site.endpoints(),
        credentials(site.name()),
        tls(site.name()),
        storage(site.name()),
        site.limits());
  }

  private @Nullable Credentials credentials(String site) {
    if (Credentials.EXTERNAL.equals(properties.getProperty(PREFIX + site + "." + MECHANISM))) {
      String unused = value(site, MECHANISM);
      return Credentials.ofCertificate();
    }
    String user = value(site, USER);
    if (user == null) {
      return null;
    }
    Secret password = secret(site, PASSWORD);
    if (password == null) {
      throw new IllegalArgumentException(
          "the binding requires the property %s%s.%s.file or .env"
              .formatted(PREFIX, site, PASSWORD));
    }
    Credentials credentials = Credentials.of(user, password.get());
    String mechanism = value(site, MECHANISM);
    return mechanism == null ? credentials : credentials.withMechanism(mechanism);
  }

  private @Nullable Tls tls(String site) {
    String store = value(site, TRUST_STORE);
    if (store == null) {
      return null;
    }
    Secret password = secret(site, TRUST_PASSWORD);
    Tls tls =
        password == null
            ? Tls.trusting(Path.of(store))
            : Tls.trusting(Path.of(store), password.get());
    String key = value(site, KEY_STORE);
    Secret keyPassword = secret(site, KEY_PASSWORD);
    if ((key == null) != (keyPassword == null)) {
      throw new IllegalArgumentException(
          "the binding requires %s%s.%s with its password".formatted(PREFIX, site, KEY_STORE));
    }
    Tls known =
        key == null || keyPassword == null
            ? tls
            : tls.withKeyStore(Path.of(key), keyPassword.get());
    String name = value(site, SNI);
    Tls named = name == null ? known : known.withSniHostName(name);
    String lists = value(site, REVOCATION_LIST);
    return lists == null ? named : named.withRevocationList(Path.of(lists));
  }

  private SiteStorage storage(String site) {
    String value = value(site, STORAGE);
    try {
      return value == null
          ? SiteStorage.MEMORY
          : SiteStorage.valueOf(value.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException unknown) {
      throw new IllegalArgumentException(
          "%s%s.%s must be memory or disk; got %s".formatted(PREFIX, site, STORAGE, value),
          unknown);
    }
  }

  private @Nullable Secret secret(String site, String what) {
    String file = value(site, what + ".file");
    String variable = value(site, what + ".env");
    if (file != null && variable != null) {
      throw new IllegalArgumentException(
          "the binding requires one of the properties %s%s.%s.file and .env; got both"
              .formatted(PREFIX, site, what));
    }
    return file != null
        ? Secret.inFile(Path.of(file))
        : variable != null ? Secret.inVariable(variable) : null;
  }

  private @Nullable String value(String site, String what) {
    String name = PREFIX + site + "." + what;
    unread.remove(name);
    return properties.getProperty(name);
  }
}

package io.ensemble.spring;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.keyset.KeysetReference;
import io.ensemble.site.SiteLimits;
import io.ensemble.site.address.AddressPolicy;
import io.ensemble.site.hotrod.configuration.Credentials;
import io.ensemble.site.hotrod.configuration.Secret;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.site.hotrod.configuration.Tls;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Makes a builder from properties. Each failure names the property. */
final class EnsembleBuilderFactory {

  private static final String SITES = EnsembleProperties.PREFIX + ".sites";
  private static final String CORRECT = "Correct the property; docs/spring.md lists the values.";

  private static final int LEAST_INFINISPAN = 16;

  private EnsembleBuilderFactory() {}

  /**
   * Checks the version of Infinispan's client, which Spring Boot replaces by an older one.
   *
   * @throws EnsemblePropertyException if Ensemble does not work with that version
   */
  static void checkInfinispan(String version) {
    if (Integer.parseInt(version.replaceFirst("\\D.*", "")) < LEAST_INFINISPAN) {
      throw new EnsemblePropertyException(
          "infinispan.version",
          "Ensemble requires Infinispan %d; got %s".formatted(LEAST_INFINISPAN, version),
          "Spring Boot manages this version. In the build of the application, set the property"
              + " infinispan.version to the version in docs/compatibility.md of Ensemble, or import"
              + " infinispan-bom before spring-boot-dependencies.",
          null);
    }
  }

  /**
   * A builder with the properties applied.
   *
   * @throws EnsemblePropertyException naming a property that is missing or wrong
   */
  static EnsembleCacheManagerBuilder of(EnsembleProperties properties) {
    EnsembleCacheManagerBuilder builder = EnsembleCacheManager.builder();
    boolean hasCatalog = properties.catalog() != null;
    if (!hasCatalog && properties.sites().isEmpty()) {
      throw new EnsemblePropertyException(
          EnsembleProperties.PREFIX,
          "a catalog or a site is required; got none",
          "Set ensemble.catalog or ensemble.sites.NAME.endpoints. To start without Ensemble, set"
              + " ensemble.enabled=false.",
          null);
    }
    if (properties.maintenance() && !hasCatalog) {
      throw new EnsemblePropertyException(
          "ensemble.maintenance",
          "maintenance requires a catalog; got none",
          "Set ensemble.catalog, or remove ensemble.maintenance.",
          null);
    }
    properties.sites().forEach((name, site) -> builder.site(siteConfiguration(name, site)));
    setIfPresent(properties.catalog(), builder::catalog);
    setIfPresent(properties.localSite(), builder::localSite);
    List<String> addresses = properties.siteAddresses();
    if (addresses != null) {
      builder.siteAddresses(
          checked("ensemble.site-addresses", () -> AddressPolicy.allowing(addresses)));
    }
    builder.maintenance(properties.maintenance()).refilling(properties.refilling());
    checked("ensemble.rebuild-after", () -> builder.rebuildAfter(properties.rebuildAfter()));
    checked("ensemble.max-clock-skew", () -> builder.maxClockSkew(properties.maxClockSkew()));
    checked(
        "ensemble.administration-deadline",
        () -> builder.administrationDeadline(properties.administrationDeadline()));
    properties
        .keysets()
        .forEach((cache, keyset) -> builder.keyset(cache, reference(cache, keyset)));
    return builder;
  }

  /** Builds the manager; a failure names the properties that can be its cause. */
  static EnsembleCacheManager build(
      EnsembleProperties properties, EnsembleCacheManagerBuilder builder) {
    try {
      return builder.build();
    } catch (IllegalArgumentException | CatalogException wrong) {
      throw new EnsemblePropertyException(
          properties.catalog() == null ? "ensemble.local-site" : "ensemble.catalog",
          Objects.toString(wrong.getMessage()),
          CORRECT,
          wrong);
    }
  }

  static SiteConfiguration siteConfiguration(String name, EnsembleProperties.Site site) {
    String prefix = SITES + "." + name;
    SiteConfiguration.Builder builder = SiteConfiguration.builder(name).storage(site.storage());
    if (site.endpoints().isEmpty()) {
      throw wrong(prefix + ".endpoints", "a site requires at least 1 endpoint host:port; got none");
    }
    for (String endpoint : site.endpoints()) {
      checked(prefix + ".endpoints", () -> builder.endpoint(endpoint));
    }
    setIfPresent(credentials(prefix, site), builder::credentials);
    EnsembleProperties.Tls tls = site.tls();
    if (tls != null) {
      builder.tls(tls(prefix + ".tls", tls));
    }
    EnsembleProperties.Limits limits = site.limits();
    builder.limits(
        checked(
            prefix + ".limits",
            () -> new SiteLimits(limits.inFlight(), limits.waiting(), limits.longestRequest())));
    return checked(prefix, builder::build);
  }

  private static @Nullable Credentials credentials(String prefix, EnsembleProperties.Site site) {
    Supplier<char[]> password =
        secret(prefix + ".password", site.password(), site.passwordFile(), site.passwordVariable());
    String user = site.user();
    String mechanism = site.mechanism();
    if (Credentials.EXTERNAL.equals(mechanism)) {
      if (user != null || password != null) {
        throw wrong(
            prefix + ".mechanism",
            "EXTERNAL takes the user from the client certificate; remove user and password");
      }
      return Credentials.ofCertificate();
    }
    if (user == null) {
      if (password != null || mechanism != null) {
        throw wrong(prefix + ".user", "a password or a mechanism requires a user; got none");
      }
      return null;
    }
    if (password == null) {
      throw wrong(
          prefix + ".password",
          "a user requires password, password-file or password-variable; got none, user=" + user);
    }
    return checked(
        prefix + ".user",
        () -> {
          Credentials credentials = Credentials.of(user, password);
          return mechanism == null ? credentials : credentials.withMechanism(mechanism);
        });
  }

  private static Tls tls(String prefix, EnsembleProperties.Tls tls) {
    Path trustStore = tls.trustStore();
    if (trustStore == null) {
      throw wrong(prefix + ".trust-store", "TLS requires a trust store; got none");
    }
    Supplier<char[]> trustStorePassword =
        secret(
            prefix + ".trust-store-password",
            tls.trustStorePassword(),
            tls.trustStorePasswordFile(),
            tls.trustStorePasswordVariable());
    Supplier<char[]> keyStorePassword =
        secret(
            prefix + ".key-store-password",
            tls.keyStorePassword(),
            tls.keyStorePasswordFile(),
            tls.keyStorePasswordVariable());
    return checked(
        prefix,
        () ->
            new Tls(
                trustStore,
                trustStorePassword,
                tls.keyStore(),
                keyStorePassword,
                tls.sniHostName(),
                tls.revocationList()));
  }

  /** The one secret of three forms; null if there is none. */
  private static @Nullable Supplier<char[]> secret(
      String property, @Nullable String text, @Nullable Path file, @Nullable String variable) {
    if (Stream.of(text, file, variable).filter(Objects::nonNull).count() > 1) {
      throw wrong(
          property,
          "at most one of %s, %s-file and %s-variable may be set"
              .formatted(last(property), last(property), last(property)));
    }
    if (text != null) {
      return text::toCharArray;
    }
    if (file != null) {
      return Secret.inFile(file);
    }
    return variable == null ? null : Secret.inVariable(variable);
  }

  private static String last(String property) {
    return property.substring(property.lastIndexOf('.') + 1);
  }

  private static KeysetReference reference(String cache, EnsembleProperties.Keyset keyset) {
    Path file = keyset.file();
    String variable = keyset.variable();
    if (file != null && variable == null) {
      return KeysetReference.inFile(file);
    }
    if (variable != null && file == null) {
      return KeysetReference.inVariable(variable);
    }
    throw wrong("ensemble.keysets." + cache, "exactly one of file and variable must be set");
  }

  private static <T> void setIfPresent(@Nullable T value, Consumer<T> setter) {
    if (value != null) {
      setter.accept(value);
    }
  }

  private static <T> T checked(String property, Supplier<T> step) {
    try {
      return step.get();
    } catch (IllegalArgumentException wrong) {
      throw new EnsemblePropertyException(
          property, Objects.toString(wrong.getMessage()), CORRECT, wrong);
    }
  }

  private static EnsemblePropertyException wrong(String property, String problem) {
    return new EnsemblePropertyException(property, problem, CORRECT, null);
  }
}

package io.ensemble.spring;

import io.ensemble.Acknowledgement;
import io.ensemble.Mode;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code ensemble.*}. A property of another name below that prefix fails the start,
 * unless it is an environment variable or a system property.
 *
 * @param enabled Whether the auto-configuration makes any bean.
 * @param catalog Address of the catalog: zk://host:port,...[/path][?access=FILE], or a directory.
 *     Without it, caches are defined in the memory of this process.
 * @param sites Sites by name. Sites of the catalog need not be listed.
 * @param localSite Name of the site near the application, for WEAK caches.
 * @param siteAddresses Allowed addresses of the catalog's sites; all if it is missing.
 * @param maintenance Whether this process runs maintenance of the catalog's sites.
 * @param refilling Whether this process refills replicas of its open caches after they lost their
 *     memory.
 * @param rebuildAfter Silence of a node after which this process rebuilds its open caches, from 1 s
 *     to 365 d.
 * @param maxClockSkew Largest lead of another process's clock whose stamps are adopted, up to 1 d.
 * @param administrationDeadline Longest time for the creation of a cache, up to 10 min.
 * @param keysets Keysets of private caches, by the name of the cache.
 * @param caching Spring's cache abstraction.
 */
@ConfigurationProperties(prefix = "ensemble", ignoreUnknownFields = false)
public record EnsembleProperties(
    @DefaultValue("true") boolean enabled,
    @Nullable String catalog,
    @DefaultValue Map<String, Site> sites,
    @Nullable String localSite,
    @Nullable List<String> siteAddresses,
    @DefaultValue("false") boolean maintenance,
    @DefaultValue("true") boolean refilling,
    @DefaultValue("10m") Duration rebuildAfter,
    @DefaultValue("1m") Duration maxClockSkew,
    @DefaultValue("30s") Duration administrationDeadline,
    @DefaultValue Map<String, Keyset> keysets,
    @DefaultValue Caching caching) {

  /** The prefix of all properties. */
  public static final String PREFIX = "ensemble";

  /**
   * How to reach a site.
   *
   * @param endpoints Addresses host:port of some of its nodes, at least one.
   * @param storage Where the site keeps stores that are created from now on.
   * @param user User at the site. Requires a password, unless the mechanism is EXTERNAL.
   * @param password Password of the user.
   * @param passwordFile File with the password, which is read for each connection.
   * @param passwordVariable Environment variable with the password.
   * @param mechanism SASL mechanism; EXTERNAL identifies the user by the client certificate.
   * @param tls TLS at the site; clear text if it is missing.
   * @param limits Limits of requests in progress at the site.
   */
  public record Site(
      @DefaultValue List<String> endpoints,
      @DefaultValue("memory") SiteStorage storage,
      @Nullable String user,
      @Nullable String password,
      @Nullable Path passwordFile,
      @Nullable String passwordVariable,
      @Nullable String mechanism,
      @Nullable Tls tls,
      @DefaultValue Limits limits) {

    /** Without the password. */
    @Override
    public String toString() {
      return "Site[endpoints=%s, storage=%s, user=%s, mechanism=%s, tls=%s, limits=%s]"
          .formatted(endpoints, storage, user, mechanism, tls, limits);
    }
  }

  /**
   * TLS at a site.
   *
   * @param trustStore PKCS12, JKS or PEM file of the trusted certificates. Required.
   * @param trustStorePassword Password of the trust store; none for PEM.
   * @param trustStorePasswordFile File with the password of the trust store.
   * @param trustStorePasswordVariable Environment variable with the password of the trust store.
   * @param keyStore PKCS12 or JKS file of the client's key and certificate.
   * @param keyStorePassword Password of the key store and its key.
   * @param keyStorePasswordFile File with the password of the key store.
   * @param keyStorePasswordVariable Environment variable with the password of the key store.
   * @param sniHostName Name that the site's certificate must have; by default that of the first
   *     endpoint.
   * @param revocationList File with the current revocation lists of the authorities.
   */
  public record Tls(
      @Nullable Path trustStore,
      @Nullable String trustStorePassword,
      @Nullable Path trustStorePasswordFile,
      @Nullable String trustStorePasswordVariable,
      @Nullable Path keyStore,
      @Nullable String keyStorePassword,
      @Nullable Path keyStorePasswordFile,
      @Nullable String keyStorePasswordVariable,
      @Nullable String sniHostName,
      @Nullable Path revocationList) {

    /** Without the passwords. */
    @Override
    public String toString() {
      return "Tls[trustStore=%s, keyStore=%s, sniHostName=%s, revocationList=%s]"
          .formatted(trustStore, keyStore, sniHostName, revocationList);
    }
  }

  /**
   * The limits of requests in progress at a site.
   *
   * @param inFlight Requests sent and not answered, at most.
   * @param waiting Requests that wait for their turn, at most.
   * @param longestRequest Longest time of one request, from 1 ms to 1 h.
   */
  public record Limits(
      @DefaultValue("256") int inFlight,
      @DefaultValue("1024") int waiting,
      @DefaultValue("2s") Duration longestRequest) {}

  /**
   * The place of a keyset.
   *
   * @param file File with the keyset.
   * @param variable Environment variable with the keyset, encrypted.
   */
  public record Keyset(@Nullable Path file, @Nullable String variable) {}

  /**
   * Spring's cache abstraction.
   *
   * @param defaults Settings of every cache that does not have its own.
   * @param caches Settings of caches by name, in place of the defaults.
   * @param clearDeadline Longest time of a removal of all entries, up to 1 d.
   */
  public record Caching(
      @DefaultValue CacheSettings defaults,
      @DefaultValue Map<String, CacheSettings> caches,
      @DefaultValue("1m") Duration clearDeadline) {}

  /**
   * The settings with which a cache is created if it does not exist. All but the mode and the
   * lifespan have no effect on a cache that exists.
   *
   * @param mode Mode of a cache that is created: weak, swmr or mwmr. Without a mode, a cache that
   *     does not exist is refused.
   * @param sites Names of the sites that hold the cache, in order of preference; by default all.
   * @param replicas Number of replicas of a strong cache; by default one at each site.
   * @param acknowledgement Condition under which a write returns.
   * @param deadline Longest time of a call; 5 s by default.
   * @param maxValueBytes Largest encoded key or value; 1 MiB by default.
   * @param lifespan Time after which an entry that this application puts expires; never by default.
   */
  public record CacheSettings(
      @Nullable Mode mode,
      @Nullable List<String> sites,
      @Nullable Integer replicas,
      @Nullable Acknowledgement acknowledgement,
      @Nullable Duration deadline,
      @Nullable Integer maxValueBytes,
      @Nullable Duration lifespan) {

    /** These settings, and those of {@code others} where these have none. */
    CacheSettings orElse(CacheSettings others) {
      return new CacheSettings(
          mode != null ? mode : others.mode,
          sites != null ? sites : others.sites,
          replicas != null ? replicas : others.replicas,
          acknowledgement != null ? acknowledgement : others.acknowledgement,
          deadline != null ? deadline : others.deadline,
          maxValueBytes != null ? maxValueBytes : others.maxValueBytes,
          lifespan != null ? lifespan : others.lifespan);
    }
  }
}

package io.ensemble.site.hotrod.configuration;

import io.ensemble.site.SiteLimits;
import io.ensemble.site.address.AddressPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How to reach a site.
 *
 * @param name the site's name in the federation: 1 to 64 letters, digits, '-', '_' or '.'
 * @param endpoints some of its nodes, at least one; the site announces the others
 * @param credentials null when the site requires none
 * @param tls null for clear text
 * @param storage where the site keeps its stores
 * @param limits the limits of requests in progress at the site
 * @param addresses the allowed addresses of its nodes, whatever their source; null for any
 */
public record SiteConfiguration(
    String name,
    List<Endpoint> endpoints,
    @Nullable Credentials credentials,
    @Nullable Tls tls,
    SiteStorage storage,
    SiteLimits limits,
    @Nullable AddressPolicy addresses) {

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]{1,64}");

  /**
   * @throws IllegalArgumentException when the name is invalid, no endpoint is given, or the
   *     mechanism requires a client certificate and there is none
   */
  public SiteConfiguration {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "site name must be 1 to 64 ASCII letters, digits, '-', '_' or '.'; got '" + name + "'");
    }
    endpoints = List.copyOf(endpoints);
    if (endpoints.isEmpty()) {
      throw new IllegalArgumentException(
          "a site requires at least 1 endpoint host:port; got none; site=" + name);
    }
    if (credentials != null
        && credentials.isExternal()
        && (tls == null || tls.keyStore() == null)) {
      throw new IllegalArgumentException(
          "the mechanism EXTERNAL requires TLS with a key store; got none; site=" + name);
    }
  }

  /** A site with nodes at any address. */
  public SiteConfiguration(
      String name,
      List<Endpoint> endpoints,
      @Nullable Credentials credentials,
      @Nullable Tls tls,
      SiteStorage storage,
      SiteLimits limits) {
    this(name, endpoints, credentials, tls, storage, limits, null);
  }

  /** The site with connections only to addresses that {@code policy} allows. */
  public SiteConfiguration within(@Nullable AddressPolicy policy) {
    return new SiteConfiguration(name, endpoints, credentials, tls, storage, limits, policy);
  }

  /** Starts from a name, no endpoint, clear text, no credentials, memory, default limits. */
  public static Builder builder(String name) {
    return new Builder(name);
  }

  /** Builds a {@link SiteConfiguration}. Not thread-safe. */
  public static final class Builder {

    private final String name;
    private final List<Endpoint> endpoints = new ArrayList<>();
    private @Nullable Credentials credentials;
    private @Nullable Tls tls;
    private SiteStorage storage = SiteStorage.MEMORY;
    private SiteLimits limits = SiteLimits.DEFAULT;

    private Builder(String name) {
      this.name = name;
    }

    /** Adds a node's {@code host:port}. */
    public Builder endpoint(String hostAndPort) {
      try {
        return endpoint(Endpoint.parse(hostAndPort));
      } catch (IllegalArgumentException wrong) {
        throw new IllegalArgumentException(wrong.getMessage() + "; site=" + name, wrong);
      }
    }

    /** Adds a node. */
    public Builder endpoint(Endpoint endpoint) {
      endpoints.add(endpoint);
      return this;
    }

    /** The credentials of this process at the site. */
    public Builder credentials(Credentials who) {
      this.credentials = who;
      return this;
    }

    /** Uses TLS, with these trusted certificates. */
    public Builder tls(Tls whom) {
      this.tls = whom;
      return this;
    }

    /** Where the site keeps stores that are created from now on. */
    public Builder storage(SiteStorage where) {
      this.storage = where;
      return this;
    }

    /** The limits of requests in progress at the site. */
    public Builder limits(SiteLimits most) {
      this.limits = most;
      return this;
    }

    /**
     * The configuration.
     *
     * @throws IllegalArgumentException naming what is missing or wrong
     */
    public SiteConfiguration build() {
      return new SiteConfiguration(name, endpoints, credentials, tls, storage, limits);
    }
  }
}

package io.ensemble.site.hotrod;

import io.ensemble.site.SiteException;
import io.ensemble.site.hotrod.configuration.Credentials;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SecretFiles;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.site.hotrod.configuration.SiteTlsContext;
import io.ensemble.site.hotrod.configuration.Tls;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import org.infinispan.client.hotrod.configuration.ClientIntelligence;
import org.infinispan.client.hotrod.configuration.Configuration;
import org.infinispan.client.hotrod.configuration.ConfigurationBuilder;
import org.infinispan.commons.marshall.IdentityMarshaller;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of the Hot Rod client of a site. The client sends no request twice. If a
 * compare-and-set that took effect were sent again, it would answer false, and the caller could not
 * detect that. Measured on 16.0.7: without retries a topology change fails no request, and the
 * death of a node fails only requests on their way to it.
 */
final class ClientConfiguration {

  private static final int LONGEST_CONNECT_MILLIS = 1_000;

  /** How long a node that did not connect is skipped; reads of its keys fail meanwhile. */
  private static final int FAILED_NODE_MILLIS = 1_000;

  private static final String THREAD_NAMES =
      "infinispan.client.hotrod.default_executor_factory.threadname_prefix";

  private ClientConfiguration() {}

  static Configuration of(SiteConfiguration site, Duration longestRequest) {
    return common(site, site.endpoints(), longestRequest, null)
        .clientIntelligence(ClientIntelligence.HASH_DISTRIBUTION_AWARE)
        .balancingStrategy(TrackingBalancer::new)
        .build();
  }

  /**
   * The configuration of a client that connects to one node only, whatever other nodes that node
   * announces.
   *
   * @param connections counts connections, each before it is begun; null not to count
   */
  static Configuration ofOne(
      SiteConfiguration site,
      Endpoint node,
      Duration longestRequest,
      @Nullable AtomicLong connections) {
    return common(site, List.of(node), longestRequest, connections)
        .clientIntelligence(ClientIntelligence.BASIC)
        .balancingStrategy(TrackingBalancer::new)
        .build();
  }

  private static ConfigurationBuilder common(
      SiteConfiguration site,
      List<Endpoint> nodes,
      Duration longestRequest,
      @Nullable AtomicLong connections) {
    ConfigurationBuilder builder = new ConfigurationBuilder();
    nodes.forEach(node -> builder.addServer().host(node.host()).port(node.port()));
    int millis = Math.toIntExact(longestRequest.toMillis());
    builder
        .marshaller(IdentityMarshaller.INSTANCE)
        .maxRetries(0)
        .socketTimeout(millis)
        .connectionTimeout(Math.min(millis, LONGEST_CONNECT_MILLIS))
        .serverFailureTimeout(FAILED_NODE_MILLIS)
        .tcpNoDelay(true)
        .tcpKeepAlive(true)
        .disableTracingPropagation();
    builder
        .asyncExecutorFactory()
        .addExecutorProperty(THREAD_NAMES, "ensemble-site-" + site.name());
    if (connections != null || site.addresses() != null) {
      AtomicLong counted = connections == null ? new AtomicLong() : connections;
      builder.transportFactory(new GuardedTransport(site.name(), site.addresses(), counted));
    }
    secure(builder, site);
    return builder;
  }

  private static void secure(ConfigurationBuilder builder, SiteConfiguration site) {
    Credentials credentials = site.credentials();
    if (credentials != null) {
      var who = builder.security().authentication().enable().saslMechanism(credentials.mechanism());
      if (!credentials.isExternal()) {
        who.username(credentials.user()).password(credentials.password().get());
      }
    }
    Tls tls = site.tls();
    if (tls != null) {
      String sni = tls.sniHostName();
      var ssl =
          builder
              .security()
              .ssl()
              .enable()
              .sniHostName(sni == null ? site.endpoints().get(0).host() : sni);
      if (tls.revocationList() != null) {
        ssl.sslContext(context(tls, site));
        return;
      }
      ssl.trustStoreFileName(tls.trustStore().toString()).trustStoreType(tls.storeType());
      if (tls.trustStorePassword() != null) {
        ssl.trustStorePassword(tls.trustStorePassword().get());
      }
      if (tls.keyStore() != null && tls.keyStorePassword() != null) {
        ssl.keyStoreFileName(SecretFiles.check(tls.keyStore()).toString())
            .keyStoreType(Tls.storeType(tls.keyStore()))
            .keyStorePassword(tls.keyStorePassword().get());
      }
    }
  }

  private static SSLContext context(Tls tls, SiteConfiguration site) {
    try {
      return SiteTlsContext.of(tls);
    } catch (IOException e) {
      throw SiteException.notSent(
          site.name(), SiteException.Reason.NOT_ALLOWED, String.valueOf(e.getMessage()), e);
    }
  }
}

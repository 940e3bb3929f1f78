package io.ensemble.benchmarks.store;

import io.ensemble.cache.BlockingCall;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.Site;
import io.ensemble.site.SiteException;
import io.ensemble.site.StoreKind;
import io.ensemble.site.hotrod.HotRod;
import io.ensemble.site.hotrod.configuration.Credentials;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.site.hotrod.configuration.Tls;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.configuration.ConfigurationBuilder;
import org.infinispan.client.hotrod.configuration.SslConfigurationBuilder;
import org.infinispan.commons.marshall.IdentityMarshaller;

/**
 * A plain cache of Infinispan at one site. The cache is created through Ensemble's port, so that it
 * has exactly the settings of a WEAK cache's backing cache. After that only Infinispan's client is
 * used, with its defaults: routing by owner, three retries, 2 s.
 */
public final class PlainCache implements AutoCloseable {

  private static final Duration LONGEST_COMMAND = Duration.ofSeconds(30);

  private final SiteConfiguration site;
  private final String name;
  private final RemoteCacheManager client;
  private final RemoteCache<byte[], byte[]> cache;

  private PlainCache(SiteConfiguration site, String name) {
    this.site = site;
    this.name = name;
    this.client = client(site);
    this.cache = client.getCache(name);
  }

  /**
   * Opens the cache, and creates it if it does not exist.
   *
   * @throws SiteException when the site cannot be reached
   */
  public static PlainCache open(SiteConfiguration site, String name) {
    try {
      atSite(site, (port, deadline) -> port.open(name, StoreKind.PLAIN, deadline));
    } catch (SiteException missing) {
      if (missing.reason() != SiteException.Reason.STORE_LOST) {
        throw missing;
      }
      atSite(site, (port, deadline) -> port.create(name, StoreKind.PLAIN, deadline));
    }
    return new PlainCache(site, name);
  }

  /** The cache, for keys and values in bytes. */
  public RemoteCache<byte[], byte[]> cache() {
    return cache;
  }

  /** Removes the cache from the site. */
  public void drop() {
    atSite(site, (port, deadline) -> port.remove(name, deadline));
  }

  @Override
  public void close() {
    client.stop();
  }

  private static void atSite(
      SiteConfiguration site, BiFunction<Site, Deadline, CompletionStage<?>> command) {
    try (ThreadScheduler scheduler = new ThreadScheduler();
        Site port = HotRod.connect(site, scheduler)) {
      Deadline deadline = Deadline.after(LONGEST_COMMAND, scheduler);
      BlockingCall.result(() -> command.apply(port, deadline), LONGEST_COMMAND, scheduler);
    }
  }

  private static RemoteCacheManager client(SiteConfiguration site) {
    ConfigurationBuilder builder = new ConfigurationBuilder();
    site.endpoints().forEach(node -> builder.addServer().host(node.host()).port(node.port()));
    builder.marshaller(IdentityMarshaller.INSTANCE);
    Credentials credentials = site.credentials();
    if (credentials != null) {
      builder
          .security()
          .authentication()
          .enable()
          .saslMechanism(credentials.mechanism())
          .username(credentials.user())
          .password(credentials.password().get());
    }
    Tls tls = site.tls();
    if (tls != null) {
      String sni = tls.sniHostName();
      SslConfigurationBuilder ssl =
          builder
              .security()
              .ssl()
              .enable()
              .trustStoreFileName(tls.trustStore().toString())
              .trustStoreType(tls.storeType())
              .sniHostName(sni == null ? site.endpoints().get(0).host() : sni);
      if (tls.trustStorePassword() != null) {
        ssl.trustStorePassword(tls.trustStorePassword().get());
      }
    }
    return new RemoteCacheManager(builder.build());
  }
}

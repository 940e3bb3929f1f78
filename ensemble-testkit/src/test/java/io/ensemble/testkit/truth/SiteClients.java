package io.ensemble.testkit.truth;

import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.BoundedSite;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.site.hotrod.HotRod;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import io.ensemble.testkit.process.ProcessSite;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.configuration.ClientIntelligence;
import org.infinispan.client.hotrod.configuration.ConfigurationBuilder;
import org.infinispan.client.hotrod.exceptions.HotRodClientException;
import org.infinispan.client.hotrod.impl.InternalRemoteCache;
import org.infinispan.commons.api.CacheContainerAdmin.AdminFlag;
import org.infinispan.commons.configuration.StringConfiguration;
import org.infinispan.commons.marshall.IdentityMarshaller;

/** Clients of one site: one for each node, and some that route to the owners of keys. */
final class SiteClients implements AutoCloseable {

  private static final int CONNECTIONS_APART = 2;
  private static final int LONGEST_MILLIS = 5_000;

  /**
   * The timeout for creating and removing caches, in which all nodes of a busy machine take part.
   */
  private static final int LONGEST_MAKING_MILLIS = 60_000;

  private final ThreadScheduler scheduler = new ThreadScheduler();
  private final List<BoundedSite> owners = new ArrayList<>();
  private final List<RemoteCacheManager> nodes = new ArrayList<>();
  private final RemoteCacheManager all;

  SiteClients(ProcessSite site) {
    SiteConfiguration.Builder configuration = SiteConfiguration.builder(site.name());
    site.endpoints().forEach(at -> configuration.endpoint(at.getHostString() + ":" + at.getPort()));
    for (int i = 0; i < CONNECTIONS_APART; i++) {
      owners.add(HotRod.connect(configuration.build(), scheduler));
    }
    for (InetSocketAddress node : site.endpoints()) {
      nodes.add(client(List.of(node), ClientIntelligence.BASIC));
    }
    all =
        client(site.endpoints(), ClientIntelligence.HASH_DISTRIBUTION_AWARE, LONGEST_MAKING_MILLIS);
  }

  static RemoteCacheManager client(List<InetSocketAddress> nodes, ClientIntelligence intelligence) {
    return client(nodes, intelligence, LONGEST_MILLIS);
  }

  private static RemoteCacheManager client(
      List<InetSocketAddress> nodes, ClientIntelligence intelligence, int longestMillis) {
    ConfigurationBuilder builder = new ConfigurationBuilder();
    nodes.forEach(node -> builder.addServer().host(node.getHostString()).port(node.getPort()));
    builder
        .clientIntelligence(intelligence)
        .marshaller(IdentityMarshaller.INSTANCE)
        .maxRetries(0)
        .socketTimeout(longestMillis);
    return new RemoteCacheManager(builder.build());
  }

  void create(String cache, SiteCacheSetting setting) {
    AdminFlag[] lifetime =
        setting.isPermanent() ? new AdminFlag[0] : new AdminFlag[] {AdminFlag.VOLATILE};
    all.administration()
        .withFlags(lifetime)
        .createCache(cache, new StringConfiguration(setting.xml()));
  }

  /**
   * Removes a cache after its judgement, to save memory. A node may not answer while transactions
   * on the cache are unfinished (ISPN000476 after 15 s); the cache then ends with its site.
   */
  void remove(String cache) {
    try {
      all.administration().removeCache(cache);
    } catch (HotRodClientException unfinished) {
      System.out.println("cache not removed; cache=" + cache + " why=" + unfinished.getMessage());
    }
  }

  /** The node to which the client sends requests for the key. */
  SocketAddress owner(String cache, byte[] key) {
    InternalRemoteCache<byte[], byte[]> inside =
        (InternalRemoteCache<byte[], byte[]>) all.<byte[], byte[]>getCache(cache);
    if (inside.get(key) != null) { // The answer contains the topology.
      throw new IllegalStateException("a key wants to be fresh; cache=" + cache);
    }
    return inside.getDispatcher().addressForObject(key, cache);
  }

  /** Several clients that route to the owners of keys. */
  List<CasClient> owners(String cache) {
    List<CasClient> doors = new ArrayList<>();
    for (BoundedSite each : owners) {
      Deadline deadline = Deadline.after(Duration.ofSeconds(20), scheduler);
      SiteStore store = each.open(cache, StoreKind.ACCEPTOR, deadline).toCompletableFuture().join();
      doors.add(new OwnerCasClient(store, scheduler));
    }
    return doors;
  }

  /** One client for each node. */
  List<CasClient> nodes(String cache) {
    return nodes.stream().<CasClient>map(node -> new NodeCasClient(node.getCache(cache))).toList();
  }

  @Override
  public void close() {
    owners.forEach(BoundedSite::close);
    nodes.forEach(RemoteCacheManager::stop);
    all.stop();
    scheduler.close();
  }
}

package io.ensemble.testkit.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.InetSocketAddress;
import java.util.List;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.configuration.ClientIntelligence;
import org.infinispan.client.hotrod.configuration.ConfigurationBuilder;
import org.infinispan.commons.api.CacheContainerAdmin.AdminFlag;
import org.infinispan.commons.configuration.StringConfiguration;
import org.infinispan.commons.marshall.IdentityMarshaller;

/** Plain Hot Rod clients of embedded sites. */
final class EmbeddedClients {
  static final int TIMEOUT_MILLIS = 5_000;

  private static final String PLAIN =
      "<distributed-cache mode=\"SYNC\" owners=\"2\">"
          + "<encoding media-type=\"application/octet-stream\"/>%s</distributed-cache>";
  private static final String PESSIMISTIC =
      PLAIN.formatted(
          "<locking isolation=\"REPEATABLE_READ\"/>"
              + "<transaction mode=\"NON_XA\" locking=\"PESSIMISTIC\" transaction-manager-lookup="
              + "\"org.infinispan.transaction.lookup.EmbeddedTransactionManagerLookup\"/>"
              + "<partition-handling when-split=\"DENY_READ_WRITES\" merge-policy=\"NONE\"/>");

  private EmbeddedClients() {}

  /** A hash-aware client without retries. */
  static RemoteCacheManager of(EmbeddedSite site) {
    return new RemoteCacheManager(
        configuration(site.endpoints())
            .clientIntelligence(ClientIntelligence.HASH_DISTRIBUTION_AWARE)
            .build());
  }

  /** A client that uses one node only. */
  static RemoteCacheManager ofNode(EmbeddedSite site, int index) {
    return new RemoteCacheManager(
        configuration(site.endpoints().subList(index, index + 1))
            .clientIntelligence(ClientIntelligence.BASIC)
            .build());
  }

  static ConfigurationBuilder configuration(List<InetSocketAddress> endpoints) {
    ConfigurationBuilder builder = new ConfigurationBuilder();
    for (InetSocketAddress endpoint : endpoints) {
      builder.addServer().host(endpoint.getHostString()).port(endpoint.getPort());
    }
    builder.marshaller(new IdentityMarshaller()).maxRetries(0).socketTimeout(TIMEOUT_MILLIS);
    return builder;
  }

  static RemoteCache<byte[], byte[]> create(RemoteCacheManager client, String cache) {
    return create(client, cache, PLAIN.formatted(""));
  }

  static RemoteCache<byte[], byte[]> createPessimistic(RemoteCacheManager client, String cache) {
    return create(client, cache, PESSIMISTIC);
  }

  /** Creates a cache that is local to each node. */
  static RemoteCache<byte[], byte[]> createLocal(RemoteCacheManager client, String cache) {
    return create(
        client,
        cache,
        "<local-cache><encoding media-type=\"application/octet-stream\"/></local-cache>");
  }

  private static RemoteCache<byte[], byte[]> create(
      RemoteCacheManager client, String cache, String xml) {
    client
        .administration()
        .withFlags(AdminFlag.VOLATILE)
        .createCache(cache, new StringConfiguration(xml));
    return client.getCache(cache);
  }

  static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}

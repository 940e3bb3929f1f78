package io.ensemble.check.objects;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.FormerStorePolicy;
import io.ensemble.StoreIntactException;
import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.check.process.CommandException;
import io.ensemble.objects.runtime.ObjectKeys;
import io.ensemble.objects.store.HotRodObjectStore;
import io.ensemble.testkit.link.Ports;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.exceptions.HotRodClientException;
import org.infinispan.client.hotrod.impl.InternalRemoteCache;

/** The cache of the objects of a trial. {@link #close} removes it. */
interface ObjectTrialCache extends AutoCloseable {

  /** Refills a site that lost its memory; returns the number of entries. */
  long refill(String site, FormerStorePolicy former);

  /** The node of the first site that is the primary owner of an object's root. */
  int owner(String object);

  /** The order to the process with index {@code place}, the last of {@code members} to start. */
  default ObjectClientSpec order(ObjectClientSpec order, int place, int members) {
    return order;
  }

  @Override
  void close();

  /** Creates the cache. */
  static ObjectTrialCache create(
      ObjectRequest request, List<SiteDescriptor> sites, String catalog, String cache) {
    return switch (request.store()) {
      case EMBEDDED -> EmbeddedTrialCache.create(request, cache);
      case HOTROD -> HotRodTrialCache.create(sites.get(0), cache);
      case ENSEMBLE -> EnsembleTrialCache.create(request, sites, catalog, cache);
    };
  }

  /**
   * A cache of the client processes, which are the nodes.
   *
   * @param ports the ports by index, and one more
   */
  record EmbeddedTrialCache(String name, List<Integer> ports) implements ObjectTrialCache {
    private static final int PORTS_OF_A_NODE = 2;

    private static EmbeddedTrialCache create(ObjectRequest request, String name) {
      return new EmbeddedTrialCache(
          name,
          IntStream.rangeClosed(0, request.processes())
              .mapToObj(place -> Ports.reserve(PORTS_OF_A_NODE))
              .toList());
    }

    @Override
    public ObjectClientSpec order(ObjectClientSpec order, int place, int members) {
      return order.in(new ObjectClientSpec.Membership(name, ports.get(place), ports, members));
    }

    @Override
    public long refill(String site, FormerStorePolicy former) {
      throw new IllegalStateException("sites are not refilled in this run; site=" + site);
    }

    @Override
    public int owner(String object) {
      throw new IllegalStateException("no site has the owner node");
    }

    @Override
    public void close() {}
  }

  /** A cache at one site, over Hot Rod. */
  record HotRodTrialCache(
      SiteDescriptor site, RemoteCacheManager client, RemoteCache<byte[], byte[]> cache)
      implements ObjectTrialCache {

    /** The creation or removal of a cache takes a site several seconds on a busy machine. */
    private static final Duration LONGEST_ADMINISTRATION = Duration.ofSeconds(30);

    private static HotRodTrialCache create(SiteDescriptor site, String name) {
      try (RemoteCacheManager adminClient =
          ObjectStoreConnection.client(site, LONGEST_ADMINISTRATION)) {
        HotRodObjectStore.cache(adminClient, name);
      } catch (RuntimeException e) {
        throw failed(e);
      }
      RemoteCacheManager client = ObjectStoreConnection.client(site);
      try {
        return new HotRodTrialCache(
            site, client, Objects.requireNonNull(client.getCache(name), "its cache"));
      } catch (RuntimeException e) {
        client.stop();
        throw failed(e);
      }
    }

    private static CommandException failed(RuntimeException e) {
      return new CommandException("cannot create the cache: " + e.getMessage(), e);
    }

    @Override
    public long refill(String site, FormerStorePolicy former) {
      if (former == FormerStorePolicy.MUST_BE_LOST) { // One node died: its peers have its data.
        throw new StoreIntactException(cache.getName(), site);
      }
      throw new IllegalStateException(
          "the data of the only site is lost, or its store refuses permanently; site=" + site);
    }

    @Override
    public int owner(String object) {
      try {
        cache.getWithMetadata(
            ObjectKeys.root(object)
                .getBytes(UTF_8)); // A client receives the topology with a response.
      } catch (HotRodClientException e) {
        // A node that has just started may not have the cache yet; the former topology suffices.
      }
      SocketAddress owner =
          ((InternalRemoteCache<?, ?>) cache)
              .getDispatcher()
              .getConsistentHash(cache.getName())
              .getServer(ObjectKeys.root(object).getBytes(UTF_8));
      int port = ((InetSocketAddress) owner).getPort();
      List<String> endpoints = site.endpoints();
      for (int node = 0; node < endpoints.size(); node++) {
        if (endpoints.get(node).endsWith(":" + port)) {
          return node;
        }
      }
      throw new IllegalStateException(
          "expected an owner among the nodes; got %s, of %s".formatted(owner, endpoints));
    }

    @Override
    public void close() {
      client.stop();
      try (RemoteCacheManager adminClient =
          ObjectStoreConnection.client(site, LONGEST_ADMINISTRATION)) {
        adminClient.administration().removeCache(cache.getName());
      }
    }
  }

  /** An Ensemble cache at several sites. */
  record EnsembleTrialCache(EnsembleCacheManager manager, String cache)
      implements ObjectTrialCache {
    private static final Duration LONGEST_RECOVERY = Duration.ofSeconds(30);

    private static EnsembleTrialCache create(
        ObjectRequest request, List<SiteDescriptor> sites, String catalog, String cache) {
      EnsembleCacheManager manager = FederationConnection.builder(sites).catalog(catalog).build();
      try {
        manager.createCache(
            request.definition(cache, sites.stream().map(SiteDescriptor::name).toList()));
        return new EnsembleTrialCache(manager, cache);
      } catch (RuntimeException e) {
        manager.close();
        throw e;
      }
    }

    @Override
    public long refill(String site, FormerStorePolicy former) {
      return manager.recoverSite(cache, site, LONGEST_RECOVERY, former);
    }

    @Override
    public int owner(String object) {
      throw new IllegalStateException("no site has the only root of an object");
    }

    @Override
    public void close() {
      try {
        manager.deleteCache(cache);
      } finally {
        manager.close();
      }
    }
  }
}

package io.ensemble.deploy.check;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.FormerStore;
import io.ensemble.StoreIntactException;
import io.ensemble.deploy.CommandFailure;
import io.ensemble.deploy.federation.Federation;
import io.ensemble.deploy.federation.Place;
import io.ensemble.objects.drive.Keys;
import io.ensemble.objects.store.HotRodStore;
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

/** The cache that the objects of a trial are in. Closing it removes it. */
interface ObjectHome extends AutoCloseable {

  /** Gives a site that lost its memory its entries again; how many. */
  long refilled(String site, FormerStore former);

  /** Which node of the first site is the primary owner of an object's root. */
  int owner(String object);

  /** The order to a process in that place, the last of so many to come. */
  default ObjectOrder order(ObjectOrder order, int place, int members) {
    return order;
  }

  @Override
  void close();

  /** Creates it. */
  static ObjectHome create(ObjectRequest request, List<Place> sites, String catalog, String cache) {
    return switch (request.store()) {
      case EMBEDDED -> OfClients.create(request, cache);
      case HOTROD -> OfOneSite.create(sites.get(0), cache);
      case ENSEMBLE -> OfSites.create(request, sites, catalog, cache);
    };
  }

  /**
   * Among the client processes, which are the nodes.
   *
   * @param ports by their places, and of one more
   */
  record OfClients(String name, List<Integer> ports) implements ObjectHome {
    private static final int PORTS_OF_A_NODE = 2;

    private static OfClients create(ObjectRequest request, String name) {
      return new OfClients(
          name,
          IntStream.rangeClosed(0, request.processes())
              .mapToObj(place -> Ports.reserve(PORTS_OF_A_NODE))
              .toList());
    }

    @Override
    public ObjectOrder order(ObjectOrder order, int place, int members) {
      return order.in(new ObjectOrder.Membership(name, ports.get(place), ports, members));
    }

    @Override
    public long refilled(String site, FormerStore former) {
      throw new IllegalStateException("no site is refilled here; site=" + site);
    }

    @Override
    public int owner(String object) {
      throw new IllegalStateException("there is no site whose node is an owner");
    }

    @Override
    public void close() {}
  }

  /** At one site, over Hot Rod. */
  record OfOneSite(Place site, RemoteCacheManager client, RemoteCache<byte[], byte[]> cache)
      implements ObjectHome {

    /** To make a cache, or to remove it, takes a site seconds where its machine is busy. */
    private static final Duration LONGEST_ADMINISTRATION = Duration.ofSeconds(30);

    private static OfOneSite create(Place site, String name) {
      try (RemoteCacheManager patient = OpenStore.client(site, LONGEST_ADMINISTRATION)) {
        HotRodStore.cache(patient, name);
      } catch (RuntimeException e) {
        throw failed(e);
      }
      RemoteCacheManager client = OpenStore.client(site);
      try {
        return new OfOneSite(
            site, client, Objects.requireNonNull(client.getCache(name), "its cache"));
      } catch (RuntimeException e) {
        client.stop();
        throw failed(e);
      }
    }

    private static CommandFailure failed(RuntimeException e) {
      return new CommandFailure("cannot create the cache: " + e.getMessage(), e);
    }

    @Override
    public long refilled(String site, FormerStore former) {
      if (former == FormerStore.MUST_BE_LOST) { // One node died: its peers have what it held.
        throw new StoreIntactException(cache.getName(), site);
      }
      throw new IllegalStateException(
          "what was in the only site is lost, or its store refuses for good; site=" + site);
    }

    @Override
    public int owner(String object) {
      try {
        cache.getWithMetadata(
            Keys.root(object).getBytes(UTF_8)); // Topologies are learnt by asking.
      } catch (HotRodClientException e) {
        // A node that has just begun may not have the cache yet: what was learnt before will do.
      }
      SocketAddress owner =
          ((InternalRemoteCache<?, ?>) cache)
              .getDispatcher()
              .getConsistentHash(cache.getName())
              .getServer(Keys.root(object).getBytes(UTF_8));
      int port = ((InetSocketAddress) owner).getPort();
      List<String> endpoints = site.endpoints();
      for (int node = 0; node < endpoints.size(); node++) {
        if (endpoints.get(node).endsWith(":" + port)) {
          return node;
        }
      }
      throw new IllegalStateException(
          "an owner among the nodes is wanted; came %s, of %s".formatted(owner, endpoints));
    }

    @Override
    public void close() {
      client.stop();
      try (RemoteCacheManager patient = OpenStore.client(site, LONGEST_ADMINISTRATION)) {
        patient.administration().removeCache(cache.getName());
      }
    }
  }

  /** At several sites, as an ensemble cache. */
  record OfSites(EnsembleCacheManager manager, String cache) implements ObjectHome {
    private static final Duration LONGEST_RECOVERY = Duration.ofSeconds(30);

    private static OfSites create(
        ObjectRequest request, List<Place> sites, String catalog, String cache) {
      EnsembleCacheManager manager = Federation.builder(sites).catalog(catalog).build();
      try {
        manager.createCache(request.definition(cache, sites.stream().map(Place::name).toList()));
        return new OfSites(manager, cache);
      } catch (RuntimeException e) {
        manager.close();
        throw e;
      }
    }

    @Override
    public long refilled(String site, FormerStore former) {
      return manager.recoverSite(cache, site, LONGEST_RECOVERY, former);
    }

    @Override
    public int owner(String object) {
      throw new IllegalStateException("no site has the one root of an object");
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

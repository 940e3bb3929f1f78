package io.ensemble.check.objects;

import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.check.federation.FederationConnection;
import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.check.trial.KillableClients;
import io.ensemble.objects.store.EnsembleObjectStore;
import io.ensemble.objects.store.HotRodObjectStore;
import io.ensemble.objects.store.ObjectStore;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.configuration.ConfigurationBuilder;
import org.infinispan.client.hotrod.exceptions.HotRodClientException;

/**
 * A store of atomic objects that a client process has opened. {@link #close} also closes its
 * client.
 *
 * @param store the store of the objects
 * @param through the client, closed with this
 */
record ObjectStoreConnection(ObjectStore store, AutoCloseable through) implements AutoCloseable {

  /** Longer than any fault of a whole site, and shorter than the longest start of a client. */
  private static final Duration LONGEST_OPENING = Duration.ofMinutes(1);

  private static final long PAUSE_MILLIS = 200;

  static ObjectStoreConnection of(ObjectClientSpec order) throws InterruptedException {
    return switch (order.store()) {
      case HOTROD -> hotRod(order);
      case ENSEMBLE -> ensemble(order);
      case EMBEDDED -> ClientNode.start(order);
    };
  }

  private static ObjectStoreConnection hotRod(ObjectClientSpec order) throws InterruptedException {
    RemoteCacheManager client = client(order.sites().get(0));
    RemoteCache<byte[], byte[]> cache =
        openWithRetries(() -> client.<byte[], byte[]>getCache(order.cache()), LONGEST_OPENING);
    return new ObjectStoreConnection(
        new HotRodObjectStore(Objects.requireNonNull(cache, "its cache")), client::stop);
  }

  /**
   * Retries while Hot Rod fails: a client process that replaces a killed one may start during a
   * fault of the only site.
   *
   * @param longest after this time the last failure is thrown
   */
  static <T> T openWithRetries(Supplier<T> opening, Duration longest) throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    long begunNanos = System.nanoTime();
    while (true) {
      try {
        return opening.get();
      } catch (HotRodClientException failure) {
        if (System.nanoTime() - begunNanos >= longest.toNanos()) {
          throw failure;
        }
      }
      boolean unused = never.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  /** A client of one site without security. */
  static RemoteCacheManager client(SiteDescriptor site) {
    return new RemoteCacheManager(configuration(site).build());
  }

  /** The same, with {@code longest} as the time-out of each response. */
  static RemoteCacheManager client(SiteDescriptor site, Duration longest) {
    return new RemoteCacheManager(
        configuration(site).socketTimeout(Math.toIntExact(longest.toMillis())).build());
  }

  private static ConfigurationBuilder configuration(SiteDescriptor site) {
    return new ConfigurationBuilder().addServers(String.join(";", site.endpoints()));
  }

  private static ObjectStoreConnection ensemble(ObjectClientSpec order) {
    EnsembleCacheManager manager = manager(order);
    return new ObjectStoreConnection(new EnsembleObjectStore(cache(manager, order)), manager);
  }

  /** A client of the sites, whose local site depends on the number of the process. */
  static EnsembleCacheManager manager(ObjectClientSpec order) {
    List<SiteDescriptor> sites = order.sites();
    return FederationConnection.builder(sites)
        .catalog(order.catalog())
        .localSite(
            sites.get((int) (KillableClients.number(order.firstClient()) % sites.size())).name())
        .build();
  }

  /** The cache of the objects. The client is closed if it does not exist. */
  static EnsembleCache<String, byte[]> cache(EnsembleCacheManager manager, ObjectClientSpec order) {
    EnsembleCache<String, byte[]> cache = manager.getCache(order.cache());
    if (cache == null) {
      manager.close();
      throw new IllegalStateException("the cache does not exist; cache=" + order.cache());
    }
    return cache;
  }

  @Override
  public void close() throws Exception {
    through.close();
  }
}

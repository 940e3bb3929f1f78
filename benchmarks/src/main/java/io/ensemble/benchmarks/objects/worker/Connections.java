package io.ensemble.benchmarks.objects.worker;

import io.ensemble.CacheDefinition;
import io.ensemble.EnsembleCache;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.Mode;
import io.ensemble.benchmarks.etcd.EtcdClient;
import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.store.EnsembleObjectStore;
import io.ensemble.registers.RegisterObjects;
import io.ensemble.site.hotrod.configuration.SiteConfiguration;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.ZooKeeper;
import org.infinispan.client.hotrod.DataFormat;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.configuration.ConfigurationBuilder;
import org.infinispan.commons.configuration.StringConfiguration;
import org.infinispan.commons.dataconversion.MediaType;
import org.infinispan.commons.marshall.IdentityMarshaller;
import org.jspecify.annotations.Nullable;

/**
 * One process's connections, made at their first use: one client of each kind, which all its
 * threads share, as in an application.
 */
final class Connections implements AutoCloseable {

  /** The two ZooKeeper ensembles. */
  enum ZooKeeperStorage {
    /** On a file system in memory, without forcing: as Infinispan stores entries here. */
    MEMORY,
    /** On a disk, each write forced to it before it is acknowledged, as by default. */
    DISK
  }

  private static final String SITE = "lyon";
  private static final String OBJECTS = "objects";
  private static final Duration REGISTER_DEADLINE = Duration.ofSeconds(30);
  private static final String PLAIN =
      """
      <distributed-cache name="plain" mode="SYNC" owners="2">
        <encoding media-type="application/octet-stream"/>
      </distributed-cache>
      """;
  private static final int SESSION_MILLIS = 30_000;
  private static final int CONNECT_MILLIS = 10_000;

  private final WorkerEndpoints workerEndpoints;
  private final Map<ZooKeeperStorage, ZooKeeper> zooKeepers = new EnumMap<>(ZooKeeperStorage.class);
  private final Map<ZooKeeperStorage, CuratorFramework> curators =
      new EnumMap<>(ZooKeeperStorage.class);
  private @Nullable RemoteCacheManager manager;
  private @Nullable EnsembleCacheManager ensemble;
  private @Nullable AtomicObjectFactory objects;
  private @Nullable RemoteCache<byte[], byte[]> plain;
  private @Nullable RegisterObjects registers;
  private @Nullable EtcdClient etcd;

  Connections(WorkerEndpoints workerEndpoints) {
    this.workerEndpoints = workerEndpoints;
  }

  RemoteCacheManager manager() {
    if (manager == null) {
      ConfigurationBuilder builder = new ConfigurationBuilder();
      builder.addServers(workerEndpoints.nodes()).socketTimeout(SESSION_MILLIS);
      manager = new RemoteCacheManager(builder.build());
    }
    return manager;
  }

  /**
   * Objects in an MWMR cache with three replicas, each at one node of the site; in the cache of
   * that name, if it exists.
   */
  AtomicObjectFactory objects() {
    if (objects == null) {
      EnsembleCache<String, byte[]> cache = ensemble().getCache(OBJECTS);
      if (cache == null) {
        cache =
            ensemble().getOrCreateCache(CacheDefinition.of(OBJECTS, Mode.MWMR).sites(SITE).build());
      }
      objects = AtomicObjectFactory.on(new EnsembleObjectStore(cache));
    }
    return objects;
  }

  /** Objects from registers, in another such cache. */
  RegisterObjects registers() {
    if (registers == null) {
      EnsembleCache<String, byte[]> cache =
          ensemble()
              .getOrCreateCache(
                  CacheDefinition.of("registers", Mode.MWMR)
                      .sites(SITE)
                      .deadline(REGISTER_DEADLINE)
                      .build());
      registers = RegisterObjects.in(cache);
    }
    return registers;
  }

  private EnsembleCacheManager ensemble() {
    if (ensemble == null) {
      SiteConfiguration.Builder site = SiteConfiguration.builder(SITE);
      workerEndpoints.addresses().forEach(site::endpoint);
      ensemble =
          EnsembleCacheManager.builder()
              .site(site.build())
              .localSite(SITE)
              .catalog(workerEndpoints.catalog())
              .build();
    }
    return ensemble;
  }

  /** A cache of the cluster with two owners, without transactions, which is the fastest. */
  RemoteCache<byte[], byte[]> plain() {
    if (plain == null) {
      DataFormat bytes =
          DataFormat.builder()
              .keyType(MediaType.APPLICATION_OCTET_STREAM)
              .keyMarshaller(IdentityMarshaller.INSTANCE)
              .valueType(MediaType.APPLICATION_OCTET_STREAM)
              .valueMarshaller(IdentityMarshaller.INSTANCE)
              .build();
      RemoteCache<byte[], byte[]> cache =
          manager().administration().getOrCreateCache("plain", new StringConfiguration(PLAIN));
      plain = cache.withDataFormat(bytes);
    }
    return plain;
  }

  ZooKeeper zooKeeper(ZooKeeperStorage storage) throws IOException {
    ZooKeeper known = zooKeepers.get(storage);
    if (known == null) {
      known = new ZooKeeper(workerEndpoints.servers(storage), SESSION_MILLIS, event -> {});
      zooKeepers.put(storage, known);
    }
    return known;
  }

  CuratorFramework curator(ZooKeeperStorage storage) {
    return curators.computeIfAbsent(
        storage,
        w -> {
          CuratorFramework made =
              CuratorFrameworkFactory.builder()
                  .connectString(workerEndpoints.servers(w))
                  .ensembleTracker(false) // Otherwise it would bypass the relays.
                  .sessionTimeoutMs(SESSION_MILLIS)
                  .connectionTimeoutMs(CONNECT_MILLIS)
                  .retryPolicy(new RetryOneTime(1))
                  .build();
          made.start();
          return made;
        });
  }

  EtcdClient etcd() {
    if (etcd == null) {
      etcd =
          new EtcdClient(
              Objects.requireNonNull(workerEndpoints.etcd(), "the testbed has no etcd servers"));
    }
    return etcd;
  }

  @Override
  public void close() throws InterruptedException {
    if (registers != null) {
      registers.close();
    }
    if (objects != null) {
      objects.close();
    }
    if (ensemble != null) {
      ensemble.close();
    }
    if (etcd != null) {
      etcd.close();
    }
    curators.values().forEach(CuratorFramework::close);
    for (ZooKeeper each : zooKeepers.values()) {
      each.close();
    }
    if (manager != null) {
      manager.close();
    }
  }
}

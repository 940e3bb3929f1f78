package io.ensemble.benchmarks.objects.worker;

import io.ensemble.objects.AtomicObjectFactory;
import io.ensemble.objects.store.HotRodObjectStore;
import io.ensemble.registers.RegisterObjects;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.ZooKeeper;
import org.infinispan.client.hotrod.DataFormat;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.configuration.ConfigurationBuilder;
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

  private static final int SESSION_MILLIS = 30_000;
  private static final int CONNECT_MILLIS = 10_000;

  private final WorkerEndpoints workerEndpoints;
  private final Map<ZooKeeperStorage, ZooKeeper> zooKeepers = new EnumMap<>(ZooKeeperStorage.class);
  private final Map<ZooKeeperStorage, CuratorFramework> curators =
      new EnumMap<>(ZooKeeperStorage.class);
  private @Nullable RemoteCacheManager manager;
  private @Nullable AtomicObjectFactory objects;
  private @Nullable RemoteCache<byte[], byte[]> plain;
  private @Nullable RegisterConnection registers;

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

  AtomicObjectFactory objects() {
    if (objects == null) {
      objects =
          AtomicObjectFactory.on(
              new HotRodObjectStore(HotRodObjectStore.cache(manager(), "objects")));
    }
    return objects;
  }

  RegisterObjects registers() {
    if (registers == null) {
      registers = RegisterConnection.open(workerEndpoints);
    }
    return registers.objects();
  }

  /** A cache with the settings of the objects' cache, for plain entries. */
  RemoteCache<byte[], byte[]> plain() {
    if (plain == null) {
      DataFormat bytes =
          DataFormat.builder()
              .keyType(MediaType.APPLICATION_OCTET_STREAM)
              .keyMarshaller(IdentityMarshaller.INSTANCE)
              .valueType(MediaType.APPLICATION_OCTET_STREAM)
              .valueMarshaller(IdentityMarshaller.INSTANCE)
              .build();
      plain = HotRodObjectStore.cache(manager(), "plain").<byte[], byte[]>withDataFormat(bytes);
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

  @Override
  public void close() throws InterruptedException {
    if (registers != null) {
      registers.close();
    }
    if (objects != null) {
      objects.close();
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

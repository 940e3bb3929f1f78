package io.ensemble.benchmarks.objects.worker;

import io.ensemble.benchmarks.objects.worker.Connections.ZooKeeperStorage;

/** The compared systems, and the start of their clients. */
public enum Contestant {
  /** An atomic object, incremented. */
  OBJECT_COUNTER(
      "atomic object", true, (at, name) -> AtomicObjectClients.counter(at.objects(), name)),
  /** A znode, read where necessary, and set with its version until that succeeds. */
  ZNODE_COUNTER(
      "ZooKeeper, compare-and-set loop, in memory",
      true,
      (at, name) -> ZnodeNumberClient.of(at.zooKeeper(ZooKeeperStorage.MEMORY), name)),
  /** The same, with acknowledged writes on disk. */
  ZNODE_COUNTER_ON_DISK(
      "ZooKeeper, compare-and-set loop, on disk",
      true,
      (at, name) -> ZnodeNumberClient.of(at.zooKeeper(ZooKeeperStorage.DISK), name)),
  /** Curator's recipe on top of that. */
  CURATOR_COUNTER(
      "Curator DistributedAtomicLong, in memory",
      true,
      (at, name) -> CuratorClients.counter(at.curator(ZooKeeperStorage.MEMORY), name)),
  /** A key of etcd, put with its revision until that succeeds. */
  ETCD_COUNTER(
      "etcd, transaction in a loop, in memory",
      true,
      (at, name) -> EtcdNumberClient.of(at.etcd(), name)),
  /** Infinispan's own strong counter. */
  STRONG_COUNTER(
      "Infinispan strong counter",
      true,
      (at, name) -> CacheClients.strongCounter(at.manager(), name)),

  /** An atomic object each, compared and set. */
  OBJECT_REGISTER(
      "atomic object", false, (at, name) -> AtomicObjectClients.register(at.objects(), name)),
  /** A znode each, set with its version. */
  ZNODE_REGISTER(
      "ZooKeeper setData with version, in memory",
      false,
      (at, name) -> ZnodeNumberClient.of(at.zooKeeper(ZooKeeperStorage.MEMORY), name)),
  /** The same on disk. */
  ZNODE_REGISTER_ON_DISK(
      "ZooKeeper setData with version, on disk",
      false,
      (at, name) -> ZnodeNumberClient.of(at.zooKeeper(ZooKeeperStorage.DISK), name)),
  /** A key of etcd each, put with its revision. */
  ETCD_REGISTER(
      "etcd, transaction, in memory", false, (at, name) -> EtcdNumberClient.of(at.etcd(), name)),
  /** An entry each, read and replaced with its version. */
  ENTRY_REGISTER(
      "plain RemoteCache, read and replaceWithVersion",
      false,
      (at, name) -> CacheClients.register(at.plain(), name)),

  /** A read-only method. */
  OBJECT_READ("@ReadOnly call", true, (at, name) -> AtomicObjectClients.read(at.objects(), name)),
  /** The same, sequentially consistent. */
  OBJECT_SEQUENTIAL_READ(
      "@ReadOnly call, sequential",
      true,
      (at, name) -> AtomicObjectClients.sequential(at.objects(), name)),
  /** A get of an entry as large as that object's. */
  ENTRY_READ("plain RemoteCache.get", true, (at, name) -> CacheClients.read(at.plain(), name)),
  /** A read by the server that the client is connected to, of that server's data. */
  ZNODE_READ(
      "ZooKeeper getData (may be old)",
      true,
      (at, name) -> ZnodeNumberClient.reading(at.zooKeeper(ZooKeeperStorage.MEMORY), name)),
  /** A read that a majority of the etcd servers confirms. */
  ETCD_READ(
      "etcd, linearizable read",
      true,
      (at, name) -> EtcdNumberClient.reading(at.etcd(), name, false)),
  /** A read by one etcd server, of that server's data. */
  ETCD_SERIALIZABLE_READ(
      "etcd, serializable read (may be old)",
      true,
      (at, name) -> EtcdNumberClient.reading(at.etcd(), name, true)),

  /** A lock that is an atomic object. */
  OBJECT_LOCK("FencedLock", true, (at, name) -> AtomicObjectClients.lock(at.objects(), name)),
  /** Curator's recipe. */
  CURATOR_LOCK(
      "Curator InterProcessMutex, in memory",
      true,
      (at, name) -> CuratorClients.lock(at.curator(ZooKeeperStorage.MEMORY), name)),
  /** The same on disk. */
  CURATOR_LOCK_ON_DISK(
      "Curator InterProcessMutex, on disk",
      true,
      (at, name) -> CuratorClients.lock(at.curator(ZooKeeperStorage.DISK), name)),

  /** One object from registers, where half of the compare-and-swaps succeed. */
  REGISTER_SWAP_2(
      "object from registers, numbers below 2",
      true,
      (at, name) -> RegisterClients.swap(at.registers(), name, 2)),
  /** The same, where a tenth of them does. */
  REGISTER_SWAP_10(
      "object from registers, numbers below 10",
      true,
      (at, name) -> RegisterClients.swap(at.registers(), name, 10)),
  /** The same, where a hundredth of them does. */
  REGISTER_SWAP_100(
      "object from registers, numbers below 100",
      true,
      (at, name) -> RegisterClients.swap(at.registers(), name, 100)),
  /** An atomic object, with numbers below 10. */
  OBJECT_SWAP_10(
      "atomic object, numbers below 10",
      true,
      (at, name) -> SwapClients.ofObject(at.objects(), name, 10)),
  /** A znode, with numbers below 10. */
  ZNODE_SWAP_10(
      "ZooKeeper getData and setData with version, in memory, numbers below 10",
      true,
      (at, name) -> SwapClients.ofZnode(at.zooKeeper(ZooKeeperStorage.MEMORY), name, 10)),
  /** A lock that is an object from registers. */
  REGISTER_LOCK(
      "lock from registers", true, (at, name) -> RegisterClients.lock(at.registers(), name)),
  /** An object from registers each, compared and swapped. */
  REGISTER_OBJECT(
      "object from registers", false, (at, name) -> RegisterClients.register(at.registers(), name));

  /** Starts a client. */
  interface ClientFactory {
    BenchmarkClient open(Connections at, String name) throws Exception;
  }

  private final String title;
  private final boolean shared;
  private final ClientFactory factory;

  Contestant(String title, boolean shared, ClientFactory factory) {
    this.title = title;
    this.shared = shared;
    this.factory = factory;
  }

  /** The name in results. */
  public String title() {
    return title;
  }

  /** Whether it needs the servers of etcd. */
  public boolean isOnEtcd() {
    return switch (this) {
      case ETCD_COUNTER, ETCD_REGISTER, ETCD_READ, ETCD_SERIALIZABLE_READ -> true;
      default -> false;
    };
  }

  /** Whether all clients use one object; else each has its own. */
  boolean isShared() {
    return shared;
  }

  /** Starts the client of that number. */
  BenchmarkClient open(Connections at, String name, int client) throws Exception {
    return factory.open(at, shared ? name : name + "-" + client);
  }
}

package io.ensemble.objects.store;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.infinispan.AdvancedCache;
import org.infinispan.commands.CommandsFactory;
import org.infinispan.commands.remote.ClusteredGetCommand;
import org.infinispan.container.entries.InternalCacheValue;
import org.infinispan.distribution.DistributionInfo;
import org.infinispan.distribution.DistributionManager;
import org.infinispan.distribution.LocalizedCacheTopology;
import org.infinispan.factories.ComponentRegistry;
import org.infinispan.remoting.responses.ValidResponse;
import org.infinispan.remoting.rpc.RpcManager;
import org.infinispan.remoting.transport.Address;
import org.infinispan.remoting.transport.impl.SingleResponseCollector;
import org.jspecify.annotations.Nullable;

/**
 * Reads from the primary owner of a key. A get of Infinispan would be answered by the nearest
 * owner, which after the death of a node may lack entries of another owner.
 */
final class PrimaryOwners {

  private static final int MOST_REMEMBERED = 4096;

  private final AdvancedCache<String, byte[]> cache;
  private final @Nullable DistributionManager distribution;
  private final Set<String> even = new HashSet<>();
  private int evenIn = -1;

  PrimaryOwners(AdvancedCache<String, byte[]> cache) {
    this.cache = cache;
    this.distribution = cache.getDistributionManager();
  }

  /** The number of the present distribution of keys to nodes. */
  int topology() {
    return distribution == null ? 0 : distribution.getCacheTopology().getTopologyId();
  }

  /** Whether all owners are known to have the same entry under {@code key}. */
  boolean areEven(String key) {
    if (distribution == null) {
      return true;
    }
    synchronized (even) {
      return evenIn == topology() && even.contains(key);
    }
  }

  /**
   * Records that all owners had the same entry under {@code key} in the distribution of that
   * number.
   */
  void even(String key, int topology) {
    synchronized (even) {
      if (evenIn != topology || even.size() >= MOST_REMEMBERED) {
        even.clear();
        evenIn = topology;
      }
      even.add(key);
    }
  }

  /** Blocks; the present transaction holds the lock of the key. */
  byte @Nullable [] read(String key) throws Exception {
    if (distribution == null) {
      return cache.get(key);
    }
    LocalizedCacheTopology topology = distribution.getCacheTopology();
    Object stored = cache.getKeyDataConversion().toStorage(key);
    DistributionInfo info = topology.getDistribution(stored);
    return info.isPrimary()
        ? cache.get(key)
        : ask(info.primary(), stored, info, topology.getTopologyId());
  }

  /**
   * Blocks; the key is not locked. A value that only the primary owner has is not returned: a
   * commit may not have reached the other owners yet, and would be lost if the primary owner died
   * then.
   *
   * @return the entry that all owners have; empty if they differ, as while a step commits
   */
  Optional<Told> readAtAll(String key) throws Exception {
    if (distribution == null) {
      return Optional.of(new Told(cache.get(key)));
    }
    LocalizedCacheTopology topology = distribution.getCacheTopology();
    Object stored = cache.getKeyDataConversion().toStorage(key);
    DistributionInfo info = topology.getDistribution(stored);
    byte[] first = null;
    boolean isFirst = true;
    for (Address owner : info.readOwners()) {
      byte[] found =
          owner.equals(topology.getLocalAddress())
              ? cache.get(key)
              : ask(owner, stored, info, topology.getTopologyId());
      if (!isFirst && !Arrays.equals(first, found)) {
        return Optional.empty();
      }
      first = found;
      isFirst = false;
    }
    if (isFirst) {
      throw new IllegalStateException("no node owns the key at present; topology=" + topology);
    }
    return Optional.of(new Told(first));
  }

  /**
   * The value that was read.
   *
   * @param value null if there is no entry
   */
  record Told(byte @Nullable [] value) {}

  private byte @Nullable [] ask(Address owner, Object stored, DistributionInfo info, int topology)
      throws Exception {
    ClusteredGetCommand command =
        ComponentRegistry.componentOf(cache, CommandsFactory.class)
            .buildClusteredGetCommand(stored, info.segmentId(), 0);
    command.setTopologyId(topology);
    RpcManager remote = cache.getRpcManager();
    ValidResponse<?> response =
        remote.blocking(
            remote.invokeCommand(
                owner,
                command,
                SingleResponseCollector.<Address>validOnly(),
                remote.getSyncRpcOptions()));
    if (!response.isSuccessful()) {
      throw new IllegalStateException(
          "an owner returned no topology; owner=" + owner + " response=" + response);
    }
    InternalCacheValue<?> value = (InternalCacheValue<?>) response.getResponseValue();
    return value == null
        ? null
        : (byte[]) cache.getValueDataConversion().fromStorage(value.getValue());
  }
}

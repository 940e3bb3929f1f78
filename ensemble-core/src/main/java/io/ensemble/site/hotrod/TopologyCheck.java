package io.ensemble.site.hotrod;

import io.ensemble.schedule.Scheduler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.infinispan.client.hotrod.CacheTopologyInfo;
import org.infinispan.client.hotrod.RemoteCache;

/**
 * Counts the nodes that hold a cache, as announced by the site to its clients. Each reading is a
 * read of a key that is never written, because responses bring the topology. A cache that was just
 * created may still be joining, and while a node joins, servers do not announce the topology. So a
 * count may require several readings that agree, and only after 1 s is the topology unknown.
 */
final class TopologyCheck {

  static final int UNKNOWN = -1;

  private static final byte[] NO_KEY = {0};
  private static final long PAUSE_NANOS = 25_000_000;
  private static final int AGREEING = 3;
  private static final int MOST_READINGS = 40;

  private final RemoteCache<byte[], byte[]> cache;
  private final Scheduler scheduler;
  private final int wanted;
  private final CompletableFuture<Integer> result = new CompletableFuture<>();
  private int last = UNKNOWN;
  private int agreeing;
  private int readings;

  private TopologyCheck(RemoteCache<byte[], byte[]> cache, Scheduler scheduler, int wanted) {
    this.cache = cache;
    this.scheduler = scheduler;
    this.wanted = wanted;
  }

  /**
   * The number of nodes when three readings in a row agree, or the last one after 1 s; {@link
   * #UNKNOWN} if the client had received no topology by then.
   */
  static CompletionStage<Integer> settledNodes(
      RemoteCache<byte[], byte[]> cache, Scheduler scheduler) {
    return nodes(cache, scheduler, AGREEING);
  }

  /** The number of nodes by the first reading with a topology; {@link #UNKNOWN} after 1 s. */
  static CompletionStage<Integer> nodes(RemoteCache<byte[], byte[]> cache, Scheduler scheduler) {
    return nodes(cache, scheduler, 1);
  }

  private static CompletionStage<Integer> nodes(
      RemoteCache<byte[], byte[]> cache, Scheduler scheduler, int wanted) {
    TopologyCheck check = new TopologyCheck(cache, scheduler, wanted);
    check.read();
    return check.result;
  }

  /** A reading, whatever its result; fails if the site does not have the cache. */
  static CompletionStage<byte[]> answer(RemoteCache<byte[], byte[]> cache) {
    return cache.getAsync(NO_KEY);
  }

  private int count() {
    CacheTopologyInfo topology = cache.getCacheTopologyInfo();
    boolean known = topology.getTopologyId() != -1 && topology.getNumSegments() != null;
    return known ? topology.getSegmentsPerServer().size() : UNKNOWN;
  }

  private void read() {
    try {
      answer(cache).thenApply(nothing -> count()).whenComplete(this::next);
    } catch (RuntimeException failure) {
      result.completeExceptionally(failure);
    }
  }

  private void next(Integer nodes, Throwable failure) {
    if (failure != null) {
      result.completeExceptionally(failure);
      return;
    }
    agreeing = nodes == last ? agreeing + 1 : 1;
    last = nodes;
    boolean stands = nodes != UNKNOWN && agreeing >= wanted;
    if (stands || ++readings == MOST_READINGS) {
      result.complete(nodes);
      return;
    }
    try {
      scheduler.after(PAUSE_NANOS, this::read);
    } catch (RuntimeException ended) {
      result.completeExceptionally(ended);
    }
  }
}

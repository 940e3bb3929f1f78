package io.ensemble.site.hotrod;

import io.ensemble.schedule.Scheduler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.infinispan.client.hotrod.CacheTopologyInfo;
import org.infinispan.client.hotrod.RemoteCache;

/**
 * Counts the nodes that hold a cache, as the site tells its clients. A cache that was just created
 * may still be joining: the count stands when three readings in a row agree, or after a second.
 * Each reading is a read of a key that nobody writes, for answers bring the topology.
 */
final class TopologyCheck {

  static final int UNKNOWN = -1;

  private static final byte[] NO_KEY = {0};
  private static final long PAUSE_NANOS = 25_000_000;
  private static final int AGREEING = 3;
  private static final int MOST_READINGS = 40;

  private final RemoteCache<byte[], byte[]> cache;
  private final Scheduler scheduler;
  private final CompletableFuture<Integer> result = new CompletableFuture<>();
  private int last = UNKNOWN;
  private int agreeing;
  private int readings;

  private TopologyCheck(RemoteCache<byte[], byte[]> cache, Scheduler scheduler) {
    this.cache = cache;
    this.scheduler = scheduler;
  }

  /** The settled number of nodes, or {@link #UNKNOWN}. */
  static CompletionStage<Integer> settledNodes(
      RemoteCache<byte[], byte[]> cache, Scheduler scheduler) {
    TopologyCheck check = new TopologyCheck(cache, scheduler);
    check.read();
    return check.result;
  }

  /** The number of nodes by a single reading, or {@link #UNKNOWN}. */
  static CompletionStage<Integer> nodes(RemoteCache<byte[], byte[]> cache) {
    return cache.getAsync(NO_KEY).thenApply(nothing -> count(cache.getCacheTopologyInfo()));
  }

  private static int count(CacheTopologyInfo topology) {
    boolean known = topology.getTopologyId() != -1 && topology.getNumSegments() != null;
    return known ? topology.getSegmentsPerServer().size() : UNKNOWN;
  }

  private void read() {
    try {
      nodes(cache).whenComplete(this::next);
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
    if (agreeing == AGREEING || ++readings == MOST_READINGS) {
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

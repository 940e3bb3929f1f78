package io.ensemble.site.hotrod;

import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.client.hotrod.exceptions.TransportException;
import org.infinispan.client.hotrod.impl.InternalRemoteCache;
import org.infinispan.client.hotrod.impl.operations.PingResponse;
import org.jspecify.annotations.Nullable;

/**
 * Asks a site whether it has a store, by a request that names no key and so goes to its nodes in
 * turn, whichever node owns which key. The ping serves two purposes.
 *
 * <p>The ping is safe where other requests are not. A server of 16.0.7 opens its port before its
 * caches run. A request for a key that comes between the definition of a cache and its start begins
 * that start on the thread that reads from the network. A store on disk then waits for that same
 * thread, and the server hangs forever in its start. A ping starts the cache on another thread.
 *
 * <p>The response to a ping also brings the topology, from a node to which perhaps no other request
 * was sent.
 *
 * @param once asks the next node in turn whether it has the store
 * @param nodes the number of nodes in the client's topology
 */
record StorePing(Supplier<? extends CompletionStage<Boolean>> once, IntSupplier nodes) {

  static StorePing of(RemoteCache<?, ?> cache) {
    InternalRemoteCache<?, ?> inside = (InternalRemoteCache<?, ?>) cache;
    return new StorePing(
        () -> inside.ping().thenApply(StorePing::answer), () -> TrackingBalancer.of(cache).nodes());
  }

  private static boolean answer(PingResponse response) {
    if (response.isFailed() && !response.isCacheNotFound()) {
      throw new TransportException("no answer to a ping", null);
    }
    return !response.isCacheNotFound();
  }

  /**
   * Asks node after node until one has the store: a node that has just joined its peers does not
   * have all caches yet. Fails with {@link Reason#STORE_LOST} if the nodes that answer do not have
   * it. Otherwise the call fails as the last node did, perhaps because the store is starting;
   * {@link SiteException#isNotSent()} distinguishes that from a node without a listening process.
   * One round trip where all nodes are available.
   */
  CompletionStage<Void> heard(String site, String store) {
    return heard(site, store, Math.max(1, nodes.getAsInt()), null);
  }

  private CompletionStage<Void> heard(
      String site, String store, int tries, @Nullable SiteException before) {
    return asked()
        .handle(
            (here, failure) -> {
              if (failure == null && here) {
                return CompletableFuture.<Void>completedFuture(null);
              }
              SiteException why = failure == null ? lost(site, store) : why(site, store, failure);
              boolean lostBefore = before != null && before.reason() == Reason.STORE_LOST;
              SiteException told = lostBefore ? before : why;
              return tries > 1
                  ? heard(site, store, tries - 1, told)
                  : CompletableFuture.<Void>failedFuture(told);
            })
        .thenCompose(stage -> stage);
  }

  private CompletionStage<Boolean> asked() {
    try {
      return once.get();
    } catch (RuntimeException failure) {
      return CompletableFuture.failedFuture(failure);
    }
  }

  private static SiteException lost(String site, String store) {
    String detail = "the site does not have the store; store=" + store;
    return new SiteException(site, Reason.STORE_LOST, detail);
  }

  private static SiteException why(String site, String store, Throwable failure) {
    return HotRodExceptionMapper.ofCommand(site, "store=" + store + " request=ping", failure);
  }
}

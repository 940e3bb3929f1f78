package io.ensemble.site.hotrod;

import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets the responses of one node's store count only while they come from the store that was
 * verified. A restarted node has a cache of the same name, empty, and the client reconnects to it
 * silently. The node's responses ("absent", a vote for a key that it has lost) would then be false.
 *
 * <p>A restarted process is reached by another connection. So the store is verified once for each
 * connection, by a <em>marker</em>: an entry that is written into a store when it is created, and
 * that is lost with everything else. A request is sent only if no connection was begun since the
 * marker was seen. Its response counts only if that still holds when the response arrives. The
 * marker is read before a request, never at the same time: a server may answer two requests of one
 * connection in any order.
 *
 * <p>Thread-safe. Costs a round trip, or two, for each connection and nothing for a request.
 */
final class ConnectionFence {

  /** The fence of a store that is verified otherwise, or not at all. */
  static final ConnectionFence NONE =
      new ConnectionFence("", "", () -> 0, () -> CompletableFuture.completedStage(null));

  /** A connection may end while it is verified; after this many attempts the verification fails. */
  private static final int MOST_TRIES = 3;

  private static final long UNVERIFIED = -1;

  private final String site;
  private final String store;
  private final LongSupplier connections;
  private final Supplier<CompletionStage<Void>> marker;

  private volatile long verified = UNVERIFIED;
  private @Nullable CompletableFuture<Long> underWay; // Guarded by this object's lock.

  /**
   * @param connections how many connections to the node were begun so far
   * @param marker reads the marker; fails with {@link Reason#STORE_LOST} if it does not exist
   */
  ConnectionFence(
      String site, String store, LongSupplier connections, Supplier<CompletionStage<Void>> marker) {
    this.site = site;
    this.store = store;
    this.connections = connections;
    this.marker = marker;
  }

  /** The response to {@code request}, which is sent when the store is verified. */
  <T> CompletionStage<T> guarded(Supplier<? extends CompletionStage<T>> request) {
    long now = connections.getAsLong();
    return now == verified
        ? sent(now, request)
        : verify().thenCompose(number -> sent(number, request));
  }

  /** Completes when the store is verified. */
  CompletionStage<Long> verify() {
    CompletableFuture<Long> fresh;
    synchronized (this) {
      if (underWay != null) {
        return underWay;
      }
      fresh = new CompletableFuture<>();
      underWay = fresh;
    }
    look(1)
        .whenComplete(
            (number, failure) -> {
              synchronized (this) {
                underWay = null;
                if (failure == null) {
                  verified = number;
                }
              }
              if (failure == null) {
                fresh.complete(number);
              } else {
                fresh.completeExceptionally(keptBack(failure));
              }
            });
    return fresh;
  }

  private CompletionStage<Long> look(int tried) {
    long before = connections.getAsLong();
    CompletionStage<Void> seen;
    try {
      seen = marker.get();
    } catch (RuntimeException failure) {
      return CompletableFuture.failedStage(failure);
    }
    return seen.thenCompose(
        there -> {
          if (connections.getAsLong() == before) {
            return CompletableFuture.completedStage(before);
          }
          return tried < MOST_TRIES
              ? look(tried + 1)
              : CompletableFuture.<Long>failedStage(
                  new SiteException(
                      site,
                      Reason.UNREACHABLE,
                      "no connection stayed open until the store was verified; store=" + store));
        });
  }

  private <T> CompletionStage<T> sent(long number, Supplier<? extends CompletionStage<T>> request) {
    if (connections.getAsLong() != number) {
      return CompletableFuture.failedStage(
          SiteException.notSent(
              site, Reason.UNREACHABLE, "not sent, the connection was closed; store=" + store));
    }
    return request
        .get()
        .thenApply(
            answer -> {
              if (connections.getAsLong() != number) {
                throw new SiteException(
                    site,
                    Reason.UNREACHABLE,
                    "dropped a response that may belong to another connection; store=" + store);
              }
              return answer;
            });
  }

  /**
   * The failure of a request that waited for the verification and was not sent, whatever its
   * outcome.
   */
  private Throwable keptBack(Throwable failure) {
    SiteException why =
        HotRodExceptionMapper.toSiteException(site, "store=" + store + " request=verify", failure);
    // TIMED_OUT without a request would be taken for a wait in a queue of this process.
    Reason reason = why.reason() == Reason.TIMED_OUT ? Reason.UNREACHABLE : why.reason();
    return SiteException.notSent(
        site, reason, "not sent, the store was not verified: " + why.getMessage(), why);
  }
}

package io.ensemble.site.hotrod;

import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Guards one store's requests while the site may be starting, or may have excluded nodes. After
 * consecutive requests that found no node or no store, the next one waits for a {@link StorePing},
 * which all requests meanwhile share: a request for a key might hang a starting server. After a
 * request without a response in time, a ping is sent concurrently. The node that owns the key may
 * hang, and its peers may have excluded it; a client that requests keys of that node alone would
 * never learn of it. At most one ping is in progress. Thread-safe.
 */
final class StorePingGuard {

  private static final int FAILURES = 2;

  private final Supplier<CompletionStage<Void>> hail;

  private volatile int failures;
  private @Nullable CompletableFuture<Void> underWay; // Guarded by this object's lock.

  /**
   * @param hail succeeds when the site has the store
   */
  StorePingGuard(Supplier<CompletionStage<Void>> hail) {
    this.hail = hail;
  }

  /**
   * Makes {@code request} immediately, or after a ping was answered. If the ping fails, the request
   * was not sent. The failure is then not that of a sent request without a response.
   */
  <T> CompletionStage<T> admitted(Supplier<? extends CompletionStage<T>> request) {
    return failures < FAILURES ? request.get() : hailed().thenCompose(here -> request.get());
  }

  /** Records the outcome of a request; null for a response. */
  void noted(@Nullable Throwable failure) {
    if (failure == null) {
      settled();
      return;
    }
    if (!(failure instanceof SiteException why)) {
      return;
    }
    if (why.reason() == Reason.UNREACHABLE || why.reason() == Reason.STORE_LOST) {
      failed();
    } else if (why.reason() == Reason.TIMED_OUT && !why.isNotSent()) {
      CompletableFuture<Void> unused = hailed();
    }
  }

  private void settled() {
    if (failures > 0) {
      failures = 0;
    }
  }

  private synchronized void failed() {
    failures = Math.min(FAILURES, failures + 1);
  }

  private CompletableFuture<Void> hailed() {
    CompletableFuture<Void> fresh;
    synchronized (this) {
      if (underWay != null) {
        return underWay;
      }
      fresh = new CompletableFuture<>();
      underWay = fresh;
    }
    CompletionStage<Void> answer;
    try {
      answer = hail.get();
    } catch (RuntimeException failure) {
      answer = CompletableFuture.failedFuture(failure);
    }
    answer.whenComplete(
        (here, failure) -> {
          synchronized (this) {
            underWay = null;
          }
          if (failure == null) {
            settled();
            fresh.complete(null);
          } else {
            fresh.completeExceptionally(keptBack(failure));
          }
        });
    return fresh;
  }

  /**
   * The failure of a request that was held back. TIMED_OUT without a request would be taken for a
   * wait in a queue of this process.
   */
  private static Throwable keptBack(Throwable failure) {
    Throwable why = failure instanceof CompletionException ? failure.getCause() : failure;
    if (!(why instanceof SiteException of)) {
      return failure;
    }
    Reason reason = of.reason() == Reason.TIMED_OUT ? Reason.UNREACHABLE : of.reason();
    return SiteException.notSent(
        of.site(), reason, "not sent, a store ping failed: " + of.getMessage(), of);
  }
}

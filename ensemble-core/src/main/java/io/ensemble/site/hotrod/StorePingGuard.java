package io.ensemble.site.hotrod;

import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Whether a site may just be starting, as far as one store's requests tell, or know less of its
 * nodes than others do. Where requests in a row found nobody or no store, the next one waits for a
 * {@link StorePing}, which all that come meanwhile share: a request for a key might hang a server
 * that starts. Where a request got no answer in time, a hail goes out beside: the node that owns
 * the key may hang, its peers have perhaps shut it out, and a client that asks for keys of that
 * node alone would never hear of it. At most one hail is under way. Thread-safe.
 */
final class StorePingGuard {

  private static final int FAILURES = 2;

  private final Supplier<CompletionStage<Void>> hail;

  private volatile int failures;
  private @Nullable CompletableFuture<Void> underWay; // Belongs to this object's lock.

  /**
   * @param hail succeeds when the site has the store
   */
  StorePingGuard(Supplier<CompletionStage<Void>> hail) {
    this.hail = hail;
  }

  /**
   * Makes {@code request} at once, or after a hail was answered. Where that fails the request was
   * not sent, and nobody's silence is taken for a request's that waits for its answer.
   */
  <T> CompletionStage<T> admitted(Supplier<? extends CompletionStage<T>> request) {
    return failures < FAILURES ? request.get() : hailed().thenCompose(here -> request.get());
  }

  /** What became of a request; null for an answer. */
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

  /** Whoever hears of a time that is over without a request takes it for a time in a queue here. */
  private static Throwable keptBack(Throwable failure) {
    Throwable why = failure instanceof CompletionException ? failure.getCause() : failure;
    if (!(why instanceof SiteException of)) {
      return failure;
    }
    Reason reason = of.reason() == Reason.TIMED_OUT ? Reason.UNREACHABLE : of.reason();
    return SiteException.notSent(
        of.site(), reason, "not sent, a hail failed: " + of.getMessage(), of);
  }
}

package io.ensemble.schedule;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Is notified of each request to a site that is made for one call, when it is made: for traces. A
 * {@link Deadline} takes up the listener of the thread that creates it, and carries the listener
 * along. So a request is reported to the listener of its call, whichever thread sends the request.
 * A request shared by many calls, or made at intervals, has no listener. Thread-safe; must neither
 * wait nor throw.
 */
public interface RequestListener {

  /**
   * A request is about to be made, and may first wait for its turn.
   *
   * @param site the site's name
   * @param cache the cache's name; empty if the request concerns no cache
   * @param request the kind of request, as in metrics
   * @param writes whether the request may change data at the site
   * @return the listener for the end of the request, notified once, on any thread
   */
  Told asked(String site, String cache, String request, boolean writes);

  /** Is notified of the end of a request. */
  @FunctionalInterface
  interface Told {

    /**
     * The request has ended.
     *
     * @param failure the failure of its stage; null if the request was answered
     */
    void answered(@Nullable Throwable failure);
  }

  /**
   * A listener that notifies all of these, each once, for a request made for several calls; null
   * for none.
   */
  static @Nullable RequestListener all(List<RequestListener> witnesses) {
    if (witnesses.size() <= 1) {
      return witnesses.isEmpty() ? null : witnesses.get(0);
    }
    return SeveralRequestListeners.of(witnesses);
  }

  /** The listener of the calling thread; null if there is none. */
  static @Nullable RequestListener current() {
    return CurrentRequestListener.CURRENT.get();
  }

  /** Does {@code work} with this as the calling thread's listener. */
  default <T extends @Nullable Object> T within(Supplier<T> work) {
    RequestListener before = CurrentRequestListener.CURRENT.get();
    CurrentRequestListener.CURRENT.set(this);
    try {
      return work.get();
    } finally {
      CurrentRequestListener.restore(before);
    }
  }

  /** Runs {@code work} with this as the calling thread's listener. */
  default void run(Runnable work) {
    RequestListener before = CurrentRequestListener.CURRENT.get();
    CurrentRequestListener.CURRENT.set(this);
    try {
      work.run();
    } finally {
      CurrentRequestListener.restore(before);
    }
  }

  /** {@code work} for another thread, with the calling thread's listener. */
  static Runnable carried(Runnable work) {
    RequestListener mine = current();
    return mine == null ? work : () -> mine.run(work);
  }

  /**
   * {@code work} for whichever thread completes what it waits for, with the calling thread's
   * listener; without any, if the calling thread has none.
   */
  static <T, R> Function<T, R> carried(Function<T, R> work) {
    RequestListener mine = current();
    return argument -> {
      RequestListener before = current();
      CurrentRequestListener.restore(mine);
      try {
        return work.apply(argument);
      } finally {
        CurrentRequestListener.restore(before);
      }
    };
  }

  /** Returns the result of {@code sent} and notifies {@code requestListener} if there is one. */
  static <T> CompletionStage<T> asking(
      @Nullable RequestListener requestListener,
      String site,
      String cache,
      String request,
      boolean writes,
      Supplier<CompletionStage<T>> sent) {
    if (requestListener == null) {
      return sent.get();
    }
    Told told = requestListener.asked(site, cache, request, writes);
    return sent.get().whenComplete((answer, failure) -> told.answered(failure));
  }
}

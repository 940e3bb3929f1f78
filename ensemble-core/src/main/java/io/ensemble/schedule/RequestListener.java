package io.ensemble.schedule;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Hears of each request to a site that is made for one call, as it is made: for traces. It is
 * picked up where a {@link Deadline} is made and goes where that goes, so a request is told to the
 * witness of the call that it is made for, whichever thread sends it; what many calls share, and
 * what is done at intervals, has none. Thread-safe; must neither wait nor throw.
 */
public interface RequestListener {

  /**
   * A request is about to be made, and perhaps to wait for its turn.
   *
   * @param site the site's name
   * @param cache the cache's name; empty if it is about none
   * @param request what it is, as metrics name it
   * @param writes whether it may change something at the site
   * @return told how it ends, once, on any thread
   */
  Told asked(String site, String cache, String request, boolean writes);

  /** Hears how a request ended. */
  @FunctionalInterface
  interface Told {

    /**
     * The request has ended.
     *
     * @param failure what its stage failed with; null if it was answered
     */
    void answered(@Nullable Throwable failure);
  }

  /** One that tells all of them, of a request that is made for several calls; null for none. */
  static @Nullable RequestListener all(List<RequestListener> witnesses) {
    if (witnesses.size() <= 1) {
      return witnesses.isEmpty() ? null : witnesses.get(0);
    }
    return (site, cache, request, writes) -> {
      List<Told> told =
          witnesses.stream()
              .map(requestListener -> requestListener.asked(site, cache, request, writes))
              .toList();
      return failure -> told.forEach(one -> one.answered(failure));
    };
  }

  /** Who wants to hear what the calling thread asks for; null if nobody does. */
  static @Nullable RequestListener current() {
    return CurrentRequestListener.CURRENT.get();
  }

  /** Does {@code work} with this as the calling thread's witness. */
  default <T extends @Nullable Object> T within(Supplier<T> work) {
    RequestListener before = CurrentRequestListener.CURRENT.get();
    CurrentRequestListener.CURRENT.set(this);
    try {
      return work.get();
    } finally {
      CurrentRequestListener.restore(before);
    }
  }

  /** As the other method. */
  default void run(Runnable work) {
    RequestListener before = CurrentRequestListener.CURRENT.get();
    CurrentRequestListener.CURRENT.set(this);
    try {
      work.run();
    } finally {
      CurrentRequestListener.restore(before);
    }
  }

  /** {@code work} as it is to be done elsewhere, with the calling thread's witness. */
  static Runnable carried(Runnable work) {
    RequestListener mine = current();
    return mine == null ? work : () -> mine.run(work);
  }

  /** What {@code sent} makes, told to {@code requestListener} if there is one. */
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

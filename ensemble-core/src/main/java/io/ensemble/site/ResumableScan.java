package io.ensemble.site;

import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore.Scan;
import io.ensemble.site.SiteStore.Scan.Item;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A scan with batches that outlive the calls that request them. A batch that arrives after its
 * caller has timed out goes to the next call, so that a slow site need not begin again each time.
 * But a reply may be lost, or the site's scan may hang. So after two calls have waited for a batch
 * in vain, the batch is abandoned. The third call begins another scan at the site, which frees the
 * site's state of the former one.
 *
 * <p>After an error of the site, the next call begins the scan again. At a store with an entry that
 * the site cannot read, this would repeat forever, because each scan ends at that entry. So after
 * {@link #MOST_ERRORS} scans in a row, none of which came further than one before, the error is
 * permanent. Thread-safe.
 */
final class ResumableScan {

  /** How many calls wait for the same batch. */
  static final int MOST_CALLS = 2;

  /** How many scans may end with an error before one that comes further. */
  static final int MOST_ERRORS = 5;

  private final String site;
  private final String store;
  private final Supplier<Scan> walks;

  // The fields below are guarded by this object's lock.
  private Scan walk;
  private @Nullable CompletableFuture<List<Item>> undelivered;
  private int calls;
  private int batches;
  private int furthest;
  private int errors;
  private @Nullable SiteException last;
  private boolean closed;

  /**
   * @param walks begins another scan at each call
   */
  ResumableScan(String site, String store, Supplier<Scan> walks) {
    this.site = site;
    this.store = store;
    this.walks = walks;
    this.walk = walks.get();
  }

  /**
   * The batch that no call has received yet. The caller that receives it confirms with {@link
   * #delivered}.
   */
  CompletionStage<List<Item>> next(Deadline deadline) {
    Scan former = null;
    CompletableFuture<List<Item>> lost = null;
    CompletableFuture<List<Item>> batch;
    Scan asked = null;
    synchronized (this) {
      if (closed) {
        throw new IllegalStateException("the scan is closed");
      }
      batch = undelivered;
      if (batch != null && !batch.isDone() && calls >= MOST_CALLS) {
        former = walk;
        lost = batch;
        walk = walks.get();
        beginsAgain();
        batch = null;
      }
      if (batch == null || batch.isCompletedExceptionally()) {
        batch = new CompletableFuture<>();
        undelivered = batch;
        calls = 0;
        asked = walk;
      }
      calls++;
    }
    if (lost != null) {
      // First, because the outcome of closing the scan is no response.
      lost.completeExceptionally(timedOut());
    }
    if (former != null) {
      former.close();
    }
    if (asked != null) {
      ask(asked, deadline, batch);
    }
    return batch;
  }

  private void ask(Scan walk, Deadline deadline, CompletableFuture<List<Item>> batch) {
    try {
      walk.next(deadline)
          .whenComplete(
              (items, failure) -> {
                if (failure == null) {
                  batch.complete(items);
                } else {
                  failed(failure, batch);
                  batch.completeExceptionally(failure);
                }
              });
    } catch (RuntimeException failure) {
      failed(failure, batch);
      batch.completeExceptionally(failure);
    }
  }

  private synchronized void failed(Throwable failure, CompletableFuture<List<Item>> batch) {
    if (batch != undelivered || batch.isDone()) {
      return; // A batch of an abandoned scan.
    }
    boolean cameFurther = beginsAgain();
    if (cameFurther) {
      errors = 0;
    }
    if (unwrapped(failure) instanceof SiteException error && error.reason() == Reason.FAILED) {
      errors++;
      last = errors < MOST_ERRORS ? null : error;
    }
  }

  static Throwable unwrapped(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  /** Whether the scan that has ended came further than those before it. */
  private boolean beginsAgain() {
    boolean cameFurther = batches > furthest;
    furthest = Math.max(furthest, batches);
    batches = 0;
    return cameFurther;
  }

  /** The error with which the last scan ended; null while there may be another scan. */
  synchronized @Nullable SiteException end() {
    return last;
  }

  /** Confirms that the caller of {@link #next} has the batch. */
  synchronized List<Item> delivered(List<Item> items) {
    undelivered = null;
    batches++;
    return items;
  }

  /** Adds to a timeout of a sent request which request it was; returns other failures unchanged. */
  SiteException told(SiteException failure) {
    boolean isSilence = failure.reason() == Reason.TIMED_OUT && !failure.isNotSent();
    return isSilence
        ? new SiteException(
            site, Reason.TIMED_OUT, what() + ", last: " + failure.getMessage(), failure)
        : failure;
  }

  private SiteException timedOut() {
    return new SiteException(site, Reason.TIMED_OUT, what() + ", which is now");
  }

  private synchronized String what() {
    return ("no batch was returned; store=%s request=scan batch=%d calls=%d of %d before the scan "
            + "is restarted")
        .formatted(store, batches + 1, calls, MOST_CALLS);
  }

  void close() {
    Scan last;
    synchronized (this) {
      closed = true;
      last = walk;
    }
    last.close();
  }
}

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
 * A walk whose batches outlive the calls that ask for them: one that comes after its caller has
 * gone is the next call's, for a site that takes long need not begin again each time. But a reply
 * may be lost, or the site's walk hang: a batch that two calls have waited for in vain is given up,
 * and the third begins another walk at the site, which frees what it keeps for the former. So no
 * call waits for what two others have given up.
 *
 * <p>A walk that the site ended with an error begins again with the next call, and would do so for
 * ever at a store with an entry that the site cannot read: each time it comes as far as that. After
 * {@link #MOST_ERRORS} walks in a row of which none came further than one before, there is no
 * other, and the error stands. Thread-safe.
 */
final class ResumableScan {

  /** How many calls wait for the same batch. */
  static final int MOST_CALLS = 2;

  /** How many walks may end with an error before one that comes further. */
  static final int MOST_ERRORS = 5;

  private final String site;
  private final String store;
  private final Supplier<Scan> walks;

  // The fields below belong to this object's lock.
  private Scan walk;
  private @Nullable CompletableFuture<List<Item>> undelivered;
  private int calls;
  private int batches;
  private int furthest;
  private int errors;
  private @Nullable SiteException last;
  private boolean closed;

  /**
   * @param walks begins another walk at each call
   */
  ResumableScan(String site, String store, Supplier<Scan> walks) {
    this.site = site;
    this.store = store;
    this.walks = walks;
    this.walk = walks.get();
  }

  /** The batch that nobody has had yet. Whoever gets it says so by {@link #delivered}. */
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
      lost.completeExceptionally(givenUp()); // First: what closing the walk brings is no answer.
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
      return; // Of a walk that was given up.
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

  /** Whether the walk that has ended came further than those before it. */
  private boolean beginsAgain() {
    boolean cameFurther = batches > furthest;
    furthest = Math.max(furthest, batches);
    batches = 0;
    return cameFurther;
  }

  /** The error with which the last walk ended; null while there may be another. */
  synchronized @Nullable SiteException end() {
    return last;
  }

  /** The caller of {@link #next} has it. */
  synchronized List<Item> delivered(List<Item> items) {
    undelivered = null;
    batches++;
    return items;
  }

  /** Says of a request that stayed without an answer which one it was; others as they are. */
  SiteException told(SiteException failure) {
    boolean isSilence = failure.reason() == Reason.TIMED_OUT && !failure.isNotSent();
    return isSilence
        ? new SiteException(
            site, Reason.TIMED_OUT, what() + ", last: " + failure.getMessage(), failure)
        : failure;
  }

  private SiteException givenUp() {
    return new SiteException(site, Reason.TIMED_OUT, what() + ", which is now");
  }

  private synchronized String what() {
    return "no batch came; store=%s request=scan batch=%d calls=%d of %d before it is begun anew"
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

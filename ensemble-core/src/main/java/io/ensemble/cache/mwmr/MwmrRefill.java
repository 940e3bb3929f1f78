package io.ensemble.cache.mwmr;

import io.ensemble.QuorumFailure;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.Payload;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.mwmr.RegisterExecution.Ended;
import io.ensemble.cache.quorum.SiteResponses;
import io.ensemble.cache.quorum.SiteRetry;
import io.ensemble.cache.quorum.StoreWalk;
import io.ensemble.register.Ballot;
import io.ensemble.register.Cell;
import io.ensemble.register.RegisterOutcome;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.site.SiteStore.Scan.Item;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * Fills a site's new store after its former store is gone.
 *
 * <p>The refill first waits as long as a request may take. A fast vote of the lost incarnation
 * counts only if the other votes of its ballot were answered within that time, and so have arrived
 * by then. Then the other sites settle every key that any of them holds, by a classic ballot.
 * Afterwards the content is chosen without the lost site, and no remaining entry version allows an
 * older content to be accepted. The new store begins with that content.
 *
 * <p>One batch of keys is under way at a time, and no key is remembered: the new store shows which
 * keys were already copied.
 */
final class MwmrRefill {

  /** The longest time of a request, and a quarter more for clocks of different speed. */
  static final long WAIT_NANOS =
      RegisterExecution.REQUEST_NANOS + RegisterExecution.REQUEST_NANOS / 4;

  private final EngineContext cache;
  private final SiteStore fresh;
  private final Function<Bytes, CompletionStage<Ended<Payload>>> settle;
  private final Deadline deadline;
  private final SiteRetry siteRetry;
  private final List<StoreHandle> others;
  private final int site;
  private final SiteResponses walks;
  private final AtomicLong copied = new AtomicLong();

  MwmrRefill(
      EngineContext cache,
      String site,
      SiteStore fresh,
      Function<Bytes, CompletionStage<Ended<Payload>>> settle,
      Deadline deadline) {
    this.cache = cache;
    this.fresh = fresh;
    this.settle = settle;
    this.deadline = deadline;
    siteRetry = new SiteRetry(cache.scheduler(), deadline);
    others = cache.stores();
    this.site = cache.definition().sites().indexOf(site);
    walks = new SiteResponses(cache.definition().sites());
    if (this.site >= 0) {
      walks.silent(this.site, new IllegalStateException("the site is being refilled"));
    }
  }

  CompletionStage<Long> run(long waitNanos) {
    long left = Math.max(0, deadline.remainingNanos(cache.scheduler()));
    return pause(Math.min(left, waitNanos))
        .thenCompose(waited -> walk(0, 0))
        .thenCompose(
            sites ->
                sites >= cache.definition().majority()
                    ? CompletableFuture.completedFuture(copied.get())
                    : CompletableFuture.failedFuture(tooFew(walks.shortfall())));
  }

  private CompletionStage<Void> pause(long nanos) {
    CompletableFuture<Void> over = new CompletableFuture<>();
    cache.scheduler().after(nanos, () -> over.complete(null));
    return over;
  }

  private QuorumUnavailableException tooFew(QuorumFailure why) {
    return new QuorumUnavailableException(cache.definition().name(), why);
  }

  /** Scans the other sites; returns how many were scanned to the end. */
  private CompletionStage<Integer> walk(int index, int walked) {
    if (index == others.size()) {
      return CompletableFuture.completedFuture(walked);
    }
    if (index == site) {
      return walk(index + 1, walked);
    }
    return others
        .get(index)
        .store(deadline)
        .thenCompose(
            store ->
                StoreWalk.over(
                    cache.scheduler(),
                    store,
                    StoreWalk.LARGE_BATCH,
                    scan -> siteRetry.of(() -> scan.next(soon())),
                    items -> copy(items, walked > 0).thenApply(done -> true)))
        .handle(
            (done, failure) -> {
              if (failure == null) {
                walks.heard(index);
                return walk(index + 1, walked + 1);
              }
              Throwable why = CompletionCause.of(failure);
              walks.silent(index, new WalkFailedException(why));
              return why instanceof NotCopiedException
                  ? CompletableFuture.<Integer>failedFuture(why.getCause())
                  : walk(index + 1, walked);
            })
        .thenCompose(next -> next);
  }

  /** The scan of another site's store failed; the message names that request. */
  private static final class WalkFailedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    WalkFailedException(Throwable why) {
      super("the scan of its store failed: " + why.getMessage(), why);
    }
  }

  /** A key could not be copied: another scan would not help. */
  private static final class NotCopiedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    NotCopiedException(Throwable cause) {
      super(cause);
    }
  }

  /**
   * Copies the entries of a batch.
   *
   * @param perhapsCopied whether an earlier scan may have copied the same keys
   */
  private CompletionStage<Void> copy(List<Item> items, boolean perhapsCopied) {
    CompletionStage<Void> all = CompletableFuture.completedFuture(null);
    for (Item item : items) {
      CompletionStage<Void> one = perhapsCopied ? copyUnlessThere(item.key()) : copy(item.key());
      all = all.thenCombine(one, (a, b) -> null);
    }
    return all.exceptionallyCompose(
        failure ->
            CompletableFuture.failedFuture(new NotCopiedException(CompletionCause.of(failure))));
  }

  private CompletionStage<Void> copyUnlessThere(Bytes key) {
    return siteRetry
        .of(() -> fresh.read(key, soon()))
        .thenCompose(
            there -> there.isPresent() ? CompletableFuture.completedFuture(null) : copy(key));
  }

  private CompletionStage<Void> copy(Bytes key) {
    return settle
        .apply(key)
        .thenCompose(
            ended -> {
              if (!(ended.outcome() instanceof RegisterOutcome.Done<Payload, Payload> done)) {
                return CompletableFuture.failedFuture(tooFew(ended.answers().shortfall()));
              }
              Ballot ballot = done.ballot();
              Bytes value = CellCodec.encode(new Cell<>(ballot, ballot, ballot, done.content()));
              return siteRetry.of(() -> fresh.putIfAbsent(key, value, soon()));
            })
        .thenAccept(
            stored -> {
              if (stored) {
                copied.incrementAndGet();
              }
            });
  }

  /** The deadline of one request. */
  private Deadline soon() {
    long limit = cache.scheduler().nanos() + RegisterExecution.REQUEST_NANOS;
    return limit - deadline.atNanos() < 0 ? new Deadline(limit) : deadline;
  }
}

package io.ensemble.cache.mwmr;

import io.ensemble.QuorumFailure;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.Payload;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.mwmr.RegisterExecution.ExecutionResult;
import io.ensemble.cache.quorum.SiteResponses;
import io.ensemble.cache.quorum.SiteRetry;
import io.ensemble.cache.quorum.StoreWalk;
import io.ensemble.cache.quorum.VisitedKeys;
import io.ensemble.quorum.Quorum;
import io.ensemble.register.Ballot;
import io.ensemble.register.Cell;
import io.ensemble.register.RefillRule;
import io.ensemble.register.RegisterOutcome;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.site.SiteStore.Scan.Item;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * Fills a site's new store after its former store is gone.
 *
 * <p>The refill first waits as long as a request may take. A fast vote of the lost incarnation
 * counts only if the other votes of its ballot were answered within that time, and so have arrived
 * by then. Then every key that any other site holds is brought to the new store. If the other sites
 * all show the same cell, as {@link RefillRule} requires, the new store begins with that cell: one
 * read at each of the other sites, and one write to the new store. Otherwise the other sites settle
 * the key by a classic ballot. The content is then chosen without the lost site, and the new store
 * begins with it.
 *
 * <p>One batch of keys is under way at a time. A bounded number of keys is recorded, so that the
 * scan of the next site skips them. For a key beyond the bound, the new store shows whether it was
 * already copied.
 */
final class MwmrRefill {

  /** The longest time of a request, and a quarter more for clocks of different speed. */
  static final long WAIT_NANOS =
      RegisterExecution.REQUEST_NANOS + RegisterExecution.REQUEST_NANOS / 4;

  private static final SecureRandom SEEDS = new SecureRandom();

  /** How many keys are recorded: at most 16 MiB. */
  static final int MOST_RECORDED_KEYS = 1 << 19;

  /** After so many failed reads of single keys, all further keys are settled without reads. */
  static final int MOST_FAILED_READS = 8;

  private final EngineContext cache;
  private final SiteStore newStore;
  private final Function<Bytes, CompletionStage<ExecutionResult<Payload>>> keySettler;
  private final Deadline deadline;
  private final SiteRetry siteRetry;
  private final List<StoreHandle> handles;
  private final int site;
  private final SiteResponses responses;
  private final RefillRule refillRule;
  private final VisitedKeys visitedKeys;
  private final AtomicInteger failedReads = new AtomicInteger();
  private final AtomicLong copied = new AtomicLong();

  MwmrRefill(
      EngineContext cache,
      String site,
      SiteStore newStore,
      Function<Bytes, CompletionStage<ExecutionResult<Payload>>> keySettler,
      Deadline deadline,
      int mostRecordedKeys) {
    this.cache = cache;
    this.newStore = newStore;
    this.keySettler = keySettler;
    this.deadline = deadline;
    siteRetry = new SiteRetry(cache.scheduler(), deadline);
    handles = cache.stores();
    this.site = cache.definition().sites().indexOf(site);
    responses = new SiteResponses(cache.definition().sites());
    refillRule = new RefillRule(new Quorum(handles.size()));
    visitedKeys = new VisitedKeys(SEEDS.nextLong(), mostRecordedKeys);
    if (this.site >= 0) {
      responses.silent(this.site, new IllegalStateException("the site is being refilled"));
    }
  }

  CompletionStage<Long> run(long waitNanos) {
    long remainingNanos = Math.max(0, deadline.remainingNanos(cache.scheduler()));
    return pause(Math.min(remainingNanos, waitNanos))
        .thenCompose(waited -> copyFromSites(0, 0))
        .thenCompose(
            sites ->
                sites >= cache.definition().majority()
                    ? CompletableFuture.completedFuture(copied.get())
                    : CompletableFuture.failedFuture(unavailable(responses.shortfall())));
  }

  private CompletionStage<Void> pause(long nanos) {
    CompletableFuture<Void> pauseEnd = new CompletableFuture<>();
    cache.scheduler().after(nanos, () -> pauseEnd.complete(null));
    return pauseEnd;
  }

  private QuorumUnavailableException unavailable(QuorumFailure failure) {
    return new QuorumUnavailableException(cache.definition().name(), failure);
  }

  /** Scans the other sites; returns how many were scanned to the end. */
  private CompletionStage<Integer> copyFromSites(int index, int scannedSites) {
    if (index == handles.size()) {
      return CompletableFuture.completedFuture(scannedSites);
    }
    if (index == site) {
      return copyFromSites(index + 1, scannedSites);
    }
    return handles
        .get(index)
        .store(deadline)
        .thenCompose(
            store ->
                StoreWalk.over(
                    cache.scheduler(),
                    store,
                    StoreWalk.LARGE_BATCH,
                    scan -> siteRetry.of(() -> scan.next(requestDeadline())),
                    items -> copy(items, scannedSites > 0).thenApply(done -> true)))
        .handle(
            (done, failure) -> {
              if (failure == null) {
                responses.heard(index);
                return copyFromSites(index + 1, scannedSites + 1);
              }
              Throwable cause = CompletionCause.of(failure);
              responses.silent(index, new WalkFailedException(cause));
              return cause instanceof NotCopiedException
                  ? CompletableFuture.<Integer>failedFuture(cause.getCause())
                  : copyFromSites(index + 1, scannedSites);
            })
        .thenCompose(next -> next);
  }

  /** The scan of another site's store failed; the message names that request. */
  private static final class WalkFailedException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    WalkFailedException(Throwable cause) {
      super("the scan of its store failed: " + cause.getMessage(), cause);
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
   * Brings the entries of a batch to the new store.
   *
   * @param mayBeCopied whether an earlier scan may have returned the same keys
   */
  private CompletionStage<Void> copy(List<Item> items, boolean mayBeCopied) {
    CompletionStage<Void> all = CompletableFuture.completedFuture(null);
    for (Item item : items) {
      if (visitedKeys.contains(item.key())) {
        continue;
      }
      CompletionStage<Void> copying =
          mayBeCopied && visitedKeys.isFull() ? copyUnlessPresent(item.key()) : copy(item.key());
      visitedKeys.add(item.key());
      all = all.thenCombine(copying, (a, b) -> null);
    }
    return all.exceptionallyCompose(
        failure ->
            CompletableFuture.failedFuture(new NotCopiedException(CompletionCause.of(failure))));
  }

  private CompletionStage<Void> copyUnlessPresent(Bytes key) {
    return siteRetry
        .of(() -> newStore.read(key, requestDeadline()))
        .thenCompose(
            existing -> existing.isPresent() ? CompletableFuture.completedFuture(null) : copy(key));
  }

  private CompletionStage<Void> copy(Bytes key) {
    return readOthers(key)
        .thenApply(refillRule::cellToCopy)
        .thenCompose(
            cell ->
                cell.isPresent()
                    ? store(key, CellCodec.encode(cell.get()))
                    : settle(key).thenCompose(value -> store(key, value)));
  }

  /**
   * The cells of the sites other than the lost one, as far as they could be read. The site that is
   * being scanned is read, too: a scan of a store on disk may return what was just replaced. A
   * failed read is not repeated, because the key can be settled.
   */
  private CompletionStage<List<Cell<Payload>>> readOthers(Bytes key) {
    if (failedReads.get() >= MOST_FAILED_READS) {
      return CompletableFuture.completedFuture(List.of());
    }
    CompletionStage<List<Cell<Payload>>> cells =
        CompletableFuture.completedFuture(new ArrayList<>());
    for (int index = 0; index < handles.size(); index++) {
      if (index != site) {
        CompletionStage<Optional<Bytes>> value =
            handles.get(index).store(requestDeadline()).thenCompose(store -> read(store, key));
        cells = cells.thenCombine(value, MwmrRefill::addCell);
      }
    }
    return cells.exceptionally(
        failure -> {
          failedReads.incrementAndGet();
          return List.of();
        });
  }

  /**
   * The entry of a site. A store on several nodes may return an old one, which only a
   * compare-and-set would show; then the key must be settled.
   */
  private CompletionStage<Optional<Bytes>> read(SiteStore store, Bytes key) {
    return store.isNodeLocal()
        ? store.get(key, requestDeadline())
        : CompletableFuture.failedFuture(
            new IllegalStateException("the store is on several nodes; site=" + store.site()));
  }

  private static List<Cell<Payload>> addCell(List<Cell<Payload>> cells, Optional<Bytes> value) {
    cells.add(value.map(CellCodec::decode).orElseGet(Cell::absent));
    return cells;
  }

  /** Settles a key among the other sites; returns the entry of the new store. */
  private CompletionStage<Bytes> settle(Bytes key) {
    return keySettler
        .apply(key)
        .thenCompose(
            callResult -> {
              if (!(callResult.outcome() instanceof RegisterOutcome.Done<Payload, Payload> done)) {
                return CompletableFuture.failedFuture(
                    unavailable(callResult.answers().shortfall()));
              }
              Ballot ballot = done.ballot();
              return CompletableFuture.completedFuture(
                  CellCodec.encode(new Cell<>(ballot, ballot, ballot, done.content())));
            });
  }

  private CompletionStage<Void> store(Bytes key, Bytes value) {
    return siteRetry
        .of(() -> newStore.putIfAbsent(key, value, requestDeadline()))
        .thenAccept(
            isStored -> {
              if (isStored) {
                copied.incrementAndGet();
              }
            });
  }

  /** The deadline of one request. */
  private Deadline requestDeadline() {
    long limit = cache.scheduler().nanos() + RegisterExecution.REQUEST_NANOS;
    return limit - deadline.atNanos() < 0 ? new Deadline(limit) : deadline;
  }
}

package io.ensemble.cache.swmr.copy;

import io.ensemble.cache.EngineContext;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.quorum.AsyncLoop;
import io.ensemble.cache.quorum.StoreWalk;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.primary.Term;
import io.ensemble.primary.TermLeaseRules;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore.Scan.Item;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * Recovers every key into a term. If a majority holds each current key, the scan covers the primary
 * and so many other sites that the rest is no majority; otherwise it covers all sites. A single
 * batch is under way at a time; a key that appears again is already recovered. Once all keys are
 * recovered, a scan of the primary alone ends the remains there of calls that were recovering a
 * key.
 */
public final class KeyRecovery {

  /** So that one slow key does not end the scan of all keys. */
  private static final int TRIES_OF_A_KEY = 3;

  private final EngineContext cache;
  private final TermLeaseRules termLeaseRules;
  private final Function<Bytes, CompletionStage<Boolean>> recover;
  private final BooleanSupplier isClosed;
  private final AtomicBoolean areAllRecovered = new AtomicBoolean(true);
  private int scannedSites;

  public KeyRecovery(
      EngineContext cache,
      TermLeaseRules termLeaseRules,
      Function<Bytes, CompletionStage<Boolean>> recover,
      BooleanSupplier isClosed) {
    this.cache = cache;
    this.termLeaseRules = termLeaseRules;
    this.recover = recover;
    this.isClosed = isClosed;
  }

  /**
   * Whether every key is recovered; false when too few sites could be scanned, or a key could not
   * be recovered.
   *
   * @param sites how many sites must be scanned to find every key, while the term is not recovered
   *     yet
   */
  public CompletionStage<Boolean> run(Term term, int sites) {
    int requiredSites = term.isRecovered() ? 1 : sites;
    List<StoreHandle> order = new ArrayList<>(cache.stores());
    order.sort((first, second) -> Boolean.compare(isPrimary(second, term), isPrimary(first, term)));
    int[] nextIndex = {0};
    return AsyncLoop.whileTrue(
            cache.scheduler(),
            () -> {
              int index = nextIndex[0]++;
              if (scannedSites == requiredSites
                  || index == order.size()
                  || (index > 0 && scannedSites == 0)) {
                return CompletableFuture.completedFuture(false);
              }
              return recoverSite(order.get(index), term);
            })
        .thenApply(
            done ->
                scannedSites == requiredSites && areAllRecovered.get() && !isClosed.getAsBoolean());
  }

  private static boolean isPrimary(StoreHandle handle, Term term) {
    return handle.site().equals(term.primary());
  }

  private CompletionStage<Boolean> recoverSite(StoreHandle handle, Term term) {
    return handle
        .store(requestDeadline())
        .thenCompose(
            store ->
                StoreWalk.over(
                    cache.scheduler(),
                    store,
                    StoreWalk.LARGE_BATCH,
                    scan -> scan.next(requestDeadline()),
                    items -> recoverKeys(items, term)))
        .handle(
            (done, failure) -> {
              scannedSites += failure == null ? 1 : 0;
              return true;
            });
  }

  private CompletionStage<Boolean> recoverKeys(List<Item> items, Term term) {
    CompletionStage<Boolean> recovered = CompletableFuture.completedFuture(true);
    for (Item item : items) {
      if (!term.isRecovered() || !isSettled(item)) {
        recovered =
            recovered.thenCombine(recoverKey(item.key(), TRIES_OF_A_KEY), Boolean::logicalAnd);
      }
    }
    return recovered.thenApply(
        areRecovered -> {
          if (!areRecovered) {
            areAllRecovered.set(false);
          }
          return areRecovered && !isClosed.getAsBoolean();
        });
  }

  private static boolean isSettled(Item item) {
    try {
      return CopyCodec.decode(item.value()).settled();
    } catch (MalformedEnvelopeException malformed) {
      return false;
    }
  }

  private CompletionStage<Boolean> recoverKey(Bytes key, int tries) {
    return recover
        .apply(key)
        .thenCompose(
            done ->
                done || tries == 1 || isClosed.getAsBoolean()
                    ? CompletableFuture.completedFuture(done)
                    : recoverKey(key, tries - 1));
  }

  private Deadline requestDeadline() {
    return new Deadline(cache.scheduler().nanos() + termLeaseRules.outwaitNanos());
  }
}

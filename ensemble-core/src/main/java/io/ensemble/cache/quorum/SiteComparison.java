package io.ensemble.cache.quorum;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.StoreHandle;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.site.SiteStore.Scan.Item;
import io.ensemble.site.StoredEntry;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiPredicate;
import java.util.function.Function;

/**
 * Compares one site of a strong cache with the others. The comparison scans so many of the others
 * that no majority is left out, and so no acknowledged write. Each key is read at the site itself,
 * and copied there if the site is behind. A single batch of keys is under way at a time, and no key
 * is remembered. Used once.
 */
public final class SiteComparison {

  private static final int AT_ONCE = 64;
  private static final long REQUEST_NANOS = 2_000_000_000;

  /** A failure at the compared site, or in bringing a key to it; no other site caused it. */
  private static final class OfTheSite extends RuntimeException {
    private static final long serialVersionUID = 1L;

    OfTheSite(Throwable cause) {
      super(cause);
    }
  }

  private final EngineContext cache;
  private final int site;
  private final Deadline deadline;
  private final BiPredicate<Item, Optional<StoredEntry>> isBehind;
  private final Function<Bytes, CompletionStage<?>> bring;
  private final SiteRetry siteRetry;
  private final SiteResponses walks;
  private final KeyRateLimiter pace;
  private final AtomicLong differed = new AtomicLong();
  private int walked;

  /**
   * @param site the index of the site in the cache
   * @param isBehind whether the site's entry lacks something that another site's has
   * @param bring brings a key to the site; keys may come in any order
   */
  public SiteComparison(
      EngineContext cache,
      int site,
      int keysPerSecond,
      Deadline deadline,
      BiPredicate<Item, Optional<StoredEntry>> isBehind,
      Function<Bytes, CompletionStage<?>> bring) {
    this.cache = cache;
    this.site = site;
    this.deadline = deadline;
    this.isBehind = isBehind;
    this.bring = bring;
    siteRetry = new SiteRetry(cache.scheduler(), deadline);
    walks = new SiteResponses(cache.definition().sites());
    pace = new KeyRateLimiter(cache.scheduler(), keysPerSecond);
  }

  /**
   * How many keys were behind. Fails with {@link QuorumUnavailableException} when too few of the
   * others could be scanned, with the site's exception, and as bringing a key does.
   */
  public CompletionStage<Long> run() {
    return cache
        .stores()
        .get(site)
        .store(deadline)
        .thenCompose(there -> walk(0, there))
        .thenApply(
            done -> {
              if (walked < enough()) {
                throw new QuorumUnavailableException(cache.definition().name(), walks.shortfall());
              }
              return differed.get();
            });
  }

  private int enough() {
    return cache.stores().size() - cache.definition().majority();
  }

  /** Scans further sites until enough have been scanned. */
  private CompletionStage<Void> walk(int other, SiteStore there) {
    if (walked >= enough() || other == cache.stores().size()) {
      return CompletableFuture.completedFuture(null);
    }
    if (other == site) {
      return walk(other + 1, there);
    }
    return over(cache.stores().get(other), there)
        .handle(
            (done, failure) -> {
              if (failure == null) {
                walks.heard(other);
                walked++;
              } else if (CompletionCause.of(failure) instanceof OfTheSite here) {
                return CompletableFuture.<Void>failedFuture(here.getCause());
              } else {
                walks.silent(other, CompletionCause.of(failure));
              }
              return walk(other + 1, there);
            })
        .thenCompose(next -> next);
  }

  private CompletionStage<Void> over(StoreHandle handle, SiteStore there) {
    return handle
        .store(deadline)
        .thenCompose(
            store ->
                StoreWalk.over(
                    cache.scheduler(),
                    store,
                    AT_ONCE,
                    scan -> siteRetry.of(() -> scan.next(soon())),
                    items ->
                        compared(items, there)
                            .exceptionallyCompose(
                                failure ->
                                    CompletableFuture.failedFuture(
                                        new OfTheSite(CompletionCause.of(failure))))
                            .thenCompose(done -> pace.after(items.size()))
                            .thenApply(done -> true)));
  }

  private CompletionStage<Void> compared(List<Item> items, SiteStore there) {
    CompletionStage<Void> all = CompletableFuture.completedFuture(null);
    for (Item item : items) {
      all = all.thenCombine(compared(item, there), (before, done) -> null);
    }
    return all;
  }

  private CompletionStage<Void> compared(Item item, SiteStore there) {
    return siteRetry
        .of(() -> there.read(item.key(), soon()))
        .thenCompose(
            entry -> {
              if (!isBehind.test(item, entry)) {
                return CompletableFuture.completedFuture(null);
              }
              differed.incrementAndGet();
              return bring.apply(item.key()).thenApply(done -> null);
            });
  }

  private Deadline soon() {
    long limit = cache.scheduler().nanos() + REQUEST_NANOS;
    return limit - deadline.atNanos() < 0 ? deadline.at(limit) : deadline;
  }
}

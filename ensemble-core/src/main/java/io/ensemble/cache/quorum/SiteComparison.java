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
  private static final class ComparedSiteException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ComparedSiteException(Throwable cause) {
      super(cause);
    }
  }

  private final EngineContext cache;
  private final int site;
  private final Deadline deadline;
  private final BiPredicate<Item, Optional<StoredEntry>> isBehind;
  private final Function<Bytes, CompletionStage<?>> keyRepair;
  private final SiteRetry siteRetry;
  private final SiteResponses responses;
  private final KeyRateLimiter rateLimiter;
  private final AtomicLong differingKeys = new AtomicLong();
  private int comparedSites;

  /**
   * @param site the index of the site in the cache
   * @param isBehind whether the site's entry lacks something that another site's has
   * @param keyRepair brings a key to the site; keys may come in any order
   */
  public SiteComparison(
      EngineContext cache,
      int site,
      int keysPerSecond,
      Deadline deadline,
      BiPredicate<Item, Optional<StoredEntry>> isBehind,
      Function<Bytes, CompletionStage<?>> keyRepair) {
    this.cache = cache;
    this.site = site;
    this.deadline = deadline;
    this.isBehind = isBehind;
    this.keyRepair = keyRepair;
    siteRetry = new SiteRetry(cache.scheduler(), deadline);
    responses = new SiteResponses(cache.definition().sites());
    rateLimiter = new KeyRateLimiter(cache.scheduler(), keysPerSecond);
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
        .thenCompose(siteStore -> compareSites(0, siteStore))
        .thenApply(
            done -> {
              if (comparedSites < requiredSites()) {
                throw new QuorumUnavailableException(
                    cache.definition().name(), responses.shortfall());
              }
              return differingKeys.get();
            });
  }

  private int requiredSites() {
    return cache.stores().size() - cache.definition().majority();
  }

  /** Scans further sites until enough have been scanned. */
  private CompletionStage<Void> compareSites(int otherSite, SiteStore siteStore) {
    if (comparedSites >= requiredSites() || otherSite == cache.stores().size()) {
      return CompletableFuture.completedFuture(null);
    }
    if (otherSite == site) {
      return compareSites(otherSite + 1, siteStore);
    }
    return compareWith(cache.stores().get(otherSite), siteStore)
        .handle(
            (done, failure) -> {
              if (failure == null) {
                responses.heard(otherSite);
                comparedSites++;
              } else if (CompletionCause.of(failure) instanceof ComparedSiteException siteFailure) {
                return CompletableFuture.<Void>failedFuture(siteFailure.getCause());
              } else {
                responses.silent(otherSite, CompletionCause.of(failure));
              }
              return compareSites(otherSite + 1, siteStore);
            })
        .thenCompose(next -> next);
  }

  private CompletionStage<Void> compareWith(StoreHandle handle, SiteStore siteStore) {
    return handle
        .store(deadline)
        .thenCompose(
            store ->
                StoreWalk.over(
                    cache.scheduler(),
                    store,
                    AT_ONCE,
                    scan -> siteRetry.of(() -> scan.next(requestDeadline())),
                    items ->
                        compare(items, siteStore)
                            .exceptionallyCompose(
                                failure ->
                                    CompletableFuture.failedFuture(
                                        new ComparedSiteException(CompletionCause.of(failure))))
                            .thenCompose(done -> rateLimiter.after(items.size()))
                            .thenApply(done -> true)));
  }

  private CompletionStage<Void> compare(List<Item> items, SiteStore siteStore) {
    CompletionStage<Void> all = CompletableFuture.completedFuture(null);
    for (Item item : items) {
      all = all.thenCombine(compare(item, siteStore), (before, done) -> null);
    }
    return all;
  }

  private CompletionStage<Void> compare(Item item, SiteStore siteStore) {
    return siteRetry
        .of(() -> siteStore.read(item.key(), requestDeadline()))
        .thenCompose(
            entry -> {
              if (!isBehind.test(item, entry)) {
                return CompletableFuture.completedFuture(null);
              }
              differingKeys.incrementAndGet();
              return keyRepair.apply(item.key()).thenApply(done -> null);
            });
  }

  private Deadline requestDeadline() {
    long limit = cache.scheduler().nanos() + REQUEST_NANOS;
    return limit - deadline.atNanos() < 0 ? deadline.at(limit) : deadline;
  }
}

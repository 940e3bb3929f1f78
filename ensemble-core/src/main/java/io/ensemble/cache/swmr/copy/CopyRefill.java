package io.ensemble.cache.swmr.copy;

import io.ensemble.cache.EngineContext;
import io.ensemble.cache.Payload;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.quorum.SiteRetry;
import io.ensemble.cache.quorum.StoreWalk;
import io.ensemble.envelope.MalformedEnvelopeException;
import io.ensemble.primary.Copy;
import io.ensemble.primary.Term;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.site.SiteStore.Scan.Item;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Fills a site's new store with the primary's copies, in a recovered term that began after the
 * site's former store was gone. A majority of the other sites then holds every current key, and
 * every write of that term and later terms goes to such a majority. So the new store could begin
 * empty, and a missing or outdated copy does no harm. The store is filled so that another site may
 * be lost after this one.
 */
public final class CopyRefill {

  private final EngineContext cache;
  private final SiteStore newStore;
  private final Term term;
  private final Deadline deadline;
  private final SiteRetry siteRetry;
  private final AtomicLong copied = new AtomicLong();

  public CopyRefill(EngineContext cache, SiteStore newStore, Term term, Deadline deadline) {
    this.cache = cache;
    this.newStore = newStore;
    this.term = term;
    this.deadline = deadline;
    siteRetry = new SiteRetry(cache.scheduler(), deadline);
  }

  /** How many copies were stored. */
  public CompletionStage<Long> run() {
    StoreHandle primary =
        cache.stores().stream()
            .filter(handle -> handle.site().equals(term.primary()))
            .findFirst()
            .orElseThrow();
    return siteRetry
        .of(() -> primary.store(deadline))
        .thenCompose(
            store ->
                StoreWalk.over(
                    cache.scheduler(),
                    store,
                    StoreWalk.LARGE_BATCH,
                    scan -> siteRetry.of(() -> scan.next(requestDeadline())),
                    this::copyEntries))
        .thenApply(done -> copied.get());
  }

  private CompletionStage<Boolean> copyEntries(List<Item> items) {
    CompletionStage<Boolean> all = CompletableFuture.completedFuture(true);
    for (Item item : items) {
      all = all.thenCombine(copyEntry(item.key(), item.value()), (before, stored) -> true);
    }
    return all;
  }

  private CompletionStage<Boolean> copyEntry(Bytes key, Bytes value) {
    Copy<Payload> storedCopy;
    try {
      storedCopy = CopyCodec.decode(value);
    } catch (MalformedEnvelopeException malformed) {
      return CompletableFuture.completedFuture(false);
    }
    if (storedCopy.mark().epoch() < term.floor() || !storedCopy.settled()) {
      return CompletableFuture.completedFuture(false); // The copy is void, or may be.
    }
    Copy<Payload> copy =
        new Copy<>(storedCopy.mark(), true, storedCopy.origin(), storedCopy.value());
    return siteRetry
        .of(() -> newStore.putIfAbsent(key, CopyCodec.encode(copy), requestDeadline()))
        .thenApply(stored -> stored && copied.incrementAndGet() > 0);
  }

  private Deadline requestDeadline() {
    long limit = cache.scheduler().nanos() + KeyCall.REQUEST_NANOS;
    return limit - deadline.atNanos() < 0 ? new Deadline(limit) : deadline;
  }
}

package io.ensemble.cache.mwmr;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.cache.OpenCache;
import io.ensemble.cache.Payload;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.mwmr.RegisterCall.Ended;
import io.ensemble.register.Ballot;
import io.ensemble.register.Cell;
import io.ensemble.register.Outcome;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Fills a site's new store after its former one is gone.
 *
 * <p>First it waits as long as a request may take: a fast vote that the lost incarnation cast
 * counts only if the other votes of its ballot were answered within that time, and so have arrived
 * by then. Then every key that any other site holds is settled by a classic ballot among the
 * others, which leaves its content chosen without the lost site, and no entry version by which
 * anything older could still be accepted. That content is what the new store begins with.
 */
final class Refill {

  private static final int BATCH = 64;

  /** What a request may take, and a quarter more for clocks that do not run alike. */
  static final long WAIT_NANOS = RegisterCall.REQUEST_NANOS + RegisterCall.REQUEST_NANOS / 4;

  private final OpenCache cache;
  private final String site;
  private final SiteStore fresh;
  private final Function<Bytes, CompletionStage<Ended<Payload>>> settle;
  private final Deadline deadline;
  private final List<StoreHandle> others = new ArrayList<>();
  private final Set<Bytes> copied = new HashSet<>();

  Refill(
      OpenCache cache,
      String site,
      SiteStore fresh,
      Function<Bytes, CompletionStage<Ended<Payload>>> settle,
      Deadline deadline) {
    this.cache = cache;
    this.site = site;
    this.fresh = fresh;
    this.settle = settle;
    this.deadline = deadline;
    for (StoreHandle handle : cache.stores()) {
      if (!handle.site().equals(site)) {
        others.add(handle);
      }
    }
  }

  CompletionStage<Long> run(long waitNanos) {
    CompletableFuture<Void> waited = new CompletableFuture<>();
    cache.scheduler().after(waitNanos, () -> waited.complete(null));
    CompletionStage<Integer> walked = waited.thenCompose(nothing -> walk(0, 0));
    return walked.thenCompose(
        sites ->
            sites >= cache.definition().majority()
                ? CompletableFuture.completedFuture((long) copied.size())
                : CompletableFuture.failedFuture(tooFew()));
  }

  private QuorumUnavailableException tooFew() {
    return new QuorumUnavailableException(
        cache.definition().name(), new Answers().shortfall(cache.definition().sites()));
  }

  /**
   * Walks over the other sites, from the one given; answers how many could be walked to their ends.
   */
  private CompletionStage<Integer> walk(int index, int walked) {
    if (index == others.size()) {
      return CompletableFuture.completedFuture(walked);
    }
    return others
        .get(index)
        .store(deadline)
        .thenCompose(
            store -> {
              SiteStore.Scan scan = store.scan(BATCH);
              return copyAll(scan).whenComplete((done, failure) -> scan.close());
            })
        .handle((done, failure) -> failure == null ? walked + 1 : walked)
        .thenCompose(count -> walk(index + 1, count));
  }

  private CompletionStage<Void> copyAll(SiteStore.Scan scan) {
    return scan.next(deadline)
        .thenCompose(
            items ->
                items.isEmpty()
                    ? CompletableFuture.completedFuture(null)
                    : copyBatch(items).thenComposeAsync(done -> copyAll(scan), cache.scheduler()));
  }

  private CompletionStage<Void> copyBatch(List<SiteStore.Scan.Item> items) {
    CompletionStage<Void> all = CompletableFuture.completedFuture(null);
    for (SiteStore.Scan.Item item : items) {
      if (copied.add(item.key())) {
        CompletionStage<Void> one = copy(item.key());
        all = all.thenCombine(one, (a, b) -> null);
      }
    }
    return all;
  }

  private CompletionStage<Void> copy(Bytes key) {
    return settle
        .apply(key)
        .thenCompose(
            ended -> {
              if (!(ended.outcome() instanceof Outcome.Done<Payload, Payload> done)) {
                return CompletableFuture.failedFuture(
                    new QuorumUnavailableException(
                        cache.definition().name(),
                        ended.answers().shortfall(cache.definition().sites())));
              }
              Ballot ballot = done.ballot();
              Cell<Payload> cell = new Cell<>(ballot, ballot, ballot, done.content());
              Deadline limit = Deadline.after(cache.definition().deadline(), cache.scheduler());
              return fresh.putIfAbsent(key, CellCodec.encode(cell), limit);
            })
        .thenApply(stored -> null);
  }
}

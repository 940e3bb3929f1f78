package io.ensemble.manager;

import io.ensemble.CacheDefinition;
import io.ensemble.cache.DrainableEngine;
import io.ensemble.cache.DynamicQuorumEngine;
import io.ensemble.cache.PromotableEngine;
import io.ensemble.cache.adapter.CacheInstance;
import io.ensemble.catalog.DefinitionWatch;
import io.ensemble.catalog.SiteHandle;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * A cache that a manager has open.
 *
 * @param watch detects that the cache was deleted or changed
 * @param handles gives its present stores, which differ between configurations
 */
public record ManagedCache(
    DefinitionWatch watch,
    CacheInstance faces,
    Supplier<List<SiteHandle>> handles,
    Scheduler scheduler) {

  /** How long to wait for stores to be opened. */
  public static final Duration SETTLING = Duration.ofSeconds(2);

  /**
   * Checks that {@code site} is a replica of the cache; the only replica at a site has the name of
   * the site.
   *
   * @throws IllegalArgumentException for any other name
   */
  public static void checkSite(CacheDefinition cache, String site) {
    if (!cache.sites().contains(site)) {
      throw new IllegalArgumentException(
          "the cache has no replica at this site; expected one of %s, got '%s'; cache=%s"
              .formatted(cache.sites(), site, cache.name()));
    }
  }

  /** Whether it has the same birth as {@code stored}. */
  public boolean isOf(StoredDefinition stored) {
    return watch.opened().isSameBirth(stored);
  }

  /**
   * The engine of an SWMR cache.
   *
   * @throws UnsupportedOperationException in other modes
   */
  public PromotableEngine promotable() {
    if (faces.engine() instanceof PromotableEngine promotableEngine) {
      return promotableEngine;
    }
    throw new UnsupportedOperationException(
        "only SWMR caches have a primary; cache=%s mode=%s"
            .formatted(faces.definition().name(), faces.definition().mode()));
  }

  /** Closes the cache; calls in progress may still end. */
  void close() {
    watch.close();
    faces.close();
  }

  /**
   * Completes when each store is open or has failed to open, and after {@link #SETTLING} at the
   * latest.
   */
  public CompletionStage<?> whenStoresAreSettled() {
    Deadline deadline = Deadline.after(SETTLING, scheduler);
    CompletableFuture<?>[] settled =
        handles.get().stream()
            .map(handle -> handle.store(deadline).handle((store, failure) -> true))
            .map(CompletionStage::toCompletableFuture)
            .toArray(CompletableFuture<?>[]::new);
    return CompletableFuture.allOf(settled);
  }

  /** Makes the handle of {@code site} use the store that {@code now} names. */
  public void renew(StoredDefinition now, String site) {
    handles.get().stream().filter(handle -> handle.site().equals(site)).forEach(h -> h.renew(now));
  }

  /** Continues with the stores that {@code now} names, among the sites that count in it. */
  public void follow(StoredDefinition now) {
    Runnable renew = () -> handles.get().forEach(handle -> handle.follow(now));
    if (faces.engine() instanceof DynamicQuorumEngine dynamicQuorumEngine
        && faces.isIn(now.configuration())) {
      dynamicQuorumEngine.follow(now.roll(), renew);
    } else {
      renew.run();
    }
  }

  /** Continues with the stores that {@code now} names, if the same sites count in it as before. */
  void followStores(StoredDefinition now) {
    handles.get().forEach(handle -> handle.follow(now));
  }

  /**
   * Completes when all acknowledged writes have reached every site or can no longer do so, and at
   * the deadline.
   */
  CompletionStage<Boolean> drained(Deadline deadline) {
    return faces.engine() instanceof DrainableEngine drainableEngine
        ? drainableEngine.drain(deadline)
        : CompletableFuture.completedFuture(true);
  }
}

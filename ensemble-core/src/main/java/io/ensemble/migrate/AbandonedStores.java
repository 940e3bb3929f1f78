package io.ensemble.migrate;

import io.ensemble.CacheDefinition;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.lease.ReservedKey;
import io.ensemble.cache.migration.KeyMigrator;
import io.ensemble.cache.mwmr.MwmrEngine;
import io.ensemble.cache.mwmr.RegisterEnd;
import io.ensemble.cache.mwmr.SurvivingCells;
import io.ensemble.catalog.SiteHandle;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.change.ObsoleteStore;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.stamp.WriterId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * The stores that a restarted change has abandoned. They served, and so many of them were lost that
 * the rest serves no more. Each store that exists gets an end mark, and its content is read
 * afterwards. A silent site is waited for, because it is not known to have lost its store.
 */
final class AbandonedStores {

  private static final Duration LONGEST = Duration.ofSeconds(10);

  private final MoverContext moverContext;
  private final WriterId writer;
  private final StoredDefinition stored;
  private final CopyProgress copyProgress;
  private final Set<ObsoleteStore> ended = ConcurrentHashMap.newKeySet();

  AbandonedStores(
      MoverContext moverContext,
      WriterId writer,
      StoredDefinition stored,
      CopyProgress copyProgress) {
    this.moverContext = moverContext;
    this.writer = writer;
    this.stored = stored;
    this.copyProgress = copyProgress;
  }

  /**
   * Writes the end mark into each store that exists; fails unless each of the other sites reports
   * that it has none.
   */
  CompletionStage<?> fence() {
    return ChangeExecutor.all(stored.abandoned(), this::fence);
  }

  private CompletionStage<?> fence(ObsoleteStore one) {
    Deadline deadline = soon();
    return open(one)
        .thenCompose(
            store ->
                RegisterEnd.at(
                    store, ReservedKey.END, accepted -> {}, moverContext.scheduler(), deadline))
        .handle(
            (end, failure) -> {
              if (failure == null) {
                return ended.add(one);
              }
              ended.remove(one);
              return isGone(failure);
            });
  }

  /** True if the site reports that it has no such store; fails on every other failure. */
  private static boolean isGone(Throwable failure) {
    Throwable cause = CompletionCause.of(failure);
    if (cause instanceof SiteException why && why.reason() == Reason.STORE_LOST) {
      return true;
    }
    throw cause instanceof RuntimeException known ? known : new IllegalStateException(cause);
  }

  /**
   * Writes the content of the remaining stores into the new stores, where no process has written
   * yet.
   *
   * @return false, and no key was written, if a store exists that has no end mark: it was missing
   *     when the others were ended. Fails with {@link ChangeExecutor.NewStoreLost} when a new store
   *     is lost
   */
  CompletionStage<Boolean> salvage(CopyRateLimiter copyRateLimiter) {
    Map<ObsoleteStore, SiteStore> left = new ConcurrentSkipListMap<>();
    return ChangeExecutor.all(
            stored.abandoned(),
            one ->
                open(one)
                    .handle(
                        (store, failure) -> {
                          if (failure == null) {
                            left.put(one, store);
                            return true;
                          }
                          return isGone(failure);
                        }))
        .thenCompose(
            opened ->
                ended.containsAll(left.keySet())
                    ? salvage(left, copyRateLimiter).thenApply(done -> true)
                    : CompletableFuture.completedFuture(false));
  }

  private CompletionStage<?> salvage(
      Map<ObsoleteStore, SiteStore> left, CopyRateLimiter copyRateLimiter) {
    if (left.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    Map<ObsoleteStore, SiteStore> fresh = new ConcurrentSkipListMap<>();
    return ChangeExecutor.all(
            stored.newStores(),
            one ->
                open(one)
                    .handle(
                        (store, failure) -> {
                          if (failure == null) {
                            return fresh.put(one, store);
                          }
                          throw ChangeExecutor.lost(failure);
                        }))
        .thenCompose(opened -> into(fresh.values(), left, copyRateLimiter));
  }

  private CompletionStage<Void> into(
      Collection<SiteStore> fresh,
      Map<ObsoleteStore, SiteStore> left,
      CopyRateLimiter copyRateLimiter) {
    MwmrEngine registers = registers(fresh);
    return new KeyspaceScan(
            List.of(OpenStoreHandle.stretch(List.copyOf(left.values()))),
            List::of,
            key -> settle(key, left, registers),
            copyProgress,
            copyRateLimiter,
            moverContext.scheduler(),
            writer.low())
        .run()
        .whenComplete((done, failure) -> registers.close());
  }

  private MwmrEngine registers(Collection<SiteStore> fresh) {
    ConfigurationChange change = stored.change().orElseThrow();
    CacheDefinition definition =
        stored.with(Optional.of(change.at(ChangePhase.CUTOVER))).served().definition();
    List<StoreHandle> handles = new ArrayList<>();
    for (String site : definition.sites()) {
      fresh.stream()
          .filter(one -> one.site().equals(site))
          .map(OpenStoreHandle::new)
          .forEach(handles::add);
    }
    return MwmrEngine.openUnswept(
        new EngineContext(
            definition,
            handles,
            Optional.empty(),
            moverContext.scheduler(),
            moverContext.clock(),
            writer,
            CacheMetrics.of(null, definition.name(), definition.mode())));
  }

  private CompletionStage<?> settle(
      Bytes key, Map<ObsoleteStore, SiteStore> left, MwmrEngine registers) {
    if (ReservedKey.isOne(key)) {
      return CompletableFuture.completedFuture(null);
    }
    Deadline deadline = Deadline.after(KeyMigrator.LONGEST, moverContext.scheduler());
    SurvivingCells cells = new SurvivingCells();
    return ChangeExecutor.all(
            left.entrySet(),
            one ->
                one.getValue()
                    .get(key, deadline)
                    .thenAccept(
                        entry ->
                            entry.ifPresent(
                                bytes -> cells.add(stored.number(one.getKey().store()), bytes))))
        .thenCompose(
            read ->
                cells
                    .takeover()
                    .map(last -> registers.takeOver(key, last, deadline))
                    .orElse(CompletableFuture.completedFuture(null)));
  }

  private CompletionStage<SiteStore> open(ObsoleteStore one) {
    return moverContext
        .sites()
        .of(one.site())
        .open(one.store(), SiteHandle.kindOf(stored.change().orElseThrow().to()), soon());
  }

  private Deadline soon() {
    return Deadline.after(LONGEST, moverContext.scheduler());
  }
}

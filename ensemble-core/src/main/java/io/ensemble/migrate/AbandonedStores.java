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
  private final Set<ObsoleteStore> fencedStores = ConcurrentHashMap.newKeySet();

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
    return ChangeExecutor.forEach(stored.abandoned(), this::fence);
  }

  private CompletionStage<?> fence(ObsoleteStore obsoleteStore) {
    Deadline deadline = requestDeadline();
    return open(obsoleteStore)
        .thenCompose(
            store ->
                RegisterEnd.at(
                    store, ReservedKey.END, accepted -> {}, moverContext.scheduler(), deadline))
        .handle(
            (accepted, failure) -> {
              if (failure == null) {
                return fencedStores.add(obsoleteStore);
              }
              fencedStores.remove(obsoleteStore);
              return checkStoreLost(failure);
            });
  }

  /** True if the site reports that it has no such store; fails on every other failure. */
  private static boolean checkStoreLost(Throwable failure) {
    Throwable cause = CompletionCause.of(failure);
    if (cause instanceof SiteException exception && exception.reason() == Reason.STORE_LOST) {
      return true;
    }
    throw cause instanceof RuntimeException exception
        ? exception
        : new IllegalStateException(cause);
  }

  /**
   * Writes the content of the remaining stores into the new stores, where no process has written
   * yet.
   *
   * @return false, and no key was written, if a store exists that has no end mark: it was missing
   *     when the others were ended. Fails with {@link ChangeExecutor.NewStoreLostException} when a
   *     new store is lost
   */
  CompletionStage<Boolean> salvage(CopyRateLimiter copyRateLimiter) {
    Map<ObsoleteStore, SiteStore> openStores = new ConcurrentSkipListMap<>();
    return ChangeExecutor.forEach(
            stored.abandoned(),
            obsoleteStore ->
                open(obsoleteStore)
                    .handle(
                        (store, failure) -> {
                          if (failure == null) {
                            openStores.put(obsoleteStore, store);
                            return true;
                          }
                          return checkStoreLost(failure);
                        }))
        .thenCompose(
            opened ->
                fencedStores.containsAll(openStores.keySet())
                    ? salvage(openStores, copyRateLimiter).thenApply(done -> true)
                    : CompletableFuture.completedFuture(false));
  }

  private CompletionStage<?> salvage(
      Map<ObsoleteStore, SiteStore> openStores, CopyRateLimiter copyRateLimiter) {
    if (openStores.isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    Map<ObsoleteStore, SiteStore> newStores = new ConcurrentSkipListMap<>();
    return ChangeExecutor.forEach(
            stored.newStores(),
            obsoleteStore ->
                open(obsoleteStore)
                    .handle(
                        (store, failure) -> {
                          if (failure == null) {
                            return newStores.put(obsoleteStore, store);
                          }
                          throw ChangeExecutor.toMoverException(failure);
                        }))
        .thenCompose(opened -> copyInto(newStores.values(), openStores, copyRateLimiter));
  }

  private CompletionStage<Void> copyInto(
      Collection<SiteStore> newStores,
      Map<ObsoleteStore, SiteStore> openStores,
      CopyRateLimiter copyRateLimiter) {
    MwmrEngine registers = openRegisters(newStores);
    return new KeyspaceScan(
            List.of(OpenStoreHandle.stretch(List.copyOf(openStores.values()))),
            List::of,
            key -> settleKey(key, openStores, registers),
            copyProgress,
            copyRateLimiter,
            moverContext.scheduler(),
            writer.low())
        .run()
        .whenComplete((done, failure) -> registers.close());
  }

  private MwmrEngine openRegisters(Collection<SiteStore> newStores) {
    ConfigurationChange change = stored.change().orElseThrow();
    CacheDefinition definition =
        stored.with(Optional.of(change.at(ChangePhase.CUTOVER))).served().definition();
    List<StoreHandle> handles = new ArrayList<>();
    for (String site : definition.sites()) {
      newStores.stream()
          .filter(store -> store.site().equals(site))
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

  private CompletionStage<?> settleKey(
      Bytes key, Map<ObsoleteStore, SiteStore> openStores, MwmrEngine registers) {
    if (ReservedKey.isOne(key)) {
      return CompletableFuture.completedFuture(null);
    }
    Deadline deadline = Deadline.after(KeyMigrator.LONGEST, moverContext.scheduler());
    SurvivingCells cells = new SurvivingCells();
    return ChangeExecutor.forEach(
            openStores.entrySet(),
            openEntry ->
                openEntry
                    .getValue()
                    .get(key, deadline)
                    .thenAccept(
                        entry ->
                            entry.ifPresent(
                                bytes ->
                                    cells.add(stored.number(openEntry.getKey().store()), bytes))))
        .thenCompose(
            read ->
                cells
                    .takeover()
                    .map(payload -> registers.takeOver(key, payload, deadline))
                    .orElse(CompletableFuture.completedFuture(null)));
  }

  private CompletionStage<SiteStore> open(ObsoleteStore obsoleteStore) {
    return moverContext
        .sites()
        .of(obsoleteStore.site())
        .open(
            obsoleteStore.store(),
            SiteHandle.kindOf(stored.change().orElseThrow().to()),
            requestDeadline());
  }

  private Deadline requestDeadline() {
    return Deadline.after(LONGEST, moverContext.scheduler());
  }
}

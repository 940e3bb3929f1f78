package io.ensemble.migrate;

import io.ensemble.CacheDefinition;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.Payload;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.lease.ReservedKey;
import io.ensemble.cache.mwmr.MwmrEngine;
import io.ensemble.cache.mwmr.RegisterEnd;
import io.ensemble.cache.swmr.SwmrMigrationSource;
import io.ensemble.cache.weak.entry.EncryptedStore;
import io.ensemble.cache.weak.entry.EntrySeed;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.WriterId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/** The former configurations of each mode, as a mover reads and ends them. */
final class MigrationSources {

  private MigrationSources() {}

  /**
   * The source for {@code stored} until its change is over.
   *
   * @param stores the cache's stores, in the order of its sites
   * @param isMover whether the source may decide to continue without the data that only a silent
   *     primary has. Clients may not: each of them would decide on its own, and settle keys for all
   */
  static MigrationSource of(
      StoredDefinition stored,
      List<StoreHandle> stores,
      Scheduler scheduler,
      HybridClock clock,
      WriterId writer,
      boolean isMover) {
    CacheDefinition definition = stored.definition();
    return switch (definition.mode()) {
      case WEAK ->
          new WeakSource(
              stores,
              carriesSiblings(stored),
              definition.privacy().isPrivate(),
              scheduler,
              clock,
              ConcurrentHashMap.newKeySet());
      case MWMR -> MwmrSource.of(definition, stores, scheduler, clock, writer);
      case SWMR ->
          new SwmrSourceAdapter(
              new SwmrMigrationSource(definition, stores, stored.roll(), scheduler, clock, isMover),
              stores.size(),
              definition.majority(),
              scheduler);
    };
  }

  /** Whether siblings move to the new configuration, all in one entry. */
  static boolean carriesSiblings(StoredDefinition stored) {
    return stored.definition().keepsSiblings()
        && stored.change().filter(change -> change.to().keepsSiblings()).isPresent();
  }

  private static CompletionStage<?> end(
      StoreHandle handle, Scheduler scheduler, Deadline deadline) {
    return handle
        .store(deadline)
        .thenCompose(
            store -> RegisterEnd.at(store, ReservedKey.END, accepted -> {}, scheduler, deadline));
  }

  /** The source of an MWMR cache: a majority decides. */
  private record MwmrSource(
      List<StoreHandle> stores, int sitesToScan, CacheEngine registers, Scheduler scheduler)
      implements MigrationSource {

    static MwmrSource of(
        CacheDefinition definition,
        List<StoreHandle> stores,
        Scheduler scheduler,
        HybridClock clock,
        WriterId writer) {
      CacheMetrics metrics = CacheMetrics.of(null, definition.name(), definition.mode());
      EngineContext cache =
          new EngineContext(
              definition, stores, Optional.empty(), scheduler, clock, writer, metrics);
      return new MwmrSource(
          List.copyOf(stores),
          stores.size() - definition.majority() + 1,
          MwmrEngine.openUnswept(cache),
          scheduler);
    }

    @Override
    public CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline) {
      return registers.read(key, deadline);
    }

    @Override
    public CompletionStage<?> end(int site, Deadline deadline) {
      return MigrationSources.end(stores.get(site), scheduler, deadline);
    }

    @Override
    public boolean acceptLoss(String site) {
      return true;
    }

    @Override
    public void close() {
      registers.close();
    }
  }

  /**
   * The source of a WEAK cache: every site with a store must answer, because a write that one site
   * has acknowledged may exist nowhere else.
   *
   * @param keepsSiblings whether a key's value holds all its siblings
   * @param isPrivate whether an entry that is not encrypted counts as absent
   * @param lostSites the sites with lost stores
   */
  private record WeakSource(
      List<StoreHandle> allStores,
      boolean keepsSiblings,
      boolean isPrivate,
      Scheduler scheduler,
      HybridClock clock,
      Set<String> lostSites)
      implements MigrationSource {

    @Override
    public List<StoreHandle> stores() {
      return allStores.stream().filter(handle -> !lostSites.contains(handle.site())).toList();
    }

    @Override
    public int sitesToScan() {
      return stores().size();
    }

    @Override
    public CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline) {
      CompletionStage<List<Bytes>> values = CompletableFuture.completedFuture(new ArrayList<>());
      for (StoreHandle handle : stores()) {
        CompletionStage<Optional<Bytes>> storedValue =
            handle.store(deadline).thenCompose(store -> store.get(key, deadline));
        values =
            values.thenCombine(
                storedValue,
                (valueList, entry) -> {
                  entry
                      .map(bytes -> isPrivate ? EncryptedStore.shown(bytes) : bytes)
                      .ifPresent(valueList::add);
                  return valueList;
                });
      }
      return values.thenApply(
          valueList ->
              keepsSiblings
                  ? EntrySeed.joined(valueList, clock.physicalMicros())
                  : EntrySeed.newest(valueList, clock.physicalMicros()));
    }

    @Override
    public CompletionStage<?> end(int site, Deadline deadline) {
      return MigrationSources.end(allStores.get(site), scheduler, deadline);
    }

    @Override
    public boolean acceptLoss(String site) {
      lostSites.add(site);
      return true;
    }

    @Override
    public void close() {
      // Nothing is open.
    }
  }
}

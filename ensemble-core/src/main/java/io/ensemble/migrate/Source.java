package io.ensemble.migrate;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.OpenCache;
import io.ensemble.cache.Payload;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.mwmr.MwmrEngine;
import io.ensemble.cache.weak.EntryDraft;
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
import org.jspecify.annotations.Nullable;

/**
 * What a cache holds in its former configuration, read as a client reads it, but without trust: the
 * mover is the one who knows whether the configuration has ended.
 *
 * <p>Of a strong cache a majority tells. Of a WEAK one every site with a store must: a write that
 * one site has acknowledged is nowhere else, perhaps.
 */
final class Source implements AutoCloseable {

  private final Scheduler scheduler;
  private final HybridClock clock;
  private final List<StoreHandle> stores;
  private final Set<String> gone;
  private final boolean weak;
  private final int most;
  private final @Nullable CacheEngine registers;

  /**
   * @param stores the stores that the cache has, in the order of its sites
   * @param gone the sites of a WEAK cache whose stores are gone for good; may grow
   */
  Source(
      CacheDefinition definition,
      List<StoreHandle> stores,
      Set<String> gone,
      Scheduler scheduler,
      HybridClock clock,
      WriterId writer) {
    this.scheduler = scheduler;
    this.clock = clock;
    this.stores = List.copyOf(stores);
    this.gone = gone;
    weak = definition.mode() == Mode.WEAK;
    most = weak ? stores.size() : stores.size() - definition.majority() + 1;
    CacheMetrics none = CacheMetrics.of(null, definition.name(), definition.mode());
    registers =
        weak
            ? null
            : MwmrEngine.openUnswept(
                new OpenCache(
                    definition, stores, Optional.empty(), scheduler, clock, writer, none));
  }

  /** The stores of which some must be walked over. */
  List<StoreHandle> stores() {
    return weak ? stores.stream().filter(one -> !gone.contains(one.site())).toList() : stores;
  }

  /** How many of them, so that no key is missed. */
  int toWalk() {
    return Math.min(most, stores().size());
  }

  /** The live value of a key. */
  CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline) {
    return registers == null ? newest(key, deadline) : registers.read(key, deadline);
  }

  private CompletionStage<Optional<Payload>> newest(Bytes key, Deadline deadline) {
    CompletionStage<List<Bytes>> all = CompletableFuture.completedFuture(new ArrayList<>());
    for (StoreHandle handle : stores()) {
      CompletionStage<Optional<Bytes>> found =
          handle.store(deadline).thenCompose(store -> store.get(key, deadline));
      all =
          all.thenCombine(
              found,
              (list, entry) -> {
                entry.ifPresent(list::add);
                return list;
              });
    }
    return all.thenApply(list -> EntryDraft.newest(list, clock.physicalMicros()));
  }

  @Override
  public void close() {
    if (registers != null) {
      registers.close();
    }
  }

  Scheduler scheduler() {
    return scheduler;
  }
}

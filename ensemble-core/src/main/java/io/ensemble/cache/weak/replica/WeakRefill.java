package io.ensemble.cache.weak.replica;

import io.ensemble.cache.weak.entry.StampedEntry;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.site.SiteStore.Scan.Item;
import io.ensemble.site.StoredEntry;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Fills the new store of a site that lost its memory from every other site, because each may have
 * entries that the others lack. Tombstones are copied too.
 */
public final class WeakRefill {

  private final WeakContext context;
  private final SiteStore newStore;
  private final BooleanSupplier closed;
  private final AntiEntropyProgress antiEntropyProgress = new AntiEntropyProgress();
  private boolean isFirst = true;

  public WeakRefill(WeakContext context, SiteStore newStore, BooleanSupplier closed) {
    this.context = context;
    this.newStore = newStore;
    this.closed = closed;
  }

  public CompletionStage<AntiEntropyReport> from(List<WeakSite> sources) {
    long beganNanos = context.scheduler().nanos();
    return StageLoops.each(sources, 1, this::from)
        .thenApply(done -> antiEntropyProgress.report(context.scheduler().nanos() - beganNanos));
  }

  private CompletionStage<@Nullable Void> from(WeakSite source) {
    // The first source's entries are mostly new to the store, those of the next ones mostly
    // present.
    boolean isStoreEmpty = isFirst;
    isFirst = false;
    return source
        .open(context.copyDeadline())
        .thenCompose(store -> context.walk(store, closed, items -> copy(items, isStoreEmpty)))
        .handle(
            (done, failure) -> {
              if (failure != null) {
                antiEntropyProgress.recordFailure(source.name(), failure);
              }
              return null;
            });
  }

  private CompletionStage<Void> copy(List<Item> items, boolean isStoreEmpty) {
    antiEntropyProgress.scanned.add(items.size());
    return StageLoops.each(
        items,
        context.options().comparison().width(),
        item -> copy(item.key(), StampedEntry.of(item.value()), isStoreEmpty));
  }

  private CompletionStage<@Nullable Void> copy(
      Bytes key, StampedEntry entry, boolean isStoreEmpty) {
    CompletionStage<Boolean> copied =
        context.retryRequest(
            () -> {
              CompletionStage<Optional<StoredEntry>> existing =
                  isStoreEmpty
                      ? CompletableFuture.completedFuture(Optional.empty())
                      : newStore.read(key, context.copyDeadline());
              return existing.thenCompose(
                  storedEntry ->
                      CasMerge.at(
                          context, newStore, key, entry, storedEntry, context::copyDeadline));
            });
    return copied.handle(
        (isWritten, failure) -> {
          if (failure != null) {
            antiEntropyProgress.recordFailure(newStore.site(), failure);
          } else if (isWritten) {
            antiEntropyProgress.copied.increment();
          }
          return null;
        });
  }
}

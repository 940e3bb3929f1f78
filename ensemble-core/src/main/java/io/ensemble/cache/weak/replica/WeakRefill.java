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
  private final SiteStore fresh;
  private final BooleanSupplier closed;
  private final AntiEntropyProgress antiEntropyProgress = new AntiEntropyProgress();
  private boolean first = true;

  public WeakRefill(WeakContext context, SiteStore fresh, BooleanSupplier closed) {
    this.context = context;
    this.fresh = fresh;
    this.closed = closed;
  }

  public CompletionStage<AntiEntropyReport> from(List<WeakSite> sources) {
    long since = context.scheduler().nanos();
    return StageLoops.each(sources, 1, this::from)
        .thenApply(done -> antiEntropyProgress.report(context.scheduler().nanos() - since));
  }

  private CompletionStage<@Nullable Void> from(WeakSite source) {
    // The first source's entries are mostly new to the store, those of the next ones mostly
    // present.
    boolean expectNothing = first;
    first = false;
    return source
        .open(context.unhurried())
        .thenCompose(store -> context.walk(store, closed, items -> copy(items, expectNothing)))
        .handle(
            (done, failure) -> {
              if (failure != null) {
                antiEntropyProgress.lost(source.name(), failure);
              }
              return null;
            });
  }

  private CompletionStage<Void> copy(List<Item> items, boolean expectNothing) {
    antiEntropyProgress.scanned.add(items.size());
    return StageLoops.each(
        items,
        context.options().comparison().width(),
        item -> copy(item.key(), StampedEntry.of(item.value()), expectNothing));
  }

  private CompletionStage<@Nullable Void> copy(
      Bytes key, StampedEntry entry, boolean expectNothing) {
    CompletionStage<Boolean> copied =
        context.persist(
            () -> {
              CompletionStage<Optional<StoredEntry>> there =
                  expectNothing
                      ? CompletableFuture.completedFuture(Optional.empty())
                      : fresh.read(key, context.unhurried());
              return there.thenCompose(
                  found -> CasMerge.at(context, fresh, key, entry, found, context::unhurried));
            });
    return copied.handle(
        (wrote, failure) -> {
          if (failure != null) {
            antiEntropyProgress.lost(fresh.site(), failure);
          } else if (wrote) {
            antiEntropyProgress.copied.increment();
          }
          return null;
        });
  }
}

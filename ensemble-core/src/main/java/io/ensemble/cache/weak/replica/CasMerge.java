package io.ensemble.cache.weak.replica;

import io.ensemble.cache.weak.entry.EntryMerge;
import io.ensemble.cache.weak.entry.StampedEntry;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoredEntry;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Writes the {@link EntryMerge} of an entry and the present entry, unless it equals the present
 * entry. By compare-and-set, because a comparison is not urgent.
 */
public final class CasMerge {

  /**
   * If the compare-and-set fails this often, other processes are writing the key; a later
   * comparison will look again.
   */
  private static final int MOST_TURNS = 8;

  private CasMerge() {}

  /**
   * Begins with the entry {@code storedEntry}, which may be out of date.
   *
   * @return whether something was written
   */
  public static CompletionStage<Boolean> at(
      WeakContext context,
      SiteStore store,
      Bytes key,
      StampedEntry entry,
      Optional<StoredEntry> storedEntry,
      Supplier<Deadline> deadline) {
    MergeLoop merge = new MergeLoop(context, store, key, entry, deadline, storedEntry);
    return StageLoops.whileTrue(merge::next).thenApply(done -> merge.isWritten);
  }

  /**
   * Brings {@code entry} to a site as the cache's {@link EntryMerge} permits: by {@link
   * LastWriterPut}, or by compare-and-set where no value may be displaced. The site then holds the
   * entry, whatever else it holds.
   */
  public static CompletionStage<LastWriterPut.Result> orSwap(
      WeakContext context,
      SiteStore store,
      Bytes key,
      StampedEntry entry,
      Deadline deadline,
      Consumer<StampedEntry> onPutBack) {
    return context.entryMerge().usesSwap()
        ? LastWriterPut.into(store, key, entry, deadline, onPutBack)
        : into(context, store, key, entry, deadline);
  }

  /** Reads what the site has, and merges {@code entry} into it: displaces nothing unseen. */
  static CompletionStage<LastWriterPut.Result> into(
      WeakContext context, SiteStore store, Bytes key, StampedEntry entry, Deadline deadline) {
    return store
        .read(key, deadline)
        .thenCompose(storedEntry -> at(context, store, key, entry, storedEntry, () -> deadline))
        .thenApply(isWritten -> LastWriterPut.Result.STANDS);
  }

  private static final class MergeLoop {

    private final WeakContext context;
    private final SiteStore store;
    private final Bytes key;
    private final StampedEntry entry;
    private final Supplier<Deadline> deadline;
    private Optional<StoredEntry> storedEntry;
    private int attempts;
    private boolean isWritten;

    MergeLoop(
        WeakContext context,
        SiteStore store,
        Bytes key,
        StampedEntry entry,
        Supplier<Deadline> deadline,
        Optional<StoredEntry> storedEntry) {
      this.context = context;
      this.store = store;
      this.key = key;
      this.entry = entry;
      this.deadline = deadline;
      this.storedEntry = storedEntry;
    }

    CompletionStage<Boolean> next() {
      StampedEntry existing =
          storedEntry.map(StoredEntry::value).map(StampedEntry::of).orElse(null);
      StampedEntry merged = context.entryMerge().mergeInto(existing, entry);
      if (merged == existing) {
        context.stamps().observe(existing.stamp());
        return CompletableFuture.completedFuture(false);
      }
      if (attempts++ >= MOST_TURNS) {
        throw new IllegalStateException("the entry changed at each attempt; key=" + key);
      }
      int dropped = context.entryMerge().countDropped(existing, entry);
      return compareAndSet(merged)
          .whenComplete(
              (isSwapped, failure) -> {
                if (failure != null || isSwapped) { // Without a response it may be done.
                  context.drops().recordDropped(store.site(), key, dropped);
                }
              })
          .thenCompose(
              isSwapped -> {
                isWritten = isSwapped;
                return isSwapped
                    ? CompletableFuture.completedFuture(false)
                    : store.read(key, deadline.get()).thenApply(this::retryWith);
              });
    }

    private CompletionStage<Boolean> compareAndSet(StampedEntry merged) {
      return storedEntry.isEmpty()
          ? store.putIfAbsent(key, merged.stored(), deadline.get())
          : store.replace(key, storedEntry.get().version(), merged.stored(), deadline.get());
    }

    private boolean retryWith(Optional<StoredEntry> newEntry) {
      storedEntry = newEntry;
      return true;
    }
  }
}

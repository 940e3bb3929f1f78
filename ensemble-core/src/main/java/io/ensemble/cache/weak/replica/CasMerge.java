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
   * Begins with the entry {@code found}, which may be out of date.
   *
   * @return whether something was written
   */
  public static CompletionStage<Boolean> at(
      WeakContext context,
      SiteStore store,
      Bytes key,
      StampedEntry entry,
      Optional<StoredEntry> found,
      Supplier<Deadline> deadline) {
    Turns turns = new Turns(context, store, key, entry, deadline, found);
    return StageLoops.whileTrue(turns::next).thenApply(done -> turns.wrote);
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
    return context.union().swaps()
        ? LastWriterPut.into(store, key, entry, deadline, onPutBack)
        : store
            .read(key, deadline)
            .thenCompose(found -> at(context, store, key, entry, found, () -> deadline))
            .thenApply(wrote -> LastWriterPut.Result.STANDS);
  }

  private static final class Turns {

    private final WeakContext context;
    private final SiteStore store;
    private final Bytes key;
    private final StampedEntry entry;
    private final Supplier<Deadline> deadline;
    private Optional<StoredEntry> found;
    private int turn;
    private boolean wrote;

    Turns(
        WeakContext context,
        SiteStore store,
        Bytes key,
        StampedEntry entry,
        Supplier<Deadline> deadline,
        Optional<StoredEntry> found) {
      this.context = context;
      this.store = store;
      this.key = key;
      this.entry = entry;
      this.deadline = deadline;
      this.found = found;
    }

    CompletionStage<Boolean> next() {
      StampedEntry there = found.map(StoredEntry::value).map(StampedEntry::of).orElse(null);
      StampedEntry wanted = context.union().stored(there, entry);
      if (wanted == there) {
        return CompletableFuture.completedFuture(false);
      }
      if (turn++ >= MOST_TURNS) {
        throw new IllegalStateException("the entry changed at each attempt; key=" + key);
      }
      int dropped = context.union().dropped(there, entry);
      return compareAndSet(wanted)
          .whenComplete(
              (won, failure) -> {
                if (failure != null || won) { // Without a response it may be done.
                  context.drops().at(store.site(), key, dropped);
                }
              })
          .thenCompose(
              won -> {
                wrote = won;
                return won
                    ? CompletableFuture.completedFuture(false)
                    : store.read(key, deadline.get()).thenApply(this::again);
              });
    }

    private CompletionStage<Boolean> compareAndSet(StampedEntry wanted) {
      return found.isEmpty()
          ? store.putIfAbsent(key, wanted.stored(), deadline.get())
          : store.replace(key, found.get().version(), wanted.stored(), deadline.get());
    }

    private boolean again(Optional<StoredEntry> now) {
      found = now;
      return true;
    }
  }
}

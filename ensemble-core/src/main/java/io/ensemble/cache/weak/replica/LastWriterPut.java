package io.ensemble.cache.weak.replica;

import io.ensemble.cache.weak.entry.StampedEntry;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes one entry at one site so that the highest stamp stays, in whatever order writes arrive.
 *
 * <p>The site swaps atomically. So the highest of all entries written to a key is either stored, or
 * held by the writer that swapped it out, which puts it back. The stamp of the entry put back rises
 * with each step; when no writer holds an entry, the site has the highest. The cost is one request
 * when there was no newer entry. While a newer entry is on its way back, a reader may see the older
 * entry.
 */
public final class LastWriterPut {

  /**
   * Steps rise through the stamps of concurrent writers; more steps than this indicate a defect.
   */
  private static final int MOST_STEPS = 32;

  /**
   * How a write at a site ended.
   *
   * @param newer the highest entry that was there instead; null when this write's was the highest
   * @param restored whether {@code newer} is stored again; if not, only this process still holds it
   */
  public record Result(@Nullable StampedEntry newer, boolean restored) {

    public static final Result STANDS = new Result(null, true);
  }

  private LastWriterPut() {}

  /**
   * Fails when the first request does; the failure then says whether the request may have taken
   * effect.
   *
   * @param onPutBack receives each entry that is about to be put back
   */
  static CompletionStage<Result> into(
      SiteStore store,
      Bytes key,
      StampedEntry entry,
      Deadline deadline,
      Consumer<StampedEntry> onPutBack) {
    return store
        .getAndPut(key, entry.stored(), deadline)
        .thenCompose(
            previous -> {
              StampedEntry newerEntry = previous.map(StampedEntry::of).orElse(entry);
              return newerEntry.isNewerThan(entry)
                  ? putBack(store, key, newerEntry, deadline, onPutBack)
                  : CompletableFuture.completedFuture(Result.STANDS);
            });
  }

  private static CompletionStage<Result> putBack(
      SiteStore store,
      Bytes key,
      StampedEntry newerEntry,
      Deadline deadline,
      Consumer<StampedEntry> onPutBack) {
    StampedEntry[] latest = {newerEntry};
    int[] attempts = {0};
    return StageLoops.whileTrue(
            () -> {
              StampedEntry newest = latest[0];
              if (++attempts[0] > MOST_STEPS) {
                throw new IllegalStateException(
                    "the entry received a newer stamp at each attempt; key=" + key);
              }
              onPutBack.accept(newest);
              return store
                  .getAndPut(key, newest.stored(), deadline)
                  .thenApply(
                      previous -> {
                        StampedEntry displaced = previous.map(StampedEntry::of).orElse(newest);
                        boolean isNewer = displaced.isNewerThan(newest);
                        latest[0] = isNewer ? displaced : newest;
                        return isNewer;
                      });
            })
        .handle((done, failure) -> new Result(latest[0], failure == null));
  }
}

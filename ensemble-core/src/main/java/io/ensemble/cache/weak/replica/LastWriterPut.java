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
 * Writes one entry at one site so that the highest stamp stays, whatever order writes arrive in.
 *
 * <p>The site swaps atomically, so of all entries written to a key the highest is always either
 * stored or in the hands of the one who swapped it out, who puts it back. What is put back rises
 * with each step; when nobody holds anything, the site has the highest. One request when nothing
 * newer was there. While something newer is on its way back, a reader may see the older entry.
 */
public final class LastWriterPut {

  /** Steps rise through the stamps of concurrent writers; beyond this many something is wrong. */
  private static final int MOST_STEPS = 32;

  /**
   * How a write at a site ended.
   *
   * @param newer the highest entry that was there instead; null when ours was the highest
   * @param restored whether {@code newer} is back in its place; if not, only we still hold it
   */
  public record Result(@Nullable StampedEntry newer, boolean restored) {

    public static final Result STANDS = new Result(null, true);
  }

  private LastWriterPut() {}

  /**
   * Fails when the first request does; then its fate is as the failure says.
   *
   * @param onPutBack told of each entry that is about to be put back
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
              StampedEntry found = previous.map(StampedEntry::of).orElse(entry);
              return found.isNewerThan(entry)
                  ? putBack(store, key, found, deadline, onPutBack)
                  : CompletableFuture.completedFuture(Result.STANDS);
            });
  }

  private static CompletionStage<Result> putBack(
      SiteStore store,
      Bytes key,
      StampedEntry found,
      Deadline deadline,
      Consumer<StampedEntry> onPutBack) {
    StampedEntry[] hand = {found};
    int[] steps = {0};
    return StageLoops.whileTrue(
            () -> {
              StampedEntry back = hand[0];
              if (++steps[0] > MOST_STEPS) {
                throw new IllegalStateException("entries kept rising; key=" + key);
              }
              onPutBack.accept(back);
              return store
                  .getAndPut(key, back.stored(), deadline)
                  .thenApply(
                      previous -> {
                        StampedEntry displaced = previous.map(StampedEntry::of).orElse(back);
                        boolean again = displaced.isNewerThan(back);
                        hand[0] = again ? displaced : back;
                        return again;
                      });
            })
        .handle((done, failure) -> new Result(hand[0], failure == null));
  }
}

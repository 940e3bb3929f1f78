package io.ensemble.cache.weak;

import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoredEntry;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Writes an entry over an older one, or where there is none, never over a newer one: by
 * compare-and-set, as a comparison has all the time that it needs.
 */
final class Raise {

  /** Whoever wins against us this often is writing; a later comparison will look again. */
  private static final int MOST_TURNS = 8;

  private Raise() {}

  /**
   * Raises from what was {@code found}, which may be out of date.
   *
   * @return whether something was written
   */
  static CompletionStage<Boolean> at(
      SiteStore store,
      Bytes key,
      Held entry,
      Optional<StoredEntry> found,
      Supplier<Deadline> deadline) {
    Turns turns = new Turns(store, key, entry, deadline, found);
    return Async.whileTrue(turns::next).thenApply(done -> turns.wrote);
  }

  private static final class Turns {

    private final SiteStore store;
    private final Bytes key;
    private final Held entry;
    private final Supplier<Deadline> deadline;
    private Optional<StoredEntry> found;
    private int turn;
    private boolean wrote;

    Turns(
        SiteStore store,
        Bytes key,
        Held entry,
        Supplier<Deadline> deadline,
        Optional<StoredEntry> found) {
      this.store = store;
      this.key = key;
      this.entry = entry;
      this.deadline = deadline;
      this.found = found;
    }

    CompletionStage<Boolean> next() {
      if (found.isPresent() && !entry.isNewerThan(Held.of(found.get().value()))) {
        return CompletableFuture.completedFuture(false);
      }
      if (turn++ >= MOST_TURNS) {
        throw new IllegalStateException("the entry kept changing; key=" + key);
      }
      return compareAndSet()
          .thenCompose(
              won -> {
                wrote = won;
                return won
                    ? CompletableFuture.completedFuture(false)
                    : store.read(key, deadline.get()).thenApply(this::again);
              });
    }

    private CompletionStage<Boolean> compareAndSet() {
      return found.isEmpty()
          ? store.putIfAbsent(key, entry.stored(), deadline.get())
          : store.replace(key, found.get().version(), entry.stored(), deadline.get());
    }

    private boolean again(Optional<StoredEntry> now) {
      found = now;
      return true;
    }
  }
}

package io.ensemble.migrate;

import io.ensemble.cache.Payload;
import io.ensemble.cache.quorum.AsyncLoop;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoredEntry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Brings keys in every new store to the state that the cache holds. After a {@link KeyspaceScan}
 * that succeeded, every key that it found has the same content at every new store. No seed of this
 * owner is then in transit to any of them. Reads and compares; writes only differences.
 * Thread-safe.
 *
 * @param targets the new stores, all of them
 * @param seedFactory the stored form of a content as a seed
 * @param doubtfulKeys keys of which a seed was sent without a response; grows
 */
record SeedWriter(
    MigrationSource source,
    List<SiteStore> targets,
    Function<Optional<Payload>, Bytes> seedFactory,
    Set<Bytes> doubtfulKeys,
    Scheduler scheduler) {

  private static final int MOST_TURNS = 16;
  private static final Duration REQUEST = Duration.ofSeconds(5);

  CompletionStage<?> writeSeed(Bytes key) {
    return source
        .read(key, requestDeadline())
        .thenCompose(
            value ->
                CompletableFuture.allOf(
                    targets.stream()
                        .map(store -> putSeed(store, key, value).toCompletableFuture())
                        .toArray(CompletableFuture<?>[]::new)));
  }

  /** Writes until the store has confirmed the wanted content. */
  private CompletionStage<Void> putSeed(SiteStore store, Bytes key, Optional<Payload> value) {
    Bytes seed = seedFactory.apply(value);
    int[] attempts = {0};
    return AsyncLoop.whileTrue(
        scheduler,
        () -> {
          if (attempts[0]++ == MOST_TURNS) {
            throw new SiteException(store.site(), Reason.TIMED_OUT, "a key could not be copied");
          }
          return store
              .read(key, requestDeadline())
              .thenCompose(
                  entry ->
                      isUpToDate(entry, seed, key, value)
                          ? CompletableFuture.completedFuture(false)
                          : write(store, key, entry, seed));
        });
  }

  private boolean isUpToDate(
      Optional<StoredEntry> entry, Bytes seed, Bytes key, Optional<Payload> value) {
    return entry.isPresent()
        ? entry.get().value().equals(seed)
        : value.isEmpty() && !doubtfulKeys.contains(key);
  }

  private CompletionStage<Boolean> write(
      SiteStore store, Bytes key, Optional<StoredEntry> entry, Bytes seed) {
    CompletionStage<Boolean> result =
        entry.isEmpty()
            ? store.putIfAbsent(key, seed, requestDeadline())
            : store.replace(key, entry.get().version(), seed, requestDeadline());
    return result.handle(
        (done, failure) -> {
          if (failure != null) {
            // The write may still arrive; the entry that it finds must then have another entry
            // version.
            doubtfulKeys.add(key);
          }
          return failure != null || !done;
        });
  }

  private Deadline requestDeadline() {
    return Deadline.after(REQUEST, scheduler);
  }
}

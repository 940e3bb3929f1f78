package io.ensemble.cache.mwmr;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.ensemble.cache.Payload;
import io.ensemble.cache.mwmr.KeyStateCache.CachedCells;
import io.ensemble.cache.quorum.StoreSet;
import io.ensemble.register.Ballot;
import io.ensemble.register.Cell;
import io.ensemble.register.VersionedCell;
import io.ensemble.schedule.Deadline;
import io.ensemble.schedule.Scheduler;
import io.ensemble.site.Bytes;
import io.ensemble.site.StoredEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;

/**
 * Reads the entry versions of a key that this client keeps writing, after the answer and off the
 * caller's path. The next write of the key then takes one round trip. Only keys that this client
 * wrote twice in a row, without another writer between, are read; for other keys the read would be
 * wasted. Bounded: when too many reads are under way, none is added.
 */
final class VersionPrefetcher implements AutoCloseable {

  private static final int AT_ONCE = 64;
  private static final int KEYS_WATCHED = 10_000;
  private static final long LIMIT_NANOS = 1_000_000_000;

  private final Scheduler scheduler;
  private final KeyStateCache keyStateCache;
  private final Semaphore permits = new Semaphore(AT_ONCE);
  private final Cache<Bytes, Ballot> lastWritten =
      Caffeine.newBuilder().maximumSize(KEYS_WATCHED).executor(Runnable::run).build();
  private volatile boolean closed;

  VersionPrefetcher(Scheduler scheduler, KeyStateCache keyStateCache) {
    this.scheduler = scheduler;
    this.keyStateCache = keyStateCache;
  }

  /** Records that this client wrote {@code cell}, which is chosen. */
  void recordWrite(Bytes key, Cell<Payload> cell, StoreSet storeSet) {
    Ballot previousBallot = lastWritten.getIfPresent(key);
    lastWritten.put(key, cell.accepted());
    if (previousBallot == null
        || !cell.floor().equals(previousBallot)
        || closed
        || !permits.tryAcquire()) {
      return;
    }
    readAllSites(key, storeSet)
        .whenComplete(
            (entries, failure) -> {
              permits.release();
              if (failure == null && cell.accepted().equals(lastWritten.getIfPresent(key))) {
                cacheIfEqual(cell, key, entries, storeSet);
              }
            });
  }

  private void cacheIfEqual(
      Cell<Payload> cell, Bytes key, List<Optional<StoredEntry>> entries, StoreSet storeSet) {
    Bytes stored = CellCodec.encode(cell);
    List<VersionedCell<Payload>> cells = new ArrayList<>(entries.size());
    for (Optional<StoredEntry> entry : entries) {
      if (entry.isEmpty() || !entry.get().value().equals(stored)) {
        return;
      }
      cells.add(new VersionedCell<>(cell, entry.get().version()));
    }
    keyStateCache.remember(key, new CachedCells(storeSet, cells));
  }

  private CompletionStage<List<Optional<StoredEntry>>> readAllSites(Bytes key, StoreSet storeSet) {
    Deadline limit = new Deadline(scheduler.nanos() + LIMIT_NANOS);
    CompletionStage<List<Optional<StoredEntry>>> result =
        CompletableFuture.completedFuture(new ArrayList<>());
    for (int site = 0; site < storeSet.size(); site++) {
      result =
          result.thenCombine(
              storeSet.ask(site, store -> store.read(key, limit)),
              (entries, entry) -> {
                entries.add(entry);
                return entries;
              });
    }
    return result;
  }

  @Override
  public void close() {
    closed = true;
  }
}

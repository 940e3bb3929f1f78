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
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Learns the entry versions of keys that this client writes again and again, so that the next write
 * of the key takes one round trip. They come from three sources:
 *
 * <ul>
 *   <li>reads that are sent directly behind the votes of a write ({@link VersionReads}), so that
 *       also a client that writes without a pause takes one round trip for each write;
 *   <li>reads after the answer, where the former did not show the written cell;
 *   <li>a read by this client that all sites answered.
 * </ul>
 *
 * <p>Only for keys that this client has written. For keys that others write in between, the reads
 * are wasted; a score for each key counts that, and ends them. Bounded: when too many reads after
 * answers are under way, none is added.
 */
final class VersionPrefetcher implements AutoCloseable {

  private static final int AT_ONCE = 64;
  private static final int KEYS_WATCHED = 10_000;
  private static final long LIMIT_NANOS = 1_000_000_000;

  /** How long a write waits for the reads behind the votes of the write before. */
  static final long LONGEST_WAIT_NANOS = 20_000_000;

  private final Scheduler scheduler;
  private final KeyStateCache keyStateCache;
  private final Semaphore permits = new Semaphore(AT_ONCE);
  private final Cache<Bytes, WrittenKey> writtenKeys =
      Caffeine.newBuilder().maximumSize(KEYS_WATCHED).executor(Runnable::run).build();

  /**
   * A key that this client wrote.
   *
   * @param ballot of its last write
   * @param score rises when remembered cells have saved a round trip, and falls when they were
   *     outdated or a read behind a vote did not show it; at zero, versions are not read ahead. -1
   *     after the first write
   */
  private record WrittenKey(Ballot ballot, int score) {

    private static final int HIGHEST_SCORE = 3;

    WrittenKey scored(boolean wasUseful) {
      int next =
          wasUseful ? Math.min(HIGHEST_SCORE, Math.max(0, score) + 1) : Math.max(0, score - 1);
      return next == score ? this : new WrittenKey(ballot, next);
    }
  }

  /** The reads behind votes that have not been answered yet, although the votes have. */
  private final Map<Bytes, LateReads> lateReads = new ConcurrentHashMap<>();

  /** The end of such reads, and whether a write has begun to wait for it. */
  private static final class LateReads {
    final CompletableFuture<Void> end = new CompletableFuture<>();
    volatile boolean isAwaited;
  }

  private volatile boolean closed;

  VersionPrefetcher(Scheduler scheduler, KeyStateCache keyStateCache) {
    this.scheduler = scheduler;
    this.keyStateCache = keyStateCache;
  }

  /** Whether this client will probably write the key again before any other client does. */
  boolean expectsNextWrite(Bytes key) {
    WrittenKey written = writtenKeys.getIfPresent(key);
    return written != null && written.score() > 0;
  }

  /**
   * Records that a write started from remembered cells.
   *
   * @param wasUseful whether it took one round trip
   */
  void recordUse(Bytes key, boolean wasUseful) {
    writtenKeys.asMap().computeIfPresent(key, (same, written) -> written.scored(wasUseful));
  }

  /** Records that all sites showed {@code cells}, which are equal and chosen. */
  void recordRead(Bytes key, List<VersionedCell<Payload>> cells, StoreSet storeSet) {
    if (closed || !expectsNextWrite(key)) {
      return;
    }
    Ballot read = cells.get(0).cell().accepted();
    Optional<CachedCells> replaced = keyStateCache.remember(key, new CachedCells(storeSet, cells));
    if (replaced.isPresent() && read.compareTo(replaced.get().ballot()) > 0) {
      recordUse(key, false);
    }
  }

  /** Completes when the versions of the key are known, or will not be known soon. */
  CompletionStage<Void> awaitVersions(Bytes key) {
    LateReads late = lateReads.get(key);
    if (late == null) {
      return CompletableFuture.completedFuture(null);
    }
    late.isAwaited = true;
    try {
      Scheduler.Timer timer = scheduler.after(LONGEST_WAIT_NANOS, () -> late.end.complete(null));
      late.end.whenComplete((done, failure) -> timer.cancel());
    } catch (RejectedExecutionException stopped) {
      late.end.complete(null);
    }
    return late.end;
  }

  /**
   * Records that this client wrote {@code cell}, which is chosen.
   *
   * @param versionReads the reads behind its votes; null for none
   */
  void recordWrite(
      Bytes key, Cell<Payload> cell, StoreSet storeSet, @Nullable VersionReads versionReads) {
    boolean isRepeated = recordBallot(key, cell);
    keyStateCache.takeCells(key); // Those of an earlier content, if any.
    if (closed || versionReads == null && !isRepeated) {
      return;
    }
    CompletionStage<List<Optional<StoredEntry>>> entries =
        versionReads == null ? null : versionReads.all();
    if (entries == null) {
      readAfterwards(key, cell, storeSet);
    } else {
      useReads(entries, key, cell, storeSet);
    }
  }

  /** Returns whether this client also made the write before, without another one between. */
  private boolean recordBallot(Bytes key, Cell<Payload> cell) {
    WrittenKey previous = writtenKeys.getIfPresent(key);
    boolean isRepeated = previous != null && cell.floor().equals(previous.ballot());
    int score =
        previous == null ? -1 : previous.score() < 0 ? (isRepeated ? 1 : 0) : previous.score();
    writtenKeys.put(key, new WrittenKey(cell.accepted(), score));
    return isRepeated;
  }

  private void useReads(
      CompletionStage<List<Optional<StoredEntry>>> reads,
      Bytes key,
      Cell<Payload> cell,
      StoreSet storeSet) {
    LateReads late = new LateReads();
    lateReads.put(key, late);
    reads.whenComplete(
        (entries, failure) -> {
          boolean isKnown = failure == null && remember(cell, key, entries, storeSet);
          lateReads.remove(key, late);
          if (!isKnown) {
            recordUse(key, false);
            if (!late.isAwaited) {
              readAfterwards(key, cell, storeSet);
            }
          }
          late.end.complete(null);
        });
  }

  private void readAfterwards(Bytes key, Cell<Payload> cell, StoreSet storeSet) {
    if (closed || !isLatest(key, cell) || !permits.tryAcquire()) {
      return;
    }
    readAllSites(key, storeSet)
        .whenComplete(
            (entries, failure) -> {
              permits.release();
              if (failure == null) {
                boolean unused = remember(cell, key, entries, storeSet);
              }
            });
  }

  private boolean isLatest(Bytes key, Cell<Payload> cell) {
    WrittenKey written = writtenKeys.getIfPresent(key);
    return written != null && cell.accepted().equals(written.ballot());
  }

  /** Remembers the versions if every site shows {@code cell}; returns whether it does. */
  private boolean remember(
      Cell<Payload> cell, Bytes key, List<Optional<StoredEntry>> entries, StoreSet storeSet) {
    Bytes stored = CellCodec.encode(cell);
    List<VersionedCell<Payload>> cells = new ArrayList<>(entries.size());
    for (Optional<StoredEntry> entry : entries) {
      if (entry.isEmpty() || !entry.get().value().equals(stored)) {
        return false;
      }
      cells.add(new VersionedCell<>(cell, entry.get().version()));
    }
    if (isLatest(key, cell)) {
      Optional<CachedCells> unused = keyStateCache.remember(key, new CachedCells(storeSet, cells));
    }
    return true;
  }

  private CompletionStage<List<Optional<StoredEntry>>> readAllSites(Bytes key, StoreSet storeSet) {
    Deadline limit = new Deadline(scheduler.nanos() + LIMIT_NANOS);
    VersionReads reads = new VersionReads(storeSet.size());
    for (int site = 0; site < storeSet.size(); site++) {
      reads.sent(site, storeSet.ask(site, store -> store.read(key, limit)));
    }
    return Objects.requireNonNull(reads.all());
  }

  @Override
  public void close() {
    closed = true;
  }
}

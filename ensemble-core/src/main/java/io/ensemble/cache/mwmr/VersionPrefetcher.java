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
 * <p>Only for keys that this client has written. Where other clients write in between, reads behind
 * votes are wasted; what was the case before decides ({@link WrittenKey}). Bounded: when too many
 * reads after answers are under way, none is added.
 */
final class VersionPrefetcher implements AutoCloseable {

  private static final int AT_ONCE = 64;
  private static final int KEYS_WATCHED = 10_000;
  private static final long LIMIT_NANOS = 1_000_000_000;

  /** How long a write waits for the reads behind the votes of the write before. */
  static final long LONGEST_WAIT_NANOS = 20_000_000;

  private final Scheduler scheduler;
  private final KeyStateCache keyStateCache;
  private final WaitPolicy waitPolicy;
  private final Semaphore permits = new Semaphore(AT_ONCE);
  private final Cache<Bytes, WrittenKey> writtenKeys =
      Caffeine.newBuilder().maximumSize(KEYS_WATCHED).executor(Runnable::run).build();

  /**
   * A key that this client wrote.
   *
   * @param ballot of its last write
   * @param run how many writes directly before that one this client made as well, up to {@link
   *     #LONG_RUN}
   * @param scores how often, for each length of a run, this client also made the next write. Two
   *     successes make it expected, and one failure makes it unexpected. So a client that writes a
   *     key twice in turn, as one that locks and unlocks, is expected to write once more only after
   *     the first of the two
   */
  private record WrittenKey(Ballot ballot, int run, List<Integer> scores) {

    private static final int LONG_RUN = 2;
    private static final int EXPECTED = 2;
    private static final int HIGHEST_SCORE = 3;

    static WrittenKey first(Ballot ballot) {
      return new WrittenKey(ballot, 0, List.of(0, 0, EXPECTED));
    }

    boolean expectsNext() {
      return scores.get(run) >= EXPECTED;
    }

    /** The run after a write on {@code base}. */
    int runAfter(Ballot base) {
      return base.equals(ballot) ? Math.min(LONG_RUN, run + 1) : 0;
    }

    boolean expectsNextAfter(Ballot base) {
      return scores.get(runAfter(base)) >= EXPECTED;
    }

    WrittenKey next(Ballot latest, Ballot base) {
      boolean isOwnNext = base.equals(ballot);
      int score = scores.get(run) + (isOwnNext ? 1 : -EXPECTED);
      return new WrittenKey(latest, runAfter(base), scored(score));
    }

    /** Reads behind its votes did not show the write. */
    WrittenKey overtaken() {
      return new WrittenKey(ballot, run, scored(EXPECTED - 1));
    }

    private List<Integer> scored(int score) {
      List<Integer> next = new ArrayList<>(scores);
      next.set(run, Math.max(0, Math.min(HIGHEST_SCORE, score)));
      return List.copyOf(next);
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

  VersionPrefetcher(Scheduler scheduler, KeyStateCache keyStateCache, WaitPolicy waitPolicy) {
    this.scheduler = scheduler;
    this.waitPolicy = waitPolicy;
    this.keyStateCache = keyStateCache;
  }

  /** Whether this client will probably make the write after the next one of the key, too. */
  boolean expectsWriteAfterNext(Bytes key) {
    WrittenKey written = writtenKeys.getIfPresent(key);
    return written != null && written.expectsNextAfter(keyStateCache.chosen(key));
  }

  /**
   * Records that all sites showed {@code cells}, which are equal and chosen. They serve a write
   * that follows at once; a write some time later only if no other client is expected to write.
   */
  void recordRead(Bytes key, List<VersionedCell<Payload>> cells, StoreSet storeSet) {
    WrittenKey written = closed ? null : writtenKeys.getIfPresent(key);
    if (written != null) {
      boolean isOwn = cells.get(0).cell().accepted().equals(written.ballot());
      long untilNanos =
          isOwn && written.expectsNext()
              ? CachedCells.NO_LIMIT
              : scheduler.nanos() + waitPolicy.freshNanos();
      Optional<CachedCells> unused =
          keyStateCache.remember(key, new CachedCells(storeSet, cells, untilNanos));
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
    boolean isNextExpected = recordBallot(key, cell);
    if (closed || versionReads == null && !isNextExpected) {
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

  /** Returns whether this client will probably also make the next write. */
  private boolean recordBallot(Bytes key, Cell<Payload> cell) {
    WrittenKey previous = writtenKeys.getIfPresent(key);
    WrittenKey written =
        previous == null
            ? WrittenKey.first(cell.accepted())
            : previous.next(cell.accepted(), cell.floor());
    writtenKeys.put(key, written);
    return written.expectsNext();
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
            writtenKeys.asMap().computeIfPresent(key, (same, written) -> written.overtaken());
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
      Optional<CachedCells> unused =
          keyStateCache.remember(key, new CachedCells(storeSet, cells, CachedCells.NO_LIMIT));
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

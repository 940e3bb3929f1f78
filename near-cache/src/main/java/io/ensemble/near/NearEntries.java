package io.ensemble.near;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Policy;
import io.ensemble.cache.Payload;
import io.ensemble.site.Bytes;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a near cache, and the rules by which they change. Sends nothing; thread-safe.
 *
 * <p>A result becomes an entry only if its call was alone: no other call of this near cache on the
 * key was in progress at any time between its start and its end, and no site reported another value
 * meanwhile. Any other call leaves no entry behind. So a caller reads its own writes, and no value
 * that is older than one that was returned before.
 */
class NearEntries {

  /** A read of the cache that further readers of the key may wait for. */
  static final class SharedRead {

    private final CompletableFuture<Optional<Payload>> result = new CompletableFuture<>();
    private final NearTime start;
    private final long deadlineNanos;

    SharedRead(NearTime start, long deadlineNanos) {
      this.start = start;
      this.deadlineNanos = deadlineNanos;
    }

    CompletableFuture<Optional<Payload>> result() {
      return result;
    }
  }

  /** A call in progress. */
  static final class KeyCall {

    private final Bytes key;
    private final NearTime start;
    private final long generation;

    private KeyCall(Bytes key, NearTime start, long generation) {
      this.key = key;
      this.start = start;
      this.generation = generation;
    }
  }

  /** The calls in progress on one key. Guarded by its entry in the map. */
  private static final class KeyCalls {

    private static final int SHARED = -1;

    private int number;

    /** Differs from that of each call that was not alone. */
    private long generation;

    private @Nullable SharedRead read;
    private boolean isReported;
    private @Nullable Payload reported;
    private boolean hasReportsThatDiffer;

    private KeyCall begin(Bytes key, NearTime start) {
      if (number > 0) {
        generation++;
        read = null; // It may have missed a write.
      }
      number++;
      return new KeyCall(key, start, number == 1 ? generation : SHARED);
    }

    private void report(@Nullable Payload value) {
      hasReportsThatDiffer |= isReported && !Objects.equals(reported, value);
      isReported = true;
      reported = value;
    }

    private boolean agreesWith(@Nullable Payload value) {
      return !isReported || (!hasReportsThatDiffer && Objects.equals(reported, value));
    }
  }

  private final Duration staleness;
  private final Cache<Bytes, NearEntry> entries;
  private final ConcurrentHashMap<Bytes, KeyCalls> calls = new ConcurrentHashMap<>();
  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder staleRefusals = new LongAdder();
  private final LongAdder invalidations = new LongAdder();
  private final LongAdder backgroundReads = new LongAdder();
  private volatile boolean isClosed;

  NearEntries(NearCacheSettings settings) {
    staleness = settings.staleness();
    long least = Math.max(1, settings.maxBytes() / settings.maxEntries());
    entries =
        Caffeine.newBuilder()
            .maximumWeight(Math.max(settings.maxBytes(), least))
            .<Bytes, NearEntry>weigher(
                (key, entry) ->
                    (int) Math.min(Integer.MAX_VALUE, Math.max(least, entry.bytes(key.size()))))
            .executor(Runnable::run)
            .recordStats()
            .build();
  }

  // Reads.

  /** The entry of a key if it may be returned by a call that starts now; counts the read. */
  @Nullable NearEntry find(Bytes key, NearTime now) {
    NearEntry entry = entries.getIfPresent(key);
    if (entry == null) {
      misses.increment();
      return null;
    }
    if (isTooOld(entry, now)) {
      misses.increment();
      staleRefusals.increment();
      return null;
    }
    hits.increment();
    return entry;
  }

  /** Whether a call that starts now may not return the entry. */
  boolean isTooOld(NearEntry entry, NearTime now) {
    return entry.asOf().isOlderThan(staleness, now);
  }

  /**
   * A read in progress whose result may be returned by a call that starts now and ends by {@code
   * deadlineNanos}; null if there is none.
   */
  @Nullable SharedRead join(Bytes key, NearTime now, long deadlineNanos) {
    SharedRead[] found = new SharedRead[1];
    calls.computeIfPresent(
        key,
        (same, present) -> {
          SharedRead read = present.read;
          boolean isUsable =
              read != null
                  && !read.start.isOlderThan(staleness, now)
                  && read.deadlineNanos <= deadlineNanos;
          found[0] = isUsable ? read : null;
          return present;
        });
    return found[0];
  }

  /** Begins a read of the cache that others may wait for. */
  KeyCall begin(Bytes key, SharedRead read) {
    KeyCall[] begun = new KeyCall[1];
    calls.compute(
        key,
        (same, present) -> {
          KeyCalls of = present == null ? new KeyCalls() : present;
          begun[0] = of.begin(key, read.start);
          if (of.number == 1) {
            of.read = read;
          }
          return of;
        });
    return begun[0];
  }

  // Writes.

  /** Begins a call that may write; from now on the key has no entry. */
  KeyCall beginWrite(Bytes key, NearTime start) {
    KeyCall[] begun = new KeyCall[1];
    calls.compute(
        key,
        (same, present) -> {
          KeyCalls of = present == null ? new KeyCalls() : present;
          begun[0] = of.begin(key, start);
          entries.invalidate(key);
          return of;
        });
    return begun[0];
  }

  // The ends of both.

  /** The call returned {@code value}, which becomes the entry if the call was alone. */
  boolean end(KeyCall call, @Nullable Payload value) {
    return end(call, true, value);
  }

  /** The call returned no value that is known. */
  void endWithout(KeyCall call) {
    end(call, false, null);
  }

  private boolean end(KeyCall call, boolean isKnown, @Nullable Payload value) {
    boolean[] isKept = new boolean[1];
    calls.computeIfPresent(
        call.key,
        (key, present) -> {
          boolean isAlone = call.generation == present.generation;
          isKept[0] = isKnown && !isClosed && mayKeep(isAlone, present.agreesWith(value));
          if (isKept[0]) {
            entries.put(key, new NearEntry(value, asOf(call.start)));
          } else {
            entries.invalidate(key);
          }
          present.number--;
          return present.number == 0 ? null : present;
        });
    return isKept[0];
  }

  /**
   * Whether a result becomes an entry.
   *
   * @param isAlone whether no other call on the key was in progress meanwhile
   * @param isReported whether all reports meanwhile were of this value
   */
  boolean mayKeep(boolean isAlone, boolean isReported) {
    return isAlone && isReported;
  }

  /** The age of the result of a call counts from this moment. */
  NearTime asOf(NearTime start) {
    return start;
  }

  // Reports of sites.

  /** Whether a report on the key matters. */
  boolean concerns(Bytes key) {
    return calls.containsKey(key) || entries.asMap().containsKey(key);
  }

  /**
   * Whether the key has an entry or a call in progress with another value than {@code reported}.
   */
  boolean contradicts(Bytes key, @Nullable Payload reported) {
    boolean[] isOther = new boolean[1];
    calls.computeIfPresent(
        key,
        (same, present) -> {
          present.report(reported);
          isOther[0] = true;
          return present;
        });
    NearEntry entry = entries.asMap().get(key);
    return isOther[0] || (entry != null && !entry.hasValue(reported));
  }

  /** Drops a key that has another value than {@code reported}. */
  void drop(Bytes key, @Nullable Payload reported) {
    entries
        .asMap()
        .computeIfPresent(
            key,
            (same, entry) -> {
              if (entry.hasValue(reported)) {
                return entry;
              }
              invalidations.increment();
              return null;
            });
  }

  /** Drops a key of which the value is not known. */
  void drop(Bytes key) {
    if (entries.asMap().remove(key) != null) {
      invalidations.increment();
    }
  }

  /** Drops all entries; calls in progress leave none either. */
  void clear() {
    for (Bytes key : calls.keySet()) {
      calls.computeIfPresent(
          key,
          (same, present) -> {
            present.generation++;
            present.read = null;
            return present;
          });
    }
    invalidations.add(entries.estimatedSize());
    entries.invalidateAll();
  }

  /** Holds no entry from now on. */
  void close() {
    isClosed = true;
    entries.invalidateAll();
  }

  void countBackgroundRead() {
    backgroundReads.increment();
  }

  NearCacheStatistics statistics() {
    entries.cleanUp();
    return new NearCacheStatistics(
        hits.sum(),
        misses.sum(),
        staleRefusals.sum(),
        invalidations.sum(),
        backgroundReads.sum(),
        entries.stats().evictionCount(),
        entries.estimatedSize(),
        entries.policy().eviction().map(Policy.Eviction::weightedSize).orElseThrow().orElseThrow());
  }
}

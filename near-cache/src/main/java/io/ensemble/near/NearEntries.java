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
 * <p>The calls in progress on a key have a generation. A new one begins when a write begins or
 * ends, and when two values of one generation differ: results of its calls, or reports of sites. A
 * result becomes an entry only if the generation of its call has not ended; any other result ends
 * an entry that has another value. So a caller reads its own writes, and no value that is older
 * than one that was returned before.
 */
class NearEntries {

  /** How much later than a call the read that it joins may end. */
  private static final long LATER_NANOS = 10_000_000;

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

  /**
   * A call in progress.
   *
   * @param generation that of the key when the call began
   */
  record KeyCall(Bytes key, NearTime start, boolean isWrite, long generation) {}

  /** The calls in progress on one key. Guarded by its entry in the map. */
  private static final class KeyCalls {

    private int number;
    private long generation;
    private @Nullable SharedRead read;

    /** Whether this generation has a value, which is null for absence. */
    private boolean hasValue;

    private @Nullable Payload value;

    private void endGeneration() {
      generation++;
      read = null; // It may have missed a write.
      hasValue = false;
    }

    /** Notes a value; whether it is the only one of this generation. */
    private boolean agrees(@Nullable Payload other) {
      if (!hasValue) {
        hasValue = true;
        value = other;
        return true;
      }
      if (Objects.equals(value, other)) {
        return true;
      }
      endGeneration();
      return false;
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
    int least = settings.leastWeight();
    entries =
        Caffeine.newBuilder()
            .maximumWeight(settings.maxBytes())
            .<Bytes, NearEntry>weigher((key, entry) -> Math.max(least, entry.bytes(key.size())))
            .executor(Runnable::run)
            .recordStats()
            .build();
  }

  // Reads.

  /** The entry of a key if it may be returned by a call that starts now; counts the read. */
  @Nullable NearEntry find(Bytes key, NearTime now) {
    NearEntry entry = isClosed ? null : entries.getIfPresent(key);
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
                  && read.deadlineNanos - deadlineNanos <= LATER_NANOS;
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
          of.number++;
          of.read = read;
          begun[0] = new KeyCall(key, read.start, false, of.generation);
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
          of.number++;
          of.endGeneration();
          begun[0] = new KeyCall(key, start, true, of.generation);
          entries.invalidate(key);
          return of;
        });
    return begun[0];
  }

  // The ends of both.

  /** The call returned {@code value}; whether this is the entry now. */
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
        call.key(),
        (key, present) -> {
          boolean isCurrent = call.generation() == present.generation;
          boolean isAgreed = isKnown && present.agrees(value);
          isKept[0] = isKnown && !isClosed && mayKeep(isCurrent, isAgreed);
          if (isKept[0]) {
            entries.put(key, new NearEntry(value, asOf(call.start())));
          } else if (isKnown) {
            entries.asMap().computeIfPresent(key, (same, old) -> old.hasValue(value) ? old : null);
          }
          if (call.isWrite()) {
            present.endGeneration();
            if (!isKept[0]) {
              entries.invalidate(key);
            }
          }
          present.number--;
          return present.number == 0 ? null : present;
        });
    if (isKept[0] && isClosed) {
      entries.invalidate(call.key());
    }
    return isKept[0];
  }

  /**
   * Whether a result becomes an entry.
   *
   * @param isCurrent whether its generation has not ended
   * @param isAgreed whether its generation has no other value
   */
  boolean mayKeep(boolean isCurrent, boolean isAgreed) {
    return isCurrent && isAgreed;
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
          isOther[0] = !present.agrees(reported);
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
            present.endGeneration();
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

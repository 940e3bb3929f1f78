package io.ensemble.near;

import io.ensemble.cache.adapter.CacheExtension;
import io.ensemble.site.Bytes;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads keys into a near cache, each key once at a time, and a bounded number of keys at a time. A
 * key that does not fit into the queue is dropped from the near cache. Thread-safe.
 */
final class BackgroundReads {

  static final int AT_ONCE = 64;
  static final int MOST_WAITING = 10_000;

  private final CacheExtension<?, ?> cache;
  private final NearScope scope;
  private final NearEntries entries;

  // All fields below are guarded by this object's lock.
  private final Set<Bytes> waiting = new LinkedHashSet<>();
  private final Set<Bytes> inProgress = new HashSet<>();
  private boolean isClosed;

  BackgroundReads(CacheExtension<?, ?> cache, NearScope scope, NearEntries entries) {
    this.cache = cache;
    this.scope = scope;
    this.entries = entries;
  }

  /** Reads the key, because it has changed: again if it is being read. */
  void read(Bytes key) {
    boolean isFull;
    synchronized (this) {
      if (isClosed || waiting.contains(key)) {
        return;
      }
      isFull = waiting.size() >= MOST_WAITING;
      if (!isFull) {
        waiting.add(key);
      }
    }
    if (isFull) {
      entries.drop(key);
    } else {
      cache.scheduler().execute(this::begin);
    }
  }

  /** Reads the key, because its value grows old: not if it is being read. */
  void renew(Bytes key) {
    synchronized (this) {
      if (inProgress.contains(key)) {
        return;
      }
    }
    read(key);
  }

  private void begin() {
    for (Bytes key = next(); key != null; key = next()) {
      begin(key);
    }
  }

  private synchronized @Nullable Bytes next() {
    if (isClosed || inProgress.size() >= AT_ONCE) {
      return null;
    }
    for (Iterator<Bytes> keys = waiting.iterator(); keys.hasNext(); ) {
      Bytes key = keys.next();
      if (inProgress.add(key)) {
        keys.remove();
        return key;
      }
    }
    return null;
  }

  private void begin(Bytes key) {
    entries.countBackgroundRead();
    try {
      new NearEngine(cache.engine(), scope, entries, this)
          .readShared(key, cache.deadline())
          .whenComplete((found, failure) -> end(key));
    } catch (RuntimeException | Error refused) {
      end(key); // The cache is closed, for example.
    }
  }

  private void end(Bytes key) {
    synchronized (this) {
      inProgress.remove(key);
      if (isClosed || waiting.isEmpty()) {
        return;
      }
    }
    cache.scheduler().execute(this::begin);
  }

  synchronized void close() {
    isClosed = true;
    waiting.clear();
  }
}

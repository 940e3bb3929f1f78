package io.ensemble.zoofence.queue.replica;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/** Resources that are opened on demand, and closed after a period without use. */
final class ResourceCache<K, V> {
  private static final int USUAL = 32;
  private static final long USUAL_NANOS = TimeUnit.MINUTES.toNanos(1);

  private static final class One<V> {
    private final V value;
    private long usedNanos;

    One(V value) {
      this.value = value;
    }
  }

  private final int most;
  private final long idleNanos;
  private final LongSupplier nanos;
  private final Function<K, V> opener;
  private final Consumer<V> closer;
  private final Map<K, One<V>> open = new LinkedHashMap<>(16, 0.75f, true);

  /** Creates a cache with the default size and the default idle time. */
  ResourceCache(Function<K, V> opener, Consumer<V> closer) {
    this(USUAL, USUAL_NANOS, System::nanoTime, opener, closer);
  }

  /**
   * @param most the maximum number of open resources; the least recently used one is closed first
   * @param idleNanos the period without use after which a resource is closed, in nanoseconds
   * @param nanos the clock
   */
  ResourceCache(
      int most, long idleNanos, LongSupplier nanos, Function<K, V> opener, Consumer<V> closer) {
    this.most = most;
    this.idleNanos = idleNanos;
    this.nanos = nanos;
    this.opener = opener;
    this.closer = closer;
  }

  V get(K key) {
    One<V> found = open.get(key);
    if (found == null) {
      found = new One<>(opener.apply(key));
      open.put(key, found);
    }
    found.usedNanos = nanos.getAsLong();
    tidy();
    return found.value;
  }

  /** Closes the resources that were idle for too long. */
  void tidy() {
    for (var all = open.values().iterator(); all.hasNext(); ) {
      One<V> oldest = all.next();
      if (open.size() <= most && nanos.getAsLong() - oldest.usedNanos < idleNanos) {
        return;
      }
      all.remove();
      closer.accept(oldest.value);
    }
  }

  void closeAll() {
    var all = new ArrayList<>(open.values());
    open.clear();
    all.forEach(one -> closer.accept(one.value));
  }
}

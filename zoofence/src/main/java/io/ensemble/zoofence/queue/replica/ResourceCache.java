package io.ensemble.zoofence.queue.replica;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/** Resources that are opened on demand, and closed after a period without use. */
public final class ResourceCache<K, V> {
  private static final int USUAL = 32;
  private static final long USUAL_NANOS = TimeUnit.MINUTES.toNanos(1);

  private static final class One<V> {
    private final V value;
    private long usedNanos;

    One(V value) {
      this.value = value;
    }
  }

  private final int maxOpen;
  private final long idleNanos;
  private final LongSupplier nanoTime;
  private final Function<K, V> opener;
  private final Consumer<V> closer;
  private final Map<K, One<V>> openResources = new LinkedHashMap<>(16, 0.75f, true);

  /** Creates a cache with the default size and the default idle time. */
  public ResourceCache(Function<K, V> opener, Consumer<V> closer) {
    this(USUAL, USUAL_NANOS, System::nanoTime, opener, closer);
  }

  /**
   * @param maxOpen the maximum number of open resources; the least recently used one is closed
   *     first
   * @param idleNanos the period without use after which a resource is closed, in nanoseconds
   * @param nanoTime the clock
   */
  ResourceCache(
      int maxOpen,
      long idleNanos,
      LongSupplier nanoTime,
      Function<K, V> opener,
      Consumer<V> closer) {
    this.maxOpen = maxOpen;
    this.idleNanos = idleNanos;
    this.nanoTime = nanoTime;
    this.opener = opener;
    this.closer = closer;
  }

  public V get(K key) {
    One<V> entry = openResources.get(key);
    if (entry == null) {
      entry = new One<>(opener.apply(key));
      openResources.put(key, entry);
    }
    entry.usedNanos = nanoTime.getAsLong();
    closeIdle();
    return entry.value;
  }

  /** Closes the resources that were idle for too long. */
  public void closeIdle() {
    for (var iterator = openResources.values().iterator(); iterator.hasNext(); ) {
      One<V> oldest = iterator.next();
      if (openResources.size() <= maxOpen && nanoTime.getAsLong() - oldest.usedNanos < idleNanos) {
        return;
      }
      iterator.remove();
      closer.accept(oldest.value);
    }
  }

  public void closeAll() {
    var entries = new ArrayList<>(openResources.values());
    openResources.clear();
    entries.forEach(entry -> closer.accept(entry.value));
  }
}

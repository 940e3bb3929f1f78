package io.ensemble.jcache;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import javax.cache.CacheException;

/**
 * Orders the operations of this process on one key, where calls of the application belong to them:
 * of entry processors, cache writers and listeners. Operations of other processes are not ordered.
 */
final class KeyLocks {

  private static final int STRIPES = 256;

  private final Duration longest;
  private final List<ReentrantLock> stripes =
      Stream.generate(ReentrantLock::new).limit(STRIPES).toList();

  /** The locks that a thread holds. */
  @FunctionalInterface
  interface HeldLocks extends AutoCloseable {

    @Override
    void close();
  }

  /**
   * @param longest how long a call waits for other threads of this process
   */
  KeyLocks(Duration longest) {
    this.longest = longest;
  }

  HeldLocks lock(Object key) {
    return lockAll(List.of(key));
  }

  /**
   * Locks all keys, in an order that is the same in all calls.
   *
   * @throws CacheException if another thread has held one of them for too long
   */
  HeldLocks lockAll(Collection<?> keys) {
    TreeSet<Integer> indices = new TreeSet<>();
    keys.forEach(key -> indices.add(Math.floorMod(key.hashCode(), STRIPES)));
    Deque<ReentrantLock> held = new ArrayDeque<>();
    HeldLocks all = () -> held.forEach(ReentrantLock::unlock);
    long end = System.nanoTime() + longest.toNanos();
    for (int index : indices) {
      try {
        if (stripes.get(index).tryLock(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
          held.push(stripes.get(index));
          continue;
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      all.close();
      throw new CacheException(
          "another operation of this process on the key did not end in time; nothing was done; "
              + "longest="
              + longest);
    }
    return all;
  }
}

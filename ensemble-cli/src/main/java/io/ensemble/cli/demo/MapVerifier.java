package io.ensemble.cli.demo;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Uses a cache through the map interface, records the expected entries, and compares the entries
 * read with these. Several threads share the keys, and each key belongs to one of them, so the
 * content of a key is never in doubt. One caller at a time.
 */
final class MapVerifier implements AutoCloseable {

  private final String name;
  private final ConcurrentMap<String, ShopOrder> cache;
  private final Map<String, ShopOrder> notes = new ConcurrentHashMap<>();
  private final ExecutorService threads;
  private final int width;
  private final Duration patience;
  private final AtomicInteger late = new AtomicInteger();

  /**
   * @param name the cache's name, for messages
   * @param cache the cache under test
   * @param width the number of threads
   * @param patience the time during which a read may return the former value: a WEAK cache may
   *     answer from a site that the last write has not reached yet
   */
  MapVerifier(String name, ConcurrentMap<String, ShopOrder> cache, int width, Duration patience) {
    this.name = name;
    this.cache = cache;
    this.width = width;
    this.patience = patience;
    this.threads =
        Executors.newFixedThreadPool(
            width,
            task -> {
              Thread thread = new Thread(task, "demo-" + name);
              thread.setDaemon(true);
              return thread;
            });
  }

  String name() {
    return name;
  }

  /** The expected number of entries. */
  int entries() {
    return notes.size();
  }

  /** The number of reads that had to be repeated. */
  int lateReads() {
    return late.get();
  }

  /** Writes all orders. */
  void write(List<ShopOrder> orders) {
    each(orders, order -> put(order.key(), order));
  }

  /** Reads every key that was ever written, and fails at the first unexpected value. */
  int readAll() {
    each(List.copyOf(notes.keySet()), this::read);
    return notes.size();
  }

  /**
   * Runs reads, writes and conditional operations in equal parts. Each order is read, shipped if it
   * is unchanged, not shipped again, and paid for. For each order a copy is added if there is none,
   * exactly once; every second copy is removed again.
   *
   * @param orders orders that were written
   */
  DemoCounts work(List<ShopOrder> orders) {
    AtomicInteger reads = new AtomicInteger();
    AtomicInteger writes = new AtomicInteger();
    AtomicInteger conditional = new AtomicInteger();
    each(
        orders,
        order -> {
          String key = order.key();
          ShopOrder before = Objects.requireNonNull(notes.get(key), "an order that was written");
          read(key);
          ship(key, before);
          put(key, before.withState("paid"));
          addOnce(key + ":copy", before);
          read(key);
          if (order.id() % 2 == 0) {
            remove(key + ":copy");
            writes.incrementAndGet();
          }
          reads.addAndGet(2);
          writes.incrementAndGet();
          conditional.addAndGet(4);
        });
    return new DemoCounts(reads.get(), writes.get(), conditional.get());
  }

  private void read(String key) {
    ShopOrder wanted = notes.get(key);
    ShopOrder found = cache.get(key);
    if (!Objects.equals(wanted, found) && !patience.isZero()) {
      late.incrementAndGet();
      long begin = System.nanoTime();
      while (!Objects.equals(wanted, found) && System.nanoTime() - begin < patience.toNanos()) {
        found = cache.get(key);
      }
    }
    same(key, wanted, found);
  }

  private void put(String key, ShopOrder order) {
    cache.put(key, order);
    notes.put(key, order);
  }

  private void remove(String key) {
    cache.remove(key);
    notes.remove(key);
    read(key);
  }

  private void ship(String key, ShopOrder before) {
    ShopOrder shipped = before.withState("shipped");
    must(key, "replace the present value", cache.replace(key, before, shipped));
    notes.put(key, shipped);
    must(key, "not replace a former value", !cache.replace(key, before, shipped));
  }

  private void addOnce(String key, ShopOrder order) {
    same(key, null, cache.putIfAbsent(key, order));
    notes.put(key, order);
    same(key, order, cache.putIfAbsent(key, order.withState("never")));
  }

  private void must(String key, String what, boolean holds) {
    if (!holds) {
      throw new VerificationException(
          "the operation must " + what + "; cache=" + name + " key=" + key);
    }
  }

  private void same(String key, @Nullable ShopOrder wanted, @Nullable ShopOrder found) {
    if (!Objects.equals(wanted, found)) {
      throw new VerificationException(
          "expected %s, found %s; cache=%s key=%s".formatted(wanted, found, name, key));
    }
  }

  private <T> void each(List<T> items, Consumer<T> work) {
    AtomicInteger next = new AtomicInteger();
    List<Future<?>> tasks = new ArrayList<>();
    for (int threadIndex = 0; threadIndex < width; threadIndex++) {
      tasks.add(
          threads.submit(
              () -> {
                for (int i = next.getAndIncrement(); i < items.size(); i = next.getAndIncrement()) {
                  work.accept(items.get(i));
                }
              }));
    }
    tasks.forEach(MapVerifier::finish);
  }

  private static void finish(Future<?> task) {
    try {
      task.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new VerificationException("interrupted");
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}

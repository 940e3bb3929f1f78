package io.ensemble.jcache;

import java.util.concurrent.atomic.LongAdder;
import javax.cache.management.CacheStatisticsMXBean;

/** The statistics of the operations on one cache object. Thread-safe. */
final class CacheStatistics implements CacheStatisticsMXBean {

  private static final float NANOS_PER_MICRO = 1000;

  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder puts = new LongAdder();
  private final LongAdder removals = new LongAdder();
  private final OperationTimes gets = new OperationTimes();
  private final OperationTimes putTimes = new OperationTimes();
  private final OperationTimes removeTimes = new OperationTimes();
  private volatile boolean enabled;

  private static final class OperationTimes {

    private final LongAdder count = new LongAdder();
    private final LongAdder nanos = new LongAdder();

    void add(long since) {
      count.increment();
      nanos.add(Math.max(0, System.nanoTime() - since));
    }

    float average() {
      long number = count.sum();
      return number == 0 ? 0 : nanos.sum() / NANOS_PER_MICRO / number;
    }

    void reset() {
      count.reset();
      nanos.reset();
    }
  }

  void enable(boolean wanted) {
    enabled = wanted;
  }

  boolean isEnabled() {
    return enabled;
  }

  void lookup(boolean isHit) {
    if (enabled) {
      (isHit ? hits : misses).increment();
    }
  }

  void lookup(boolean isHit, long since) {
    if (enabled) {
      lookup(isHit);
      gets.add(since);
    }
  }

  /** Ends a lookup that was counted before. */
  void lookupEnded(long since) {
    if (enabled) {
      gets.add(since);
    }
  }

  void put(long since) {
    if (enabled) {
      puts.increment();
      putTimes.add(since);
    }
  }

  void puts(long number, long since) {
    if (enabled && number > 0) {
      puts.add(number);
      putTimes.add(since);
    }
  }

  void remove(long since) {
    if (enabled) {
      removals.increment();
      removeTimes.add(since);
    }
  }

  void removals(long number) {
    if (enabled) {
      removals.add(number);
    }
  }

  @Override
  public void clear() {
    hits.reset();
    misses.reset();
    puts.reset();
    removals.reset();
    gets.reset();
    putTimes.reset();
    removeTimes.reset();
  }

  @Override
  public long getCacheHits() {
    return hits.sum();
  }

  @Override
  public float getCacheHitPercentage() {
    return percentage(getCacheHits());
  }

  @Override
  public long getCacheMisses() {
    return misses.sum();
  }

  @Override
  public float getCacheMissPercentage() {
    return percentage(getCacheMisses());
  }

  private float percentage(long part) {
    long all = getCacheGets();
    return all == 0 ? 0 : 100.0f * part / all;
  }

  @Override
  public long getCacheGets() {
    return getCacheHits() + getCacheMisses();
  }

  @Override
  public long getCachePuts() {
    return puts.sum();
  }

  @Override
  public long getCacheRemovals() {
    return removals.sum();
  }

  /** Always 0: Ensemble evicts no entries. */
  @Override
  public long getCacheEvictions() {
    return 0;
  }

  @Override
  public float getAverageGetTime() {
    return gets.average();
  }

  @Override
  public float getAveragePutTime() {
    return putTimes.average();
  }

  @Override
  public float getAverageRemoveTime() {
    return removeTimes.average();
  }
}

package io.ensemble.objects.sync;

import io.ensemble.objects.sync.link.FactoryLink;
import java.util.UUID;
import java.util.concurrent.CompletionStage;

/** A counter that processes share. A change is one call. Thread-safe. */
public final class SharedCounter implements AutoCloseable {

  private final FactoryLink<CounterState> link;

  SharedCounter(FactoryLink<CounterState> link) {
    this.link = link;
  }

  /** Returns the value. Costs one read. */
  public long get() {
    return link.proxy().get();
  }

  /** As {@link #get}, without waiting. */
  public CompletionStage<Long> getAsync() {
    return link.call(s -> s.get());
  }

  /** Sets the value. Returns the previous one. */
  public long getAndSet(long next) {
    return link.proxy().set(next);
  }

  /** As {@link #getAndSet}, without waiting. */
  public CompletionStage<Long> getAndSetAsync(long next) {
    return link.call(s -> s.set(next));
  }

  /** Adds to the value. Returns the sum. */
  public long addAndGet(long delta) {
    return link.proxy().add(delta);
  }

  /** As {@link #addAndGet}, without waiting. */
  public CompletionStage<Long> addAndGetAsync(long delta) {
    return link.call(s -> s.add(delta));
  }

  /** Sets the value to {@code next} if it is {@code expected}; returns whether it was. */
  public boolean compareAndSet(long expected, long next) {
    return link.proxy().compareAndSet(expected, next);
  }

  /** As {@link #compareAndSet}, without waiting. */
  public CompletionStage<Boolean> compareAndSetAsync(long expected, long next) {
    return link.call(s -> s.compareAndSet(expected, next));
  }

  /**
   * As {@link #addAndGetAsync}, for a call with an id. The call may be repeated by any process,
   * whatever its outcome was, and takes effect once, if all repetitions are within five minutes by
   * all clocks. A counter accepts at most 1,000 such calls in five minutes.
   *
   * @param call an id that no other call has
   */
  public CompletionStage<CounterResult> addOnceAsync(UUID call, long delta) {
    long now = System.currentTimeMillis();
    return link.call(s -> s.addOnce(call, delta, now));
  }

  /** As {@link #compareAndSetAsync}, for a call with an id; see {@link #addOnceAsync}. */
  public CompletionStage<CounterResult> compareAndSetOnceAsync(
      UUID call, long expected, long next) {
    long now = System.currentTimeMillis();
    return link.call(s -> s.compareAndSetOnce(call, expected, next, now));
  }

  /** Adds to the value. Returns the previous one. */
  public long getAndAdd(long delta) {
    return addAndGet(delta) - delta;
  }

  /** As {@link #getAndAdd}, without waiting. */
  public CompletionStage<Long> getAndAddAsync(long delta) {
    return addAndGetAsync(delta).thenApply(sum -> sum - delta);
  }

  /** Sets the value. */
  public void set(long next) {
    getAndSet(next);
  }

  /** Adds one. Returns the sum. */
  public long incrementAndGet() {
    return addAndGet(1);
  }

  /** As {@link #incrementAndGet}, without waiting. */
  public CompletionStage<Long> incrementAndGetAsync() {
    return addAndGetAsync(1);
  }

  /** Subtracts one. Returns the difference. */
  public long decrementAndGet() {
    return addAndGet(-1);
  }

  /** As {@link #decrementAndGet}, without waiting. */
  public CompletionStage<Long> decrementAndGetAsync() {
    return addAndGetAsync(-1);
  }

  @Override
  public void close() {
    link.close();
  }
}

package io.ensemble.objects.sync;

import io.ensemble.objects.sync.link.FactoryLink;
import io.ensemble.objects.sync.listener.ListenerRegistration;
import io.ensemble.objects.sync.listener.ValueListener;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * A counter that processes share. A change is one call. A change beyond the bounds of a counter
 * that has bounds is refused with {@link IllegalStateException}, and the value stays; without
 * bounds, the value wraps around as a long does. Thread-safe.
 */
public final class SharedCounter implements AutoCloseable {

  /**
   * The values that a counter may have.
   *
   * @param min the smallest
   * @param max the largest, not smaller than {@code min}
   */
  public record Bounds(long min, long max) {

    static final Bounds NONE = new Bounds(Long.MIN_VALUE, Long.MAX_VALUE);

    /**
     * Bounds of a counter.
     *
     * @throws IllegalArgumentException if {@code max} is smaller than {@code min}
     */
    public Bounds {
      if (max < min) {
        throw new IllegalArgumentException(
            "the largest value must not be below the smallest; got [" + min + ", " + max + "]");
      }
    }

    @Override
    public String toString() {
      return "[" + min + ", " + max + "]";
    }
  }

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

  /** The bounds of the counter; those of a long if it has none. Costs one read. */
  public Bounds bounds() {
    return link.proxy().bounds();
  }

  /** As {@link #bounds}, without waiting. */
  public CompletionStage<Bounds> boundsAsync() {
    return link.call(s -> s.bounds());
  }

  /**
   * Registers a listener, which gets the present value, and then the value after each change that
   * this process sees. Several changes in a row may be reported as one; the last one is always
   * reported. Costs a read for each change, and one for each second, or four where the store has no
   * events.
   *
   * @param listener called on the executor of the factory, one call at a time; must not block for
   *     long. A failure of it is logged, and does not end it
   * @return closes the listener, which also ends when this handle is closed
   */
  public ListenerRegistration listen(Consumer<? super Long> listener) {
    return new ValueListener<CounterState, Long, Long>(
            link, CounterState::get, value -> value, listener)
        .begin();
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

package io.ensemble.objects.sync;

import io.ensemble.objects.sync.link.FactoryLink;
import java.util.UUID;
import java.util.concurrent.CompletionStage;

/** A number that processes count with. A change is one call. Thread-safe. */
public final class SharedCounter implements AutoCloseable {

  private final FactoryLink<CounterState> link;

  SharedCounter(FactoryLink<CounterState> link) {
    this.link = link;
  }

  /** The number. One read. */
  public long get() {
    return link.proxy().get();
  }

  /** As {@link #get}, without waiting. */
  public CompletionStage<Long> getAsync() {
    return link.call(s -> s.get());
  }

  /** Puts another number in its place. Gives the one that was there. */
  public long getAndSet(long next) {
    return link.proxy().set(next);
  }

  /** As {@link #getAndSet}, without waiting. */
  public CompletionStage<Long> getAndSetAsync(long next) {
    return link.call(s -> s.set(next));
  }

  /** Adds to it. Gives the sum. */
  public long addAndGet(long delta) {
    return link.proxy().add(delta);
  }

  /** As {@link #addAndGet}, without waiting. */
  public CompletionStage<Long> addAndGetAsync(long delta) {
    return link.call(s -> s.add(delta));
  }

  /** Puts {@code next} there if {@code expected} is there; tells whether. */
  public boolean compareAndSet(long expected, long next) {
    return link.proxy().compareAndSet(expected, next);
  }

  /** As {@link #compareAndSet}, without waiting. */
  public CompletionStage<Boolean> compareAndSetAsync(long expected, long next) {
    return link.call(s -> s.compareAndSet(expected, next));
  }

  /**
   * As {@link #addAndGetAsync}, of a call with a name of its own: it may be made again, by whatever
   * process and whatever became of it, and is done once, if that is within five minutes by all
   * clocks. At most 1,000 such calls of a counter are made in five minutes.
   *
   * @param call a name that no other call has
   */
  public CompletionStage<CounterResult> addOnceAsync(UUID call, long delta) {
    long now = System.currentTimeMillis();
    return link.call(s -> s.addOnce(call, delta, now));
  }

  /** As {@link #compareAndSetAsync}, in the same way. */
  public CompletionStage<CounterResult> compareAndSetOnceAsync(
      UUID call, long expected, long next) {
    long now = System.currentTimeMillis();
    return link.call(s -> s.compareAndSetOnce(call, expected, next, now));
  }

  /** Adds to it. Gives what was there before. */
  public long getAndAdd(long delta) {
    return addAndGet(delta) - delta;
  }

  /** As {@link #getAndAdd}, without waiting. */
  public CompletionStage<Long> getAndAddAsync(long delta) {
    return addAndGetAsync(delta).thenApply(sum -> sum - delta);
  }

  /** Puts another number in its place. */
  public void set(long next) {
    getAndSet(next);
  }

  /** Adds one. Gives the sum. */
  public long incrementAndGet() {
    return addAndGet(1);
  }

  /** As {@link #incrementAndGet}, without waiting. */
  public CompletionStage<Long> incrementAndGetAsync() {
    return addAndGetAsync(1);
  }

  /** Takes one away. Gives what is left. */
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

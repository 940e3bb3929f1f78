package io.ensemble.objects.sync.view;

import io.ensemble.objects.sync.SharedQueue;
import java.time.Duration;
import java.util.AbstractQueue;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A {@link SharedQueue} as a {@link BlockingQueue}; see {@link SharedQueue#asBlockingQueue}. */
public final class BlockingQueueView<V> extends AbstractQueue<V> implements BlockingQueue<V> {

  private static final Duration FOREVER = Duration.ofDays(36_500);

  private final SharedQueue<V> queue;
  private final Class<V> type;

  /** A view whose arguments of other classes are absent. */
  public BlockingQueueView(SharedQueue<V> queue, Class<V> type) {
    this.queue = queue;
    this.type = type;
  }

  @Override
  public boolean offer(V value) {
    return queue.enqueue(value);
  }

  @Override
  public boolean offer(V value, long time, TimeUnit unit) throws InterruptedException {
    return queue.enqueue(value, time, unit);
  }

  @Override
  public void put(V value) throws InterruptedException {
    queue.enqueue(value, FOREVER);
  }

  @Override
  public @Nullable V poll() {
    return queue.dequeue();
  }

  @Override
  public @Nullable V poll(long time, TimeUnit unit) throws InterruptedException {
    return queue.take(time, unit).orElse(null);
  }

  @Override
  public V take() throws InterruptedException {
    return queue.take(FOREVER).orElseThrow();
  }

  @Override
  public @Nullable V peek() {
    return queue.peek();
  }

  @Override
  public int size() {
    return queue.size();
  }

  @Override
  public int remainingCapacity() {
    int capacity = queue.capacity();
    return capacity == Integer.MAX_VALUE ? capacity : Math.max(0, capacity - size());
  }

  @Override
  public boolean remove(@Nullable Object value) {
    return type.isInstance(value) && queue.remove(type.cast(value));
  }

  @Override
  public void clear() {
    queue.clear();
  }

  @Override
  public int drainTo(Collection<? super V> target) {
    return drainTo(target, Integer.MAX_VALUE);
  }

  /** One call for each value: if one fails, the target has the values before it. */
  @Override
  public int drainTo(Collection<? super V> target, int most) {
    if (Objects.requireNonNull(target, "the target") == this) {
      throw new IllegalArgumentException("a queue cannot be drained to itself");
    }
    int drained = 0;
    for (V next = next(drained, most); next != null; next = next(drained, most)) {
      target.add(next);
      drained++;
    }
    return drained;
  }

  private @Nullable V next(int drained, int most) {
    return drained < most ? queue.dequeue() : null;
  }

  /** Over a copy of the queue at one moment; without removal. */
  @Override
  public Iterator<V> iterator() {
    return Collections.unmodifiableList(queue.snapshot()).iterator();
  }
}

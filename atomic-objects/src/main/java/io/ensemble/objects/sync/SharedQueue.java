package io.ensemble.objects.sync;

import io.ensemble.objects.AtomicObjectException.CallRefused;
import io.ensemble.objects.runtime.BlockingWait;
import io.ensemble.objects.runtime.UnwrappedCause;
import io.ensemble.objects.sync.link.FactoryLink;
import io.ensemble.objects.sync.link.ObjectLink;
import io.ensemble.objects.sync.state.ElementCodec;
import io.ensemble.objects.sync.state.EncodedValue;
import io.ensemble.objects.sync.state.QueueState;
import io.ensemble.objects.sync.view.BlockingQueueView;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A queue that processes share, first in, first out, without nulls. Each operation is one call; an
 * operation that only reads is one read. The whole queue is one object, so it should be small (less
 * than 1 MiB). Each value is taken once; a value whose taking ends unknown may be lost.
 * Thread-safe.
 */
public final class SharedQueue<V> implements AutoCloseable {

  private final FactoryLink<QueueState> link;
  private final ElementCodec<V> elements;
  private final int capacity;

  SharedQueue(FactoryLink<QueueState> link, ElementCodec<V> elements, int capacity) {
    this.link = link;
    this.elements = elements;
    this.capacity = capacity;
  }

  /**
   * The maximum number of values; {@code Integer.MAX_VALUE} if only the size of an object limits.
   */
  public int capacity() {
    return capacity;
  }

  /** Adds a value at the end. False if the queue is full. */
  public boolean enqueue(V value) {
    return link.proxy().enqueue(elements.write(value));
  }

  /** As {@link #enqueue}, without waiting. */
  public CompletionStage<Boolean> enqueueAsync(V value) {
    return link.call(s -> s.enqueue(elements.write(value)));
  }

  /**
   * Adds a value at the end, as soon as there is room. Costs one call, or a read when an event
   * reports room, and at least one call.
   *
   * @return false if there was no room in time
   * @throws io.ensemble.objects.AtomicObjectException.CallUnknown if the value may have been added
   * @throws InterruptedException if the value was not added. If the thread is interrupted while a
   *     call adds the value, this method returns true, and the interrupt flag is set
   */
  public boolean enqueue(V value, Duration atMost) throws InterruptedException {
    EnqueueWait enqueueing = new EnqueueWait(link, elements.write(value), atMost);
    CompletableFuture<Boolean> added = enqueueing.begin();
    try {
      return BlockingWait.of(added);
    } catch (InterruptedException e) {
      boolean isCancelled = added.cancel(false);
      if (BlockingWait.toItsEnd(isCancelled ? enqueueing.outcome() : added)) {
        Thread.currentThread().interrupt();
        return true;
      }
      throw e;
    }
  }

  /** As the other method, with a time in the form of {@code java.util.concurrent}. */
  public boolean enqueue(V value, long time, TimeUnit unit) throws InterruptedException {
    return enqueue(value, AsyncWait.duration(time, unit));
  }

  /** Removes the first value that equals this one. False if there is none. */
  public boolean remove(V value) {
    return link.proxy().remove(elements.write(value));
  }

  /** As {@link #remove}, without waiting. */
  public CompletionStage<Boolean> removeAsync(V value) {
    return link.call(s -> s.remove(elements.write(value)));
  }

  /** Removes all values. */
  public void clear() {
    link.proxy().clear();
  }

  /** As {@link #clear}, without waiting. */
  public CompletionStage<?> clearAsync() {
    return link.run(s -> s.clear());
  }

  /**
   * This queue as a {@link BlockingQueue}, with the same values. {@code put}, {@code take} and the
   * forms with a time wait as {@link #enqueue(Object, Duration)} and {@link #take} do; the other
   * operations cost one call. {@code drainTo} costs a call for each value. Iterations read a copy
   * of the whole queue at one moment, and remove nothing. Nulls are refused.
   */
  public BlockingQueue<V> asBlockingQueue() {
    return new BlockingQueueView<>(this, elements.type());
  }

  /** Removes and returns the first value; null if there is none. */
  public @Nullable V dequeue() {
    return elements.readOrNull(link.proxy().dequeue());
  }

  /** As {@link #dequeue}, without waiting. */
  public CompletionStage<@Nullable V> dequeueAsync() {
    return link.call(s -> s.dequeue()).thenApply(elements::readOrNull);
  }

  /** Returns the first value, which stays in the queue; null if there is none. */
  public @Nullable V peek() {
    return elements.readOrNull(link.proxy().peek());
  }

  /** As {@link #peek}, without waiting. */
  public CompletionStage<@Nullable V> peekAsync() {
    return link.call(s -> s.peek()).thenApply(elements::readOrNull);
  }

  /** The number of values. */
  public int size() {
    return link.proxy().size();
  }

  /** As {@link #size}, without waiting. */
  public CompletionStage<Integer> sizeAsync() {
    return link.call(s -> s.size());
  }

  /** Returns a copy of the whole queue at one moment. */
  public List<V> snapshot() {
    return elements.readAll(link.proxy().snapshot());
  }

  /** As {@link #snapshot}, without waiting. */
  public CompletionStage<List<V>> snapshotAsync() {
    return link.call(s -> s.snapshot()).thenApply(elements::readAll);
  }

  /**
   * Removes and returns the first value, as soon as there is one. If the caller stops waiting at
   * the moment in which a value arrives, the value is put back at the front.
   *
   * @return empty if no value arrived in time
   */
  public Optional<V> take(Duration atMost) throws InterruptedException {
    CompletableFuture<Optional<EncodedValue>> taken = new TakeWait(link, atMost).begin();
    try {
      return BlockingWait.of(taken).map(elements::read);
    } catch (InterruptedException e) {
      if (!taken.cancel(false)) {
        taken.thenAccept(this::putBack); // A value arrived just now.
      }
      throw e;
    }
  }

  /** As {@link #take(Duration)}, with a time in the form of {@code java.util.concurrent}. */
  public Optional<V> take(long time, TimeUnit unit) throws InterruptedException {
    return take(AsyncWait.duration(time, unit));
  }

  /** As {@link #take(Duration)}, without a blocked thread. */
  public CompletionStage<Optional<V>> takeAsync(Duration atMost) {
    CompletableFuture<Optional<EncodedValue>> taken = new TakeWait(link, atMost).begin();
    CompletableFuture<Optional<V>> read = new CompletableFuture<>();
    taken.whenComplete((item, failure) -> hand(item, failure, read));
    read.whenComplete((value, failure) -> taken.cancel(false));
    return read;
  }

  /** If the caller stops waiting while the value is decoded, the value is put back, too. */
  private void hand(
      @Nullable Optional<EncodedValue> item,
      @Nullable Throwable failure,
      CompletableFuture<Optional<V>> taker) {
    try {
      if (item == null) {
        taker.completeExceptionally(Objects.requireNonNull(failure));
      } else if (!taker.complete(item.map(elements::read))) {
        putBack(item);
      }
    } catch (RuntimeException e) {
      taker.completeExceptionally(e);
    }
  }

  private void putBack(Optional<EncodedValue> item) {
    item.ifPresent(i -> link.run(s -> s.putBack(i)).exceptionally(e -> null));
  }

  @Override
  public void close() {
    link.close();
  }

  /** A value that is added once. An interrupted caller learns whether it was. */
  private static final class EnqueueWait extends AsyncWait<QueueState, Boolean> {

    private final ObjectLink<QueueState> queue;
    private final EncodedValue item;
    private final CompletableFuture<Boolean> outcome = new CompletableFuture<>();
    private boolean underWay;

    EnqueueWait(ObjectLink<QueueState> queue, EncodedValue item, Duration atMost) {
      super(queue, atMost);
      this.queue = queue;
      this.item = item;
    }

    /** Whether the value was added; completes when the caller no longer waits, or fails. */
    CompletionStage<Boolean> outcome() {
      return outcome;
    }

    @Override
    CompletionStage<Optional<Boolean>> readCondition() {
      synchronized (this) {
        if (outcome.isDone()) {
          return CompletableFuture.completedFuture(Optional.empty());
        }
        underWay = true;
      }
      return queue.call(s -> s.enqueue(item)).handle(this::handleResponse);
    }

    private Optional<Boolean> handleResponse(@Nullable Boolean added, @Nullable Throwable failure) {
      synchronized (this) {
        underWay = false;
      }
      if (failure != null) {
        Throwable cause = UnwrappedCause.of(failure);
        if (!isTransient(cause)) {
          outcome.completeExceptionally(cause); // The value may have been added.
        }
        throw new CompletionException(cause);
      }
      return Boolean.TRUE.equals(added) ? Optional.of(true) : Optional.empty();
    }

    @Override
    boolean isReadWorthwhile(QueueState reported) {
      return reported.size() < reported.declared();
    }

    /** A call that may have added the value is not repeated. */
    @Override
    boolean isTransient(Throwable failure) {
      return failure instanceof CallRefused;
    }

    @Override
    CompletionStage<Boolean> handleTimeout() {
      return CompletableFuture.completedFuture(false);
    }

    @Override
    void withdraw() {
      synchronized (this) {
        if (underWay) {
          return;
        }
      }
      outcome.complete(false);
    }

    @Override
    void discardResult(Boolean added) {
      outcome.complete(added);
    }
  }

  private static final class TakeWait extends AsyncWait<QueueState, Optional<EncodedValue>> {

    private final ObjectLink<QueueState> queue;
    private boolean looked;

    TakeWait(ObjectLink<QueueState> queue, Duration atMost) {
      super(queue, atMost);
      this.queue = queue;
    }

    @Override
    CompletionStage<Optional<Optional<EncodedValue>>> readCondition() {
      if (!looked) {
        looked = true;
        return dequeued();
      }
      return queue
          .call(QueueState::size)
          .thenCompose(
              size -> size == 0 ? CompletableFuture.completedFuture(Optional.empty()) : dequeued());
    }

    private CompletionStage<Optional<Optional<EncodedValue>>> dequeued() {
      return queue
          .call(QueueState::dequeue)
          .thenApply(item -> Optional.ofNullable(item).map(Optional::of));
    }

    @Override
    boolean isReadWorthwhile(QueueState reported) {
      return reported.size() > 0;
    }

    /** A call that may have removed a value is not repeated. */
    @Override
    boolean isTransient(Throwable failure) {
      return failure instanceof CallRefused;
    }

    @Override
    CompletionStage<Optional<EncodedValue>> handleTimeout() {
      return CompletableFuture.completedFuture(Optional.empty());
    }

    @Override
    void withdraw() {}

    @Override
    void discardResult(Optional<EncodedValue> item) {
      item.ifPresent(i -> queue.run(s -> s.putBack(i)).exceptionally(e -> null));
    }
  }
}

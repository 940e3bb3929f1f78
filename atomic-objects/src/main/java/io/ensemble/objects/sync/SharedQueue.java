package io.ensemble.objects.sync;

import io.ensemble.objects.AtomicObjectException.CallRefused;
import io.ensemble.objects.runtime.BlockingWait;
import io.ensemble.objects.sync.link.FactoryLink;
import io.ensemble.objects.sync.link.ObjectLink;
import io.ensemble.objects.sync.state.ElementCodec;
import io.ensemble.objects.sync.state.EncodedValue;
import io.ensemble.objects.sync.state.QueueState;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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

  SharedQueue(FactoryLink<QueueState> link, ElementCodec<V> elements) {
    this.link = link;
    this.elements = elements;
  }

  /** Adds a value at the end. False if the queue is full. */
  public boolean enqueue(V value) {
    return link.proxy().enqueue(elements.write(value));
  }

  /** As {@link #enqueue}, without waiting. */
  public CompletionStage<Boolean> enqueueAsync(V value) {
    return link.call(s -> s.enqueue(elements.write(value)));
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
    CompletableFuture<Optional<EncodedValue>> taken = new Taking(link, atMost).begin();
    try {
      return BlockingWait.of(taken).map(elements::read);
    } catch (InterruptedException e) {
      if (!taken.cancel(false)) {
        taken.thenAccept(this::putBack); // A value arrived just now.
      }
      throw e;
    }
  }

  /** As {@link #take}, without a blocked thread. */
  public CompletionStage<Optional<V>> takeAsync(Duration atMost) {
    CompletableFuture<Optional<EncodedValue>> taken = new Taking(link, atMost).begin();
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

  private static final class Taking extends AsyncWait<QueueState, Optional<EncodedValue>> {

    private final ObjectLink<QueueState> queue;
    private boolean looked;

    Taking(ObjectLink<QueueState> queue, Duration atMost) {
      super(queue, atMost);
      this.queue = queue;
    }

    @Override
    CompletionStage<Optional<Optional<EncodedValue>>> look() {
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
    boolean mayBeThere(QueueState told) {
      return told.size() > 0;
    }

    /** A call that may have removed a value is not repeated. */
    @Override
    boolean isPassing(Throwable failure) {
      return failure instanceof CallRefused;
    }

    @Override
    CompletionStage<Optional<EncodedValue>> timeUp() {
      return CompletableFuture.completedFuture(Optional.empty());
    }

    @Override
    void abandoned() {}

    @Override
    void undelivered(Optional<EncodedValue> item) {
      item.ifPresent(i -> queue.run(s -> s.putBack(i)).exceptionally(e -> null));
    }
  }
}

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
 * A queue that processes share, first in, first out, without nulls. Each operation is one call, and
 * one that only reads, one read; the whole queue is one object, so keep it small (under a
 * megabyte). Each value that is in is taken out once; one whose taking ends unknown may be lost.
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

  /** Takes the first value out; null if there is none. */
  public @Nullable V dequeue() {
    return elements.readOrNull(link.proxy().dequeue());
  }

  /** As {@link #dequeue}, without waiting. */
  public CompletionStage<@Nullable V> dequeueAsync() {
    return link.call(s -> s.dequeue()).thenApply(elements::readOrNull);
  }

  /** The first value, which stays in; null if there is none. */
  public @Nullable V peek() {
    return elements.readOrNull(link.proxy().peek());
  }

  /** As {@link #peek}, without waiting. */
  public CompletionStage<@Nullable V> peekAsync() {
    return link.call(s -> s.peek()).thenApply(elements::readOrNull);
  }

  /** How many are in. */
  public int size() {
    return link.proxy().size();
  }

  /** As {@link #size}, without waiting. */
  public CompletionStage<Integer> sizeAsync() {
    return link.call(s -> s.size());
  }

  /** A copy of the whole, as it was at one moment. */
  public List<V> snapshot() {
    return elements.readAll(link.proxy().snapshot());
  }

  /** As {@link #snapshot}, without waiting. */
  public CompletionStage<List<V>> snapshotAsync() {
    return link.call(s -> s.snapshot()).thenApply(elements::readAll);
  }

  /**
   * Takes the first value out, as soon as there is one. A caller that goes away at the moment that
   * one comes has it put back, at the front.
   *
   * @return empty if none came in time
   */
  public Optional<V> take(Duration atMost) throws InterruptedException {
    CompletableFuture<Optional<EncodedValue>> taken = new Taking(link, atMost).begin();
    try {
      return BlockingWait.of(taken).map(elements::read);
    } catch (InterruptedException e) {
      if (!taken.cancel(false)) {
        taken.thenAccept(this::putBack); // It came at that very moment.
      }
      throw e;
    }
  }

  /** As {@link #take}, without a thread that waits. */
  public CompletionStage<Optional<V>> takeAsync(Duration atMost) {
    CompletableFuture<Optional<EncodedValue>> taken = new Taking(link, atMost).begin();
    CompletableFuture<Optional<V>> read = new CompletableFuture<>();
    taken.whenComplete((item, failure) -> hand(item, failure, read));
    read.whenComplete((value, failure) -> taken.cancel(false));
    return read;
  }

  /** Whoever goes away while the value is read has it put back, too. */
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

    /** What may have taken something out is not done again. */
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

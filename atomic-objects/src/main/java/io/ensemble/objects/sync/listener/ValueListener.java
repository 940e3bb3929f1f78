package io.ensemble.objects.sync.listener;

import io.ensemble.objects.AtomicObjectException;
import io.ensemble.objects.AtomicObjectException.NoSuchObject;
import io.ensemble.objects.runtime.UnwrappedCause;
import io.ensemble.objects.sync.link.ObjectLink;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies a listener of the values of an object that it sees: the first one, and each that differs
 * from the one before. Reads the object when an event reports another value, and from time to time.
 * One notification is in progress at a time, so a slow listener skips values. Ends with the handle
 * or the object.
 */
public final class ValueListener<S, R, V> implements ListenerRegistration {

  private static final Logger LOG = LoggerFactory.getLogger(ValueListener.class);
  private static final long PAUSE = 1_000_000_000;

  private final ObjectLink<S> link;
  private final Function<? super S, R> call;
  private final Function<? super R, V> value;
  private final Consumer<? super V> listener;
  private volatile boolean closed;
  private volatile @Nullable V last;

  /**
   * A listener that has not begun.
   *
   * @param call one call, which only reads
   * @param value the value in the result of the call
   */
  public ValueListener(
      ObjectLink<S> link,
      Function<? super S, R> call,
      Function<? super R, V> value,
      Consumer<? super V> listener) {
    this.link = link;
    this.call = call;
    this.value = value;
    this.listener = listener;
  }

  /** Begins with the present value. */
  public ValueListener<S, R, V> begin() {
    round(CompletableFuture.completedFuture(null));
    return this;
  }

  @Override
  public void close() {
    closed = true;
  }

  /** The change is requested before the read, so that no change is missed between them. */
  private void round(CompletionStage<Void> change) {
    if (closed || link.isClosed()) {
      return;
    }
    CompletionStage<V> read;
    try {
      read = link.call(call).thenApply(value);
    } catch (RuntimeException e) {
      read = CompletableFuture.failedFuture(e);
    }
    read.whenComplete((seen, failure) -> handleRead(seen, failure, change));
  }

  private void handleRead(
      @Nullable V seen, @Nullable Throwable failure, CompletionStage<Void> change) {
    Throwable cause = failure == null ? null : UnwrappedCause.of(failure);
    if (cause != null && (!(cause instanceof AtomicObjectException) || isOver(cause))) {
      return;
    }
    link.after(
        0,
        () -> {
          notifyOf(seen);
          change.whenComplete((done, ended) -> again(ended));
        });
  }

  private boolean isOver(Throwable cause) {
    return cause instanceof NoSuchObject || link.isClosed();
  }

  private void notifyOf(@Nullable V seen) {
    if (seen == null || seen.equals(last) || closed) {
      return;
    }
    last = seen;
    try {
      listener.accept(seen);
    } catch (RuntimeException e) {
      LOG.warn("A listener failed; it stays registered. object={}", link, e);
    }
  }

  private void again(@Nullable Throwable ended) {
    if (ended != null || closed || link.isClosed()) {
      return;
    }
    try {
      round(
          link.changed(PAUSE, (state, isCertain) -> !value.apply(call.apply(state)).equals(last)));
    } catch (RuntimeException e) {
      LOG.debug("A listener ended with its handle. object={}", link, e);
    }
  }
}

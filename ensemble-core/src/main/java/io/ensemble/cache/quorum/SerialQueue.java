package io.ensemble.cache.quorum;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Inputs that arrive on any thread and are handled one at a time. A thread that adds an input while
 * no thread processes the queue processes it until it is empty. No thread waits for another, and
 * inputs are handled without a lock. The queue is as long as the requests that its owner has under
 * way.
 *
 * @param <T> the inputs
 */
public final class SerialQueue<T> {

  private final Function<? super T, @Nullable Runnable> handler;
  private final Queue<T> inputs = new ArrayDeque<>(4);
  private boolean draining; // this object's lock guards both

  /**
   * @param handler handles one input, and throws nothing. The action that it returns, at most once
   *     in the life of the queue, runs when the queue is empty and released; other threads may
   *     continue meanwhile
   */
  public SerialQueue(Function<? super T, @Nullable Runnable> handler) {
    this.handler = handler;
  }

  /** Handles {@code input} here, or has the thread that processes the queue handle it. */
  public void put(T input) {
    synchronized (this) {
      inputs.add(input);
      if (draining) {
        return;
      }
      draining = true;
    }
    Runnable lastNotification = null;
    for (T next = takeNext(); next != null; next = takeNext()) {
      Runnable notification = handler.apply(next);
      lastNotification = notification == null ? lastNotification : notification;
    }
    if (lastNotification != null) {
      lastNotification.run();
    }
  }

  private synchronized @Nullable T takeNext() {
    T next = inputs.poll();
    draining = next != null;
    return next;
  }
}

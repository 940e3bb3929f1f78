package io.ensemble.cache.quorum;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Inputs that come from any thread and are handled one at a time. Whoever brings one while nobody
 * attends to the inbox attends to it until it is empty: nobody waits for anybody, and handling
 * holds no lock. It is as long as what its owner has under way.
 *
 * @param <T> the inputs
 */
public final class SerialQueue<T> {

  private final Function<? super T, @Nullable Runnable> handler;
  private final Queue<T> inputs = new ArrayDeque<>(4);
  private boolean attended; // this object's lock guards both

  /**
   * @param handler handles one input, and throws nothing. What it answers, at most once in a life,
   *     is run when the inbox is empty, unattended: others may go on meanwhile
   */
  public SerialQueue(Function<? super T, @Nullable Runnable> handler) {
    this.handler = handler;
  }

  /** Has {@code input} handled, here or by whoever attends now. */
  public void put(T input) {
    synchronized (this) {
      inputs.add(input);
      if (attended) {
        return;
      }
      attended = true;
    }
    Runnable last = null;
    for (T next = take(); next != null; next = take()) {
      Runnable news = handler.apply(next);
      last = news == null ? last : news;
    }
    if (last != null) {
      last.run();
    }
  }

  private synchronized @Nullable T take() {
    T next = inputs.poll();
    attended = next != null;
    return next;
  }
}

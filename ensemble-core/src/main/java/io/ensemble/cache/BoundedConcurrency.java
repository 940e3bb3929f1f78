package io.ensemble.cache;

import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs a task for each of many items, at most {@value #IN_FLIGHT} at a time, and starts no further
 * task after the first failure. Ends when all started tasks have ended, with the first failure if
 * there was one.
 *
 * <p>The thread that raises {@code wakeUps} from 0 runs the loop until {@code wakeUps} is 0 again.
 * So one thread at a time uses the iterator, and items that complete immediately do not deepen the
 * stack.
 */
public final class BoundedConcurrency<T> {

  public static final int IN_FLIGHT = 64;

  private final Iterator<? extends T> items;
  private final Function<? super T, ? extends CompletionStage<?>> action;
  private final CompletableFuture<Void> end = new CompletableFuture<>();
  private final AtomicInteger wakeUps = new AtomicInteger();
  private final AtomicInteger inFlight = new AtomicInteger();
  private volatile @Nullable Throwable failure;

  private BoundedConcurrency(
      Iterator<? extends T> items, Function<? super T, ? extends CompletionStage<?>> action) {
    this.items = items;
    this.action = action;
  }

  /** Runs {@code action} for each of {@code items}. */
  public static <T> CompletionStage<Void> forEach(
      Iterable<? extends T> items, Function<? super T, ? extends CompletionStage<?>> action) {
    BoundedConcurrency<T> run = new BoundedConcurrency<>(items.iterator(), action);
    run.wake();
    return run.end;
  }

  private void wake() {
    if (wakeUps.getAndIncrement() > 0) {
      return;
    }
    int seen = 1;
    do {
      pump();
      seen = wakeUps.addAndGet(-seen);
    } while (seen > 0);
  }

  private void pump() {
    try {
      while (failure == null && inFlight.get() < IN_FLIGHT && items.hasNext()) {
        begin(items.next());
      }
    } catch (RuntimeException e) {
      failure = failure == null ? e : failure;
    }
    if (inFlight.get() == 0) {
      finish();
    }
  }

  private void begin(T item) {
    CompletionStage<?> stage = action.apply(item);
    inFlight.incrementAndGet();
    stage.whenComplete(
        (result, thrown) -> {
          if (thrown != null && failure == null) {
            failure = CompletionCause.of(thrown);
          }
          inFlight.decrementAndGet();
          wake();
        });
  }

  /** No task is running, so either all are done or a task failed. */
  private void finish() {
    Throwable first = failure;
    if (first != null) {
      end.completeExceptionally(first);
    } else if (!items.hasNext()) {
      end.complete(null);
    }
  }
}

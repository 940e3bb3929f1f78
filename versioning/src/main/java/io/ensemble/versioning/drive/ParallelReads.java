package io.ensemble.versioning.drive;

import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads many items, a bounded number at a time. */
final class ParallelReads<E, R> {

  /** The maximum number of requests in progress of one caller. */
  static final int SIZE = 64;

  private final Iterator<E> left;
  private final Function<E, CompletionStage<R>> reading;
  private final Map<E, R> read = new ConcurrentHashMap<>();
  private final CompletableFuture<Map<E, R>> end = new CompletableFuture<>();
  private int inProgress;
  private boolean filling;

  private ParallelReads(Iterator<E> all, Function<E, CompletionStage<R>> reading) {
    this.left = all;
    this.reading = reading;
  }

  /** Fails with the first failure, and then begins no further read. */
  static <E, R> CompletionStage<Map<E, R>> all(
      Set<E> all, Function<E, CompletionStage<R>> reading) {
    ParallelReads<E, R> window = new ParallelReads<>(all.iterator(), reading);
    if (all.isEmpty()) {
      window.end.complete(Map.of());
    }
    window.fill();
    return window.end;
  }

  /** A read that completes immediately, from a cached copy, does not deepen the stack. */
  private void fill() {
    synchronized (this) {
      if (filling) {
        return;
      }
      filling = true;
    }
    for (E next = next(); next != null; next = next()) {
      E one = next;
      CompletableFuture.completedFuture(one)
          .thenCompose(reading)
          .whenComplete((value, failure) -> ended(one, value, failure));
    }
  }

  private synchronized @Nullable E next() {
    if (inProgress < SIZE && left.hasNext() && !end.isDone()) {
      inProgress++;
      return left.next();
    }
    filling = false;
    return null;
  }

  private void ended(E one, R value, @Nullable Throwable failure) {
    if (failure == null) {
      read.put(one, value); // Stored before the count, so the last one sees all.
    }
    boolean last;
    synchronized (this) {
      inProgress--;
      last = inProgress == 0 && !left.hasNext();
    }
    if (failure != null) {
      end.completeExceptionally(failure);
    } else if (last) {
      end.complete(read);
    } else {
      fill();
    }
  }
}

package io.ensemble.tree.runtime;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads of one value by many callers: callers that come during a read share the next one. So each
 * gets a value that was read after its call, and at most two reads are under way or waiting.
 */
final class JoinedReads<T> {

  private final Supplier<CompletionStage<T>> reading;
  private @Nullable CompletableFuture<T> current;
  private @Nullable CompletableFuture<T> next;

  JoinedReads(Supplier<CompletionStage<T>> reading) {
    this.reading = reading;
  }

  /** A value that is read after this call. */
  CompletionStage<T> read() {
    CompletableFuture<T> mine;
    synchronized (this) {
      if (current != null) {
        next = next == null ? new CompletableFuture<>() : next;
        return next;
      }
      mine = new CompletableFuture<>();
      current = mine;
    }
    begin(mine);
    return mine;
  }

  private void begin(CompletableFuture<T> answer) {
    CompletionStage<T> read;
    try {
      read = reading.get();
    } catch (RuntimeException e) {
      read = CompletableFuture.failedFuture(e);
    }
    read.whenComplete(
        (value, failure) -> {
          CompletableFuture<T> waiting;
          synchronized (this) {
            waiting = next;
            next = null;
            current = waiting;
          }
          if (waiting != null) {
            begin(waiting);
          }
          if (failure == null) {
            answer.complete(value);
          } else {
            answer.completeExceptionally(failure);
          }
        });
  }
}

package io.ensemble.testkit.parallel;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/** Runs one blocking step on each of a few things in parallel, and waits for all of them. */
public final class Parallel {
  private Parallel() {}

  /** Every step runs even if another fails; the first failure is then thrown. */
  public static <T> void forEach(List<T> things, Consumer<? super T> step) {
    if (things.isEmpty()) {
      return;
    }
    ExecutorService threads = Executors.newFixedThreadPool(things.size());
    try {
      CompletableFuture<?>[] steps =
          things.stream()
              .map(thing -> CompletableFuture.runAsync(() -> step.accept(thing), threads))
              .toArray(CompletableFuture<?>[]::new);
      CompletableFuture.allOf(steps).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    } finally {
      threads.shutdown();
    }
  }
}

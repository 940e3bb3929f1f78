package io.ensemble.cache.weak;

import io.ensemble.cache.weak.replica.StageLoops;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stages that wait for more than one response of a site, so that the engine's close can end
 * them. Thread-safe. Reads and writes, which are more frequent, are in {@link HedgeTimer} instead.
 */
final class PendingStages implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(PendingStages.class);

  /** By identity: each action belongs to one stage. */
  private final Set<Runnable> openStages = ConcurrentHashMap.newKeySet();

  private volatile boolean closed;

  /**
   * Returns {@code stage}; if the engine closes before the stage completes, {@code end} must
   * complete it.
   */
  <T> CompletionStage<T> track(CompletionStage<T> stage, Runnable end) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    if (!future.isDone()) {
      Runnable completion = end::run;
      openStages.add(completion);
      stage.whenComplete((result, failure) -> openStages.remove(completion));
      if (closed) {
        completeStage(completion);
      }
    }
    return stage;
  }

  /** A new stage with the result of {@code stage}, or with {@code failure} at the close. */
  <T> CompletionStage<T> failOnClose(CompletionStage<T> stage, RuntimeException failure) {
    CompletableFuture<T> guarded = new CompletableFuture<>();
    stage.whenComplete(
        (value, cause) -> {
          if (cause == null) {
            guarded.complete(value);
          } else {
            guarded.completeExceptionally(StageLoops.unwrap(cause));
          }
        });
    return track(guarded, () -> guarded.completeExceptionally(failure));
  }

  private void completeStage(Runnable completion) {
    if (openStages.remove(completion)) {
      try {
        completion.run();
      } catch (RuntimeException | Error exception) {
        LOG.error("a stage could not be completed", exception);
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    openStages.forEach(this::completeStage);
  }
}

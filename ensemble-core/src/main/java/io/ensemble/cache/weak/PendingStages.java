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
  private final Set<Runnable> open = ConcurrentHashMap.newKeySet();

  private volatile boolean closed;

  /**
   * Returns {@code stage}; if the engine closes before the stage completes, {@code end} must
   * complete it.
   */
  <T> CompletionStage<T> with(CompletionStage<T> stage, Runnable end) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    if (!future.isDone()) {
      Runnable own = end::run;
      open.add(own);
      stage.whenComplete((result, failure) -> open.remove(own));
      if (closed) {
        end(own);
      }
    }
    return stage;
  }

  /** A new stage with the result of {@code stage}, or with {@code failure} at the close. */
  <T> CompletionStage<T> orFail(CompletionStage<T> stage, RuntimeException failure) {
    CompletableFuture<T> own = new CompletableFuture<>();
    stage.whenComplete(
        (result, why) -> {
          if (why == null) {
            own.complete(result);
          } else {
            own.completeExceptionally(StageLoops.unwrap(why));
          }
        });
    return with(own, () -> own.completeExceptionally(failure));
  }

  private void end(Runnable one) {
    if (open.remove(one)) {
      try {
        one.run();
      } catch (RuntimeException | Error broken) {
        LOG.error("a stage could not be completed", broken);
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    open.forEach(this::end);
  }
}

package io.ensemble.objects.sync.link;

import io.ensemble.objects.ReportTest;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One open object, as its handle uses it. The other implementation is that of the simulation, which
 * has neither store nor threads.
 *
 * @param <S> the object
 */
public interface ObjectLink<S> {

  /** Makes the one call that the function makes. */
  <R> CompletionStage<R> call(Function<? super S, ? extends R> call);

  /** As {@link #call}, for a method without a result. */
  default CompletionStage<@Nullable Void> run(Consumer<? super S> call) {
    return call(
        s -> {
          call.accept(s);
          return null;
        });
  }

  /**
   * Completes when the object may have changed in a way that matters, or after the delay.
   *
   * @param matters tests a state that was reported, which may be old
   */
  CompletionStage<Void> changed(long nanos, ReportTest<? super S> matters);

  /** The id of the session through which calls are made. */
  UUID session();

  /** The present time in nanoseconds. */
  long now();

  /**
   * Runs a task after a delay, which may be zero, on another thread. The returned runnable cancels
   * it.
   */
  Runnable after(long nanos, Runnable task);

  boolean isClosed();

  /** Closes the handle; the object remains. */
  void close();
}

package io.ensemble.objects.sync.link;

import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One object that is open, as its handle sees it. The other one is that of the simulation, which
 * has neither store nor threads.
 *
 * @param <S> the object
 */
public interface ObjectLink<S> {

  /** Makes the one call that the function makes. */
  <R> CompletionStage<R> call(Function<? super S, ? extends R> call);

  /** The same, of a method that gives nothing. */
  default CompletionStage<@Nullable Void> run(Consumer<? super S> call) {
    return call(
        s -> {
          call.accept(s);
          return null;
        });
  }

  /**
   * Completes when the object may have changed so that it matters, or after a while.
   *
   * @param matters by what was told of the state, which may be old, or have been undone
   */
  CompletionStage<Void> changed(long nanos, Predicate<? super S> matters);

  /** Whether changes are told, most of the time. */
  boolean hasEvents();

  /** Now, in nanoseconds. */
  long now();

  /** Runs a task after a while, or at once on another thread. What it gives calls that off. */
  Runnable after(long nanos, Runnable task);

  boolean isClosed();

  /** Closes the handle; the object remains. */
  void close();
}

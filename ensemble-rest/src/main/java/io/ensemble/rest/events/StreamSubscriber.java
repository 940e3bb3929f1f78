package io.ensemble.rest.events;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Who listens.
 *
 * @param name of whom so many may listen and no more
 * @param mayStill whether they may by now; asked again at each beat. Must not wait; what it fails
 *     with means no
 */
public record StreamSubscriber(String name, Supplier<CompletionStage<Boolean>> mayStill) {

  /** Somebody who always may. */
  static final StreamSubscriber ANYBODY =
      new StreamSubscriber("anybody", () -> CompletableFuture.completedFuture(true));
}

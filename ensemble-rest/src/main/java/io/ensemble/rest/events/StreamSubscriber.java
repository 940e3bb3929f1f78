package io.ensemble.rest.events;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * A caller that subscribes.
 *
 * @param name the caller's name, by which subscriptions of one caller are counted
 * @param permissionCheck whether the caller may still subscribe; asked again at each heartbeat.
 *     Must not block; a failure means no
 */
public record StreamSubscriber(String name, Supplier<CompletionStage<Boolean>> permissionCheck) {

  /** A subscriber that always may. */
  static final StreamSubscriber ANYBODY =
      new StreamSubscriber("anybody", () -> CompletableFuture.completedFuture(true));
}

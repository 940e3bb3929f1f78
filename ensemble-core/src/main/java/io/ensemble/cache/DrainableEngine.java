package io.ensemble.cache;

import io.ensemble.schedule.Deadline;
import java.util.concurrent.CompletionStage;

/** An engine that acknowledges writes before every site has them. */
public interface DrainableEngine {

  /**
   * Waits for what is still on its way: true once it has arrived or was given up, false when the
   * deadline came first. Never fails.
   */
  CompletionStage<Boolean> drain(Deadline deadline);
}

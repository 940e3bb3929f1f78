package io.ensemble.cache;

import io.ensemble.schedule.Deadline;
import java.util.concurrent.CompletionStage;

/** An engine that acknowledges writes before every site has them. */
public interface DrainableEngine {

  /**
   * Waits for copies under way: true once each has arrived or was abandoned, false when the
   * deadline comes first. Never fails.
   */
  CompletionStage<Boolean> drain(Deadline deadline);
}

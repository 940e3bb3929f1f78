package io.ensemble.objects.protocol;

import io.ensemble.objects.record.CallBatch;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The next action of a session. */
sealed interface SessionAction {

  /** Reads the root again. */
  record Look() implements SessionAction {}

  /** Takes no action before that time. */
  record WaitUntil(long nanos) implements SessionAction {}

  /**
   * Leaves its batch to other sessions.
   *
   * @param isShared whether in the shared mailbox, because other sessions do not read that of this
   *     session
   */
  record Post(boolean isShared) implements SessionAction {}

  /** Applies batches. */
  record Propose(List<CallBatch> batches, @Nullable UUID combiner) implements SessionAction {}
}

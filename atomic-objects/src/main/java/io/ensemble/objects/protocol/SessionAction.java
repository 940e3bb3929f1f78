package io.ensemble.objects.protocol;

import io.ensemble.objects.record.CallBatch;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What a session does next. */
sealed interface SessionAction {

  /** Looks at the root again. */
  record Look() implements SessionAction {}

  /** Does nothing before then. */
  record WaitUntil(long nanos) implements SessionAction {}

  /** Leaves its batch to others. */
  record Post() implements SessionAction {}

  /** Applies batches. */
  record Propose(List<CallBatch> batches, @Nullable UUID combiner) implements SessionAction {}
}

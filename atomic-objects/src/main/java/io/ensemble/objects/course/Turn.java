package io.ensemble.objects.course;

import io.ensemble.objects.root.Batch;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What a session does next. */
sealed interface Turn {

  /** Looks at the root again. */
  record Look() implements Turn {}

  /** Does nothing before then. */
  record WaitUntil(long nanos) implements Turn {}

  /** Leaves its batch to others. */
  record Post() implements Turn {}

  /** Applies batches. */
  record Propose(List<Batch> batches, @Nullable UUID combiner) implements Turn {}
}

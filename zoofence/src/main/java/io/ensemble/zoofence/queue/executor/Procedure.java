package io.ensemble.zoofence.queue.executor;

import java.util.List;
import org.apache.zookeeper.OpResult;
import org.jspecify.annotations.Nullable;

/** A command that takes several steps at its instances; begun anew when one of them was lost. */
interface Procedure {
  /** An instance can take its part. */
  void ready(int instance);

  /** An instance cannot be reached. */
  void lost(int instance);

  /** An instance is reached again. */
  void reached();

  /** All instances have answered: clears up, then runs {@code then}. */
  void end(Runnable then);

  /** What each of the client's operations answered, where it was heard; else null. */
  List<@Nullable OpResult> results();
}

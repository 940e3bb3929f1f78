package io.ensemble.zoofence.queue.executor;

import java.util.List;
import org.apache.zookeeper.OpResult;
import org.jspecify.annotations.Nullable;

/**
 * A command that takes several steps at its instances. The procedure restarts when an instance was
 * lost.
 */
interface Procedure {
  /** An instance is ready for its part. */
  void handleReady(int instance);

  /** An instance cannot be reached. */
  void handleLost(int instance);

  /** An instance is reached again, and its slots have been read. */
  void handleReached();

  /** All instances have answered: cleans up, then runs {@code callback}. */
  void end(Runnable callback);

  /** The result of each of the client's operations; null where no response has arrived. */
  List<@Nullable OpResult> results();
}

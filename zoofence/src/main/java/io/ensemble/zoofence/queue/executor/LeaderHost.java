package io.ensemble.zoofence.queue.executor;

import io.ensemble.zoofence.flattening.FlatteningEpoch;
import java.util.function.Consumer;
import org.apache.zookeeper.ZooKeeper;

/** The calls of a leader to its process, on the executor's thread. */
interface LeaderHost {
  /** Another leader is active: this one ends. */
  void endLeadership();

  /** Leads the queue from the beginning again, by the flattening epoch in force. */
  void restartLeader();

  /** As {@link #restartLeader}, after some seconds, for a queue that cannot continue now. */
  void restartLeaderLater();

  /**
   * Replaces the znode of the empty queue by another one, whose counter of commands begins at 0.
   * The leader then restarts. A queue that is no longer empty stays as it is.
   */
  void rollQueue();

  /** Passes on the flattening epoch in force when it has been read. */
  void readEpoch(Consumer<FlatteningEpoch> callback);

  /** A client of the administrative ensemble. */
  ZooKeeper admin();
}

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

  /** Passes on the flattening epoch in force when it has been read. */
  void readEpoch(Consumer<FlatteningEpoch> callback);

  /** A client of the administrative ensemble. */
  ZooKeeper admin();
}

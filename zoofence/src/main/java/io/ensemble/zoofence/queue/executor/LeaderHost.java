package io.ensemble.zoofence.queue.executor;

import io.ensemble.zoofence.flattening.FlatteningEpoch;
import java.util.function.Consumer;
import org.apache.zookeeper.ZooKeeper;

/** What a leader asks of the process in which it leads; on the executor's thread. */
interface LeaderHost {
  /** Another leader works: this one is over. */
  void superseded();

  /** Leads the queue anew, from the beginning, by the edition of the flattening in force. */
  void anew();

  /** Hands on the edition in force, when it has been read. */
  void latest(Consumer<FlatteningEpoch> then);

  /** A client of the administrative ensemble. */
  ZooKeeper admin();
}

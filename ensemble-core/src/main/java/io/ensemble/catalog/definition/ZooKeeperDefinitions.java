package io.ensemble.catalog.definition;

import io.ensemble.catalog.record.CatalogException.Reason;
import io.ensemble.catalog.record.ZooKeeperAccess;
import io.ensemble.catalog.record.ZooKeeperRecords;

/**
 * A catalog in ZooKeeper, which processes on many machines share: {@code PATH/id}, and {@code
 * PATH/cache/NAME} for each cache. Thread-safe; stages complete on Curator's thread.
 *
 * <p>Changes are conditional on the version of the node. Reads return at least the state at their
 * beginning, also through a server that lags behind. A read takes two round trips to ZooKeeper, a
 * change three. If the answer to a change is lost, the node is read again, which determines whether
 * the change was made. The read is conclusive, because ZooKeeper executes no further request of a
 * session's old connection once the session has a new one.
 *
 * <p>While no server can be reached, or another catalog is in this one's place, every call fails
 * after half a minute at most. The reason is {@link Reason#UNAVAILABLE} or {@link Reason#UNKNOWN};
 * no cache counts as deleted then.
 */
public final class ZooKeeperDefinitions extends RecordDefinitions {

  /** The default path of the catalog. */
  public static final String DEFAULT_PATH = "/ensemble";

  private final ZooKeeperRecords records;

  ZooKeeperDefinitions(ZooKeeperRecords records) {
    super(records);
    this.records = records;
  }

  /**
   * Begins to connect, and does not wait for the connection.
   *
   * @throws IllegalArgumentException if the connect string is invalid
   */
  public static ZooKeeperDefinitions at(ZooKeeperAccess access) {
    return new ZooKeeperDefinitions(ZooKeeperRecords.at(access));
  }

  @Override
  public void close() {
    records.close();
  }
}

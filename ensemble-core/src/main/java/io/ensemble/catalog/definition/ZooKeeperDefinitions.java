package io.ensemble.catalog.definition;

import io.ensemble.catalog.record.CatalogException.Reason;
import io.ensemble.catalog.record.ZooKeeperAccess;
import io.ensemble.catalog.record.ZooKeeperRecords;

/**
 * A catalog in ZooKeeper, which processes on many machines share: {@code PATH/id}, and {@code
 * PATH/cache/NAME} for each cache. Thread-safe; stages complete on Curator's thread.
 *
 * <p>Changes are conditional on the version of the node. Reads are of what was there when they
 * began, also through a server that lags behind: two round trips to ZooKeeper, a change three. When
 * the answer to a change is lost, the node is read again, which settles what became of it:
 * ZooKeeper does nothing for a session once that has come back by another connection. While no
 * server can be reached, and while another catalog is in this one's place, every call fails with
 * {@link Reason#UNAVAILABLE}, after half a minute at most, or with {@link Reason#UNKNOWN}: no cache
 * counts as deleted for that.
 */
public final class ZooKeeperDefinitions extends RecordDefinitions {

  /** Where the catalog is unless the connect string says otherwise. */
  public static final String DEFAULT_PATH = "/ensemble";

  private final ZooKeeperRecords records;

  ZooKeeperDefinitions(ZooKeeperRecords records) {
    super(records);
    this.records = records;
  }

  /**
   * Begins to connect, and does not wait for that.
   *
   * @throws IllegalArgumentException if the connect string is none
   */
  public static ZooKeeperDefinitions at(ZooKeeperAccess access) {
    return new ZooKeeperDefinitions(ZooKeeperRecords.at(access));
  }

  @Override
  public void close() {
    records.close();
  }
}

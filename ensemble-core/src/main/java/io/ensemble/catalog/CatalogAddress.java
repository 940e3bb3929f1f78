package io.ensemble.catalog;

import java.nio.file.Path;

/**
 * Where a catalog is, as people write it: {@code zk://host:port,...[/path]} for {@linkplain
 * ZooKeeperDefinitions one in ZooKeeper}, else {@linkplain FileDefinitions a directory}.
 */
public final class CatalogAddress {

  private static final String ZOOKEEPER = "zk://";

  private CatalogAddress() {}

  /** The address of the catalog that a ZooKeeper's connect string names. */
  public static String ofZooKeeper(String connectString) {
    return ZOOKEEPER + connectString;
  }

  /** Whether it is not a directory. */
  public static boolean isRemote(String address) {
    return address.startsWith(ZOOKEEPER);
  }

  /**
   * The catalog there; one in ZooKeeper is {@link AutoCloseable}, and is connected to later.
   *
   * @throws IllegalArgumentException if it is no address
   * @throws CatalogException if the directory cannot be had
   */
  public static RecordDefinitions open(String address) {
    return isRemote(address)
        ? ZooKeeperDefinitions.at(ZooKeeperAccess.to(address.substring(ZOOKEEPER.length())))
        : FileDefinitions.in(Path.of(address));
  }
}

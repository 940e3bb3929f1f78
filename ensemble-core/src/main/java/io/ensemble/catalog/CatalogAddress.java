package io.ensemble.catalog;

import io.ensemble.catalog.definition.FileDefinitions;
import io.ensemble.catalog.definition.RecordDefinitions;
import io.ensemble.catalog.definition.ZooKeeperDefinitions;
import io.ensemble.catalog.record.AccessFile;
import io.ensemble.catalog.record.CatalogDirectory;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.record.ZooKeeperAccess;
import java.nio.file.Path;

/**
 * Where a catalog is, as people write it: {@code zk://host:port,...[/path][?access=FILE]} for
 * {@linkplain ZooKeeperDefinitions one in ZooKeeper}, else {@linkplain FileDefinitions a
 * directory}. The file says who we are to ZooKeeper and whom we trust (docs/security.md).
 */
public final class CatalogAddress {

  private static final String ZOOKEEPER = "zk://";
  private static final String ACCESS = "?access=";

  private CatalogAddress() {}

  /** The address of the catalog that a ZooKeeper's connect string names. */
  public static String ofZooKeeper(String connectString) {
    return ZOOKEEPER + connectString;
  }

  /** The same catalog, entered as {@code access} says, a file of properties. */
  public static String with(Path access, String zooKeeper) {
    return zooKeeper + ACCESS + access;
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
    if (!isRemote(address) && address.contains("://")) { // Else it would be made, as a directory.
      throw new IllegalArgumentException(
          "a catalog is zk://host:port,...[/path], or a directory; came '%s'".formatted(address));
    }
    return isRemote(address)
        ? ZooKeeperDefinitions.at(access(address.substring(ZOOKEEPER.length())))
        : FileDefinitions.in(Path.of(address));
  }

  /**
   * Whether a directory is meant in which there is no catalog, as after a slip of the pen: {@link
   * #open} would make one there. False of one that is not a directory.
   */
  public static boolean isMissing(String address) {
    return !isRemote(address)
        && !address.contains("://")
        && !CatalogDirectory.isOne(Path.of(address));
  }

  private static ZooKeeperAccess access(String where) {
    int question = where.indexOf('?');
    if (question < 0) {
      return ZooKeeperAccess.to(where);
    }
    if (!where.startsWith(ACCESS, question) || where.length() == question + ACCESS.length()) {
      throw new IllegalArgumentException(
          "a ZooKeeper is host:port,...[/path][?access=FILE]; came '%s'".formatted(where));
    }
    return AccessFile.applied(
        Path.of(where.substring(question + ACCESS.length())),
        ZooKeeperAccess.to(where.substring(0, question)));
  }
}

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
 * The address of a catalog as text: {@code zk://host:port,...[/path][?access=FILE]} for {@linkplain
 * ZooKeeperDefinitions one in ZooKeeper}, otherwise {@linkplain FileDefinitions a directory}. The
 * file contains the credentials for ZooKeeper and the trust store (docs/security.md).
 */
public final class CatalogAddress {

  private static final String ZOOKEEPER = "zk://";
  private static final String ACCESS = "?access=";

  private CatalogAddress() {}

  /** The address of the catalog that a ZooKeeper connect string names. */
  public static String ofZooKeeper(String connectString) {
    return ZOOKEEPER + connectString;
  }

  /** The address of the same catalog, with the credentials in {@code access}, a properties file. */
  public static String with(Path access, String zooKeeper) {
    return zooKeeper + ACCESS + access;
  }

  /** Whether the address is not a directory. */
  public static boolean isRemote(String address) {
    return address.startsWith(ZOOKEEPER);
  }

  /**
   * Opens the catalog. A catalog in ZooKeeper is {@link AutoCloseable}, and connects later.
   *
   * @throws IllegalArgumentException if the text is no address
   * @throws CatalogException if the directory cannot be created or read
   */
  public static RecordDefinitions open(String address) {
    if (address.isBlank() || (!isRemote(address) && address.contains("://"))) {
      // Otherwise a directory of that name would be created; an empty name is the working
      // directory.
      throw new IllegalArgumentException(
          "catalog must be zk://host:port,...[/path] or a directory; got '%s'".formatted(address));
    }
    return isRemote(address)
        ? ZooKeeperDefinitions.at(access(address.substring(ZOOKEEPER.length())))
        : FileDefinitions.in(Path.of(address));
  }

  /**
   * Whether the address is a directory without a catalog, for example because of a typing error;
   * {@link #open} would create a catalog there. False for an address that is no directory.
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
          "ZooKeeper address must be host:port,...[/path][?access=FILE]; got '%s'"
              .formatted(where));
    }
    return AccessFile.applied(
        Path.of(where.substring(question + ACCESS.length())),
        ZooKeeperAccess.to(where.substring(0, question)));
  }
}

package io.ensemble.catalog;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.Nullable;

/**
 * How a {@link ZooKeeperDefinitions} reaches its ZooKeeper, and as whom. Whoever writes the catalog
 * owns the data: outside of a network of one's own name a user, and use TLS. Immutable.
 *
 * <p>With a user, or with SASL, whatever is written is for that user alone; without, for everyone.
 * Everybody who shares a catalog is the same user.
 */
public final class ZooKeeperAccess {

  /** A key or trust store. */
  private record Store(Path path, String password) {}

  private final String connectString;
  private @Nullable String user;
  private boolean sasl;
  private @Nullable Store trusted;
  private @Nullable Store key;

  private ZooKeeperAccess(String connectString) {
    this.connectString = connectString;
  }

  private ZooKeeperAccess(ZooKeeperAccess other) {
    connectString = other.connectString;
    user = other.user;
    sasl = other.sasl;
    trusted = other.trusted;
    key = other.key;
  }

  /**
   * A ZooKeeper without a user.
   *
   * @param connectString {@code host:port,...}, and perhaps the path under which the catalog is, by
   *     default {@value ZooKeeperDefinitions#DEFAULT_PATH}
   */
  public static ZooKeeperAccess to(String connectString) {
    return new ZooKeeperAccess(connectString);
  }

  /** The same, with a name and a password by ZooKeeper's scheme "digest". Use TLS with it. */
  public ZooKeeperAccess withUser(String name, String password) {
    ZooKeeperAccess changed = new ZooKeeperAccess(this);
    changed.user = Objects.requireNonNull(name) + ":" + Objects.requireNonNull(password);
    return changed;
  }

  /** The same, as whom the section "Client" of the JVM's JAAS configuration says. */
  public ZooKeeperAccess withSasl() {
    ZooKeeperAccess changed = new ZooKeeperAccess(this);
    changed.sasl = true;
    return changed;
  }

  /** The same, by TLS; {@code trustStore} holds who signs the servers' certificates. */
  public ZooKeeperAccess withTls(Path trustStore, String password) {
    ZooKeeperAccess changed = new ZooKeeperAccess(this);
    changed.trusted = new Store(trustStore, password);
    return changed;
  }

  /** The same, with a certificate of our own for servers that ask for one. */
  public ZooKeeperAccess withKey(Path keyStore, String password) {
    ZooKeeperAccess changed = new ZooKeeperAccess(this);
    changed.key = new Store(keyStore, password);
    return changed;
  }

  String connectString() {
    return connectString;
  }

  Optional<byte[]> user() {
    return Optional.ofNullable(user).map(text -> text.getBytes(UTF_8));
  }

  /** Whether what is written has an owner. */
  boolean isSomebody() {
    return user != null || sasl || key != null;
  }

  ZKClientConfig settings() {
    ZKClientConfig settings = new ZKClientConfig();
    settings.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, Boolean.toString(sasl));
    if (trusted != null) {
      settings.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
      settings.setProperty(
          ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET,
          "org.apache.zookeeper.ClientCnxnSocketNetty");
      settings.setProperty("zookeeper.ssl.trustStore.location", trusted.path.toString());
      settings.setProperty("zookeeper.ssl.trustStore.password", trusted.password);
    }
    if (key != null) {
      settings.setProperty("zookeeper.ssl.keyStore.location", key.path.toString());
      settings.setProperty("zookeeper.ssl.keyStore.password", key.password);
    }
    return settings;
  }

  /** Without the password. */
  @Override
  public String toString() {
    return connectString;
  }
}

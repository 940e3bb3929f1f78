package io.ensemble.catalog.record;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ensemble.catalog.definition.ZooKeeperDefinitions;
import io.ensemble.site.hotrod.configuration.SecretFiles;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.zookeeper.client.ZKClientConfig;
import org.jspecify.annotations.Nullable;

/**
 * The address of and the credentials for the ZooKeeper of a {@link ZooKeeperDefinitions}. A client
 * that can write the catalog controls the data: outside of a private network name a user, and use
 * TLS. Immutable.
 *
 * <p>With a user, or with SASL, all nodes that are written are accessible to that user only;
 * otherwise to everyone. All processes that share a catalog use the same user.
 */
public final class ZooKeeperAccess {

  /** A key store or trust store. */
  private record Store(Path path, Supplier<char[]> password) {}

  /** A user of the scheme "digest". */
  private record User(String name, Supplier<char[]> password) {}

  private final String servers;
  private final String path;
  private @Nullable User user;
  private boolean sasl;
  private @Nullable Store trusted;
  private @Nullable Store key;

  private ZooKeeperAccess(String servers, String path) {
    this.servers = servers;
    this.path = path;
  }

  private ZooKeeperAccess(ZooKeeperAccess other) {
    servers = other.servers;
    path = other.path;
    user = other.user;
    sasl = other.sasl;
    trusted = other.trusted;
    key = other.key;
  }

  /**
   * Access to a ZooKeeper without a user.
   *
   * @param connectString {@code host:port,...}, optionally with the path of the catalog, by default
   *     {@value ZooKeeperDefinitions#DEFAULT_PATH}
   * @throws IllegalArgumentException if it names no server
   */
  public static ZooKeeperAccess to(String connectString) {
    int slash = connectString.indexOf('/');
    String servers = slash < 0 ? connectString : connectString.substring(0, slash);
    if (servers.isBlank()) {
      throw new IllegalArgumentException(
          "ZooKeeper address must be host:port,...[/path]; got '%s'".formatted(connectString));
    }
    boolean says = slash >= 0 && slash < connectString.length() - 1;
    return new ZooKeeperAccess(
        servers, says ? connectString.substring(slash) : ZooKeeperDefinitions.DEFAULT_PATH);
  }

  /**
   * The same access, with a name and a password by ZooKeeper's scheme "digest". Use TLS with it,
   * because the password is sent in clear text.
   *
   * @param password such as a {@link io.ensemble.site.hotrod.configuration.Secret}; read once for
   *     each client
   */
  public ZooKeeperAccess withUser(String name, Supplier<char[]> password) {
    ZooKeeperAccess changed = new ZooKeeperAccess(this);
    changed.user = new User(Objects.requireNonNull(name), Objects.requireNonNull(password));
    return changed;
  }

  /** The same access, with the identity in the section "Client" of the JVM's JAAS configuration. */
  public ZooKeeperAccess withSasl() {
    ZooKeeperAccess changed = new ZooKeeperAccess(this);
    changed.sasl = true;
    return changed;
  }

  /**
   * The same access, by TLS; {@code trustStore} contains the issuers of the servers' certificates.
   */
  public ZooKeeperAccess withTls(Path trustStore, Supplier<char[]> password) {
    ZooKeeperAccess changed = new ZooKeeperAccess(this);
    changed.trusted = new Store(trustStore, password);
    return changed;
  }

  /** The same access, with a client certificate for servers that require one. */
  public ZooKeeperAccess withKey(Path keyStore, Supplier<char[]> password) {
    ZooKeeperAccess changed = new ZooKeeperAccess(this);
    changed.key = new Store(keyStore, password);
    return changed;
  }

  String servers() {
    return servers;
  }

  public String path() {
    return path;
  }

  /** Name and password, in the format of the scheme "digest". */
  Optional<byte[]> user() {
    return Optional.ofNullable(user)
        .map(who -> (who.name + ":" + new String(who.password.get())).getBytes(UTF_8));
  }

  /** Whether nodes that are written have an owner. */
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
      settings.setProperty("zookeeper.ssl.trustStore.password", new String(trusted.password.get()));
    }
    if (key != null) {
      settings.setProperty(
          "zookeeper.ssl.keyStore.location", SecretFiles.check(key.path).toString());
      settings.setProperty("zookeeper.ssl.keyStore.password", new String(key.password.get()));
    }
    return settings;
  }

  /** Omits the password. */
  @Override
  public String toString() {
    return servers + path;
  }
}

package io.ensemble.zoofence.proxy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.ensemble.zoofence.TestDeployment;
import io.ensemble.zoofence.session.routing.ReadPreference;
import io.ensemble.zoofence.wire.Jute;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.SocketFactory;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.apache.zookeeper.ClientCnxnSocketNetty;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ClientX509Util;
import org.apache.zookeeper.common.ZKConfig;
import org.apache.zookeeper.data.ClientInfo;
import org.apache.zookeeper.proto.ConnectRequest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients connect with TLS, by ZooKeeper's settings. */
final class TlsIT {
  private static final String PASSWORD = "store-secret";
  private static final ClientX509Util NAMES = new ClientX509Util();

  @TempDir static Path stores;
  @TempDir Path directory;

  private TestDeployment deployment;
  private Path serverKeys;

  @BeforeAll
  static void createKeys() throws Exception {
    for (String name : List.of("server", "renewed", "client", "stranger")) {
      keytool(
          "-genkeypair",
          "-alias",
          name,
          "-keyalg",
          "EC",
          "-dname",
          "CN=" + name,
          "-ext",
          "san=ip:127.0.0.1,dns:localhost",
          "-keystore",
          store(name).toString());
      keytool(
          "-exportcert",
          "-alias",
          name,
          "-keystore",
          store(name).toString(),
          "-file",
          stores.resolve(name + ".crt").toString());
      keytool(
          "-importcert",
          "-noprompt",
          "-alias",
          name,
          "-file",
          stores.resolve(name + ".crt").toString(),
          "-keystore",
          trust(name).toString());
    }
  }

  private static void keytool(String... arguments) throws IOException, InterruptedException {
    var command =
        new ArrayList<>(
            List.of(Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
    command.addAll(List.of(arguments));
    command.addAll(List.of("-storetype", "PKCS12", "-storepass", PASSWORD));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes());
    assertThat(process.waitFor()).as(output).isZero();
  }

  private static Path store(String name) {
    return stores.resolve(name + ".p12");
  }

  private static Path trust(String name) {
    return stores.resolve(name + "-trust.p12");
  }

  @BeforeEach
  void start() throws Exception {
    deployment = new TestDeployment(directory.resolve("data"), 2, "");
    serverKeys = Files.copy(store("server"), directory.resolve("keys.p12"));
  }

  @AfterEach
  void stop() {
    deployment.close();
  }

  private ZKConfig settings(String clientAuth) {
    var settings = new ZKConfig();
    settings.setProperty(NAMES.getSslKeystoreLocationProperty(), serverKeys.toString());
    settings.setProperty(NAMES.getSslKeystorePasswdProperty(), PASSWORD);
    settings.setProperty(NAMES.getSslTruststoreLocationProperty(), trust("client").toString());
    settings.setProperty(NAMES.getSslTruststorePasswdProperty(), PASSWORD);
    settings.setProperty(NAMES.getSslClientAuthProperty(), clientAuth);
    return settings;
  }

  private static InetSocketAddress free() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  private ProxyNode serve(ProxyOptions options) throws InterruptedException {
    return ProxyNode.serve(
        deployment.deployment(), options, true, TestDeployment.PATIENCE, ReadPreference.CANONICAL);
  }

  private ProxyNode serve(String clientAuth) throws InterruptedException {
    return serve(ProxyOptions.at(free()).secure(free(), settings(clientAuth)));
  }

  private static KeyStore load(Path path) throws Exception {
    try (InputStream in = Files.newInputStream(path)) {
      KeyStore loaded = KeyStore.getInstance("PKCS12");
      loaded.load(in, PASSWORD.toCharArray());
      return loaded;
    }
  }

  /** The sockets of a client that trusts a server, with its own key or without one. */
  private static SocketFactory client(String trusted, @Nullable String own) throws Exception {
    TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
    trust.init(load(trust(trusted)));
    KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
    keys.init(own == null ? null : load(store(own)), PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return context.getSocketFactory();
  }

  /** Whether a session begins. */
  private static boolean greets(SocketFactory client, InetSocketAddress server) {
    try (Socket socket = client.createSocket(server.getAddress(), server.getPort())) {
      return greets(socket);
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean greets(Socket socket) throws IOException {
    socket.setSoTimeout(60_000);
    ByteBuffer frame = Jute.write(new ConnectRequest(0, 0, 10_000, 0, new byte[16], false));
    var out = new DataOutputStream(socket.getOutputStream());
    out.writeInt(frame.remaining());
    out.write(frame.array(), frame.arrayOffset() + frame.position(), frame.remaining());
    out.flush();
    var in = new DataInputStream(socket.getInputStream());
    int length = in.readInt();
    in.readFully(new byte[length]);
    return length > 0;
  }

  @Test
  void zooKeepersClientConnectsWithItsCertificate() throws Exception {
    var settings = new ZKClientConfig();
    settings.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
    settings.setProperty(
        ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, ClientCnxnSocketNetty.class.getName());
    settings.setProperty(NAMES.getSslKeystoreLocationProperty(), store("client").toString());
    settings.setProperty(NAMES.getSslKeystorePasswdProperty(), PASSWORD);
    settings.setProperty(NAMES.getSslTruststoreLocationProperty(), trust("server").toString());
    settings.setProperty(NAMES.getSslTruststorePasswdProperty(), PASSWORD);
    var connected = new CountDownLatch(1);
    try (ProxyNode node = serve("need");
        ZooKeeper client =
            new ZooKeeper(
                "127.0.0.1:" + node.secureAddress().getPort(),
                20_000,
                event -> connected.countDown(),
                settings)) {
      assertThat(connected.await(60, TimeUnit.SECONDS)).isTrue();

      client.create("/x", new byte[500_000], Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);

      assertThat(client.getData("/x", false, null)).hasSize(500_000);
      assertThat(client.whoAmI())
          .as("a certificate gives no identity at the ensembles")
          .extracting(ClientInfo::getAuthScheme)
          .containsExactly("ip");
    }
  }

  @Test
  void onlyClientsWithATrustedCertificateAreServed() throws Exception {
    try (ProxyNode node = serve("need")) {
      InetSocketAddress secure = node.secureAddress();

      assertThat(greets(client("server", "client"), secure)).isTrue();
      assertThat(greets(client("server", null), secure)).isFalse();
      assertThat(greets(client("server", "stranger"), secure)).isFalse();
      assertThat(greets(SocketFactory.getDefault(), secure)).as("without TLS").isFalse();
      assertThat(greets(SocketFactory.getDefault(), node.address())).isTrue();
      assertThat(ProxyWords.ask(node.address().getPort(), "conf"))
          .contains("secureClientPort=" + secure.getPort() + "\n");
    }
    try (ProxyNode node = serve("none")) {
      assertThat(greets(client("server", null), node.secureAddress())).isTrue();
    }
  }

  @Test
  void aRenewedCertificateIsUsedForNewConnections() throws Exception {
    try (ProxyNode node = serve("none");
        Socket former =
            client("server", null)
                .createSocket(InetAddress.getLoopbackAddress(), node.secureAddress().getPort())) {
      assertThat(greets(client("renewed", null), node.secureAddress())).isFalse();

      replaceKeys(store("renewed"));

      await().until(() -> greets(client("renewed", null), node.secureAddress()));
      assertThat(greets(client("server", null), node.secureAddress())).isFalse();
      assertThat(greets(former)).as("a connection of before").isTrue();
    }
  }

  @Test
  void whileAChangedKeyStoreIsBrokenTheFormerKeysAreUsed() throws Exception {
    try (ProxyNode node = serve("none")) {
      Path broken = Files.writeString(directory.resolve("broken"), "no key store");
      replaceKeys(broken);
      assertThat(greets(client("server", null), node.secureAddress())).isTrue();

      Files.delete(serverKeys);
      assertThat(greets(client("server", null), node.secureAddress())).isTrue();

      replaceKeys(store("renewed"));
      assertThat(greets(client("renewed", null), node.secureAddress())).isTrue();
    }
  }

  private void replaceKeys(Path by) throws IOException {
    Path beside = Files.copy(by, directory.resolve("beside"), StandardCopyOption.REPLACE_EXISTING);
    Files.move(beside, serverKeys, StandardCopyOption.ATOMIC_MOVE);
  }

  @Test
  void aProxyMayServeTlsAlone() throws Exception {
    try (ProxyNode node =
        serve(ProxyOptions.at(free()).secure(free(), settings("none")).secureOnly())) {
      assertThat(node.address()).isEqualTo(node.secureAddress());
      assertThat(greets(client("server", null), node.address())).isTrue();
      assertThat(greets(SocketFactory.getDefault(), node.address())).isFalse();
    }
  }

  @Test
  void keysThatCannotBeReadAreReportedAtTheStart() throws Exception {
    Files.writeString(serverKeys, "no key store");

    assertThatThrownBy(() -> serve("none"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("TLS cannot be served");
    assertThatThrownBy(() -> serve(ProxyOptions.at(free()).secure(free(), new ZKConfig())))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("TLS requires a key store: zookeeper.ssl.keyStore.location");
  }
}

package io.ensemble.catalog.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.catalog.CatalogAddress;
import io.ensemble.catalog.definition.RecordDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException.Reason;
import io.ensemble.testkit.link.Ports;
import io.ensemble.testkit.zookeeper.ZooKeeperProcess;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;
import org.apache.zookeeper.server.auth.DigestLoginModule;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Authentication and access control of a catalog, on a real server with TLS and SASL. */
class ZooKeeperAccessIT {

  private static final String STORE_PASSWORD = "store-secret";

  /** In FIPS mode, which is the default, ZooKeeper supports no SASL mechanism but Kerberos. */
  private static final String FIPS = "zookeeper.fips-mode";

  private static final StoredDefinition FIRST =
      StoredDefinition.first(
          CacheDefinition.of("c", Mode.MWMR).sites("a").build(),
          "0000000000ca0000000000b1",
          Map.of("a", "00000001"));

  @TempDir static Path directory;

  private static ZooKeeperProcess server;
  private static String open;
  private static String secure;

  @BeforeAll
  static void start() throws Exception {
    int port = Ports.reserve(2);
    keys();
    Path jaas = directory.resolve("server.jaas");
    Files.writeString(
        jaas,
        """
        Server {
          org.apache.zookeeper.server.auth.DigestLoginModule required user_ada="sasl-secret";
        };
        """);
    server =
        ZooKeeperProcess.start(
            directory.resolve("server"),
            port,
            List.of("-Djava.security.auth.login.config=" + jaas, "-D" + FIPS + "=false"),
            Map.of(
                "secureClientPort", Integer.toString(port + 1),
                "secureClientPortAddress", "127.0.0.1",
                "serverCnxnFactory", "org.apache.zookeeper.server.NettyServerCnxnFactory",
                "authProvider.sasl", "org.apache.zookeeper.server.auth.SASLAuthenticationProvider",
                "ssl.keyStore.location", directory.resolve("server.p12").toString(),
                "ssl.keyStore.password", STORE_PASSWORD,
                "ssl.clientAuth", "none"));
    open = "127.0.0.1:" + port;
    secure = "127.0.0.1:" + (port + 1);
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.close();
    }
  }

  /** Creates the server's key and the clients' trust store. */
  private static void keys() throws Exception {
    Path keys = directory.resolve("server.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "server",
                "-keyalg",
                "RSA",
                "-dname",
                "CN=localhost",
                "-ext",
                "san=ip:127.0.0.1,dns:localhost",
                "-storetype",
                "PKCS12",
                "-keystore",
                keys.toString(),
                "-storepass",
                STORE_PASSWORD)
            .inheritIO()
            .start();
    assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
    KeyStore own = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(keys)) {
      own.load(in, STORE_PASSWORD.toCharArray());
    }
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("server", own.getCertificate("server"));
    try (OutputStream out = Files.newOutputStream(directory.resolve("trust.p12"))) {
      trusted.store(out, STORE_PASSWORD.toCharArray());
    }
    Files.writeString(directory.resolve("store.password"), STORE_PASSWORD + "\n");
    Files.writeString(directory.resolve("ada.password"), "secret\n");
  }

  private static <T> T get(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().get(90, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof CatalogException why) {
        throw why;
      }
      throw new AssertionError(e.getCause());
    } catch (Exception e) {
      throw new AssertionError("no answer", e);
    }
  }

  private static String address(String where, String file, String... lines) throws Exception {
    Path access = directory.resolve(file);
    Files.write(access, List.of(lines));
    return "zk://" + where + "?access=" + access;
  }

  @Test
  void byTlsAUserHasACatalogOfItsOwnAndTheAddressIsAllThatIsToldOfIt() throws Exception {
    String address =
        address(
            secure + "/tls",
            "tls.properties",
            "trust_store=trust.p12",
            "trust_store_password_file=store.password",
            "user=ada",
            "password_file=ada.password");
    try (RecordDefinitions mine = CatalogAddress.open(address);
        RecordDefinitions again = CatalogAddress.open(address);
        RecordDefinitions nobodys = CatalogAddress.open("zk://" + open + "/tls")) {
      get(mine.create(FIRST));

      assertThat(get(again.get("c"))).contains(FIRST);
      refused(nobodys.get("c"));
    }
  }

  @Test
  void whoDoesNotTrustTheServerTellsItNothing() throws Exception {
    Path empty = directory.resolve("empty.p12");
    KeyStore none = KeyStore.getInstance("PKCS12");
    none.load(null, null);
    try (OutputStream out = Files.newOutputStream(empty)) {
      none.store(out, STORE_PASSWORD.toCharArray());
    }
    String address =
        address(
            secure + "/untrusted",
            "untrusted.properties",
            "trust_store=empty.p12",
            "trust_store_password_file=store.password");
    try (RecordDefinitions wary = CatalogAddress.open(address)) {
      assertThatThrownBy(() -> get(wary.get("c")))
          .isInstanceOf(CatalogException.class)
          .satisfies(
              e -> assertThat(((CatalogException) e).reason()).isEqualTo(Reason.UNAVAILABLE));
    }
  }

  @Test
  void bySaslACatalogIsItsUsersAlone() throws Exception {
    Configuration before = replaced("sasl-secret");
    try (RecordDefinitions mine =
            CatalogAddress.open(address(open + "/sasl", "sasl.properties", "sasl=true"));
        RecordDefinitions nobodys = CatalogAddress.open("zk://" + open + "/sasl")) {
      get(mine.create(FIRST));

      assertThat(get(mine.get("c"))).contains(FIRST);
      refused(nobodys.get("c"));
    } finally {
      System.clearProperty(FIPS);
      Configuration.setConfiguration(before);
    }
  }

  @Test
  void aWrongPasswordBySaslIsRefused() throws Exception {
    Configuration before = replaced("wrong");
    try (RecordDefinitions mine =
        CatalogAddress.open(address(open + "/wrong", "wrong.properties", "sasl=true"))) {
      refused(mine.create(FIRST));
    } finally {
      System.clearProperty(FIPS);
      Configuration.setConfiguration(before);
    }
  }

  /**
   * Replaces the JAAS section "Client".
   *
   * @return the former configuration
   */
  private static Configuration replaced(String password) {
    System.setProperty(FIPS, "false");
    Configuration before;
    try {
      before = Configuration.getConfiguration();
    } catch (SecurityException none) {
      before = null;
    }
    Configuration.setConfiguration(
        new Configuration() {
          @Override
          public AppConfigurationEntry[] getAppConfigurationEntry(String section) {
            return section.equals("Client")
                ? new AppConfigurationEntry[] {
                  new AppConfigurationEntry(
                      DigestLoginModule.class.getName(),
                      LoginModuleControlFlag.REQUIRED,
                      Map.of("username", "ada", "password", password))
                }
                : null;
          }
        });
    return before;
  }

  private static void refused(CompletionStage<?> stage) {
    assertThatThrownBy(() -> get(stage))
        .isInstanceOf(CatalogException.class)
        .satisfies(e -> assertThat(((CatalogException) e).reason()).isEqualTo(Reason.NOT_ALLOWED));
  }
}

package io.ensemble.cli.bundle;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.sun.net.httpserver.HttpServer;
import io.ensemble.catalog.definition.FileDefinitions;
import io.ensemble.check.process.ExitCode;
import io.ensemble.check.process.JsonOutput;
import io.ensemble.cli.CliResult;
import io.ensemble.testkit.keys.CertificateAuthority;
import io.ensemble.testkit.keys.OwnerOnlyFiles;
import io.ensemble.testkit.keys.TlsIdentity;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code bundle} where secrets are planted in each place that a configuration has for them. */
@Timeout(120)
class BundleCommandTest {

  private static final String PLANT = "Pl4nted";

  @TempDir Path directory;
  private Path sites;
  private Path zip;

  @BeforeEach
  void plant() throws IOException {
    zip = directory.resolve("bundle.zip");
    FileDefinitions.in(Files.createDirectory(directory.resolve("catalog"))).close();
    secret("ada.password", PLANT + "-of-a-user");
    secret("trust.password", PLANT + "-of-a-trust-store");
    secret("keys.password", PLANT + "-of-a-key-store");
    secret("sites.json.rest-token", PLANT + "-token");
    CertificateAuthority authority = CertificateAuthority.create("test", Duration.ofDays(9));
    TlsIdentity.writeTrust(
        directory.resolve("trust.p12"),
        (PLANT + "-of-a-trust-store").toCharArray(),
        authority.certificate());
    authority
        .client("ada")
        .write(directory.resolve("keys.p12"), (PLANT + "-of-a-key-store").toCharArray());
    sites =
        Files.writeString(
            directory.resolve("sites.json"),
            """
            {"sites": [{"name": "gone", "endpoints": ["127.0.0.1:1"],
              "credentials": {"user": "ada", "password_file": "ada.password"},
              "tls": {"trust_store": "trust.p12", "password_file": "trust.password",
                "key_store": "keys.p12", "key_store_password_file": "keys.password"}}],
             "catalog": "catalog"}
            """);
    Files.writeString(
        directory.resolve("sites.json.log"),
        """
        login of Pl4nted-of-a-user failed
        started with -Djavax.net.ssl.trustStorePassword=Pl4nted-elsewhere
        GET /x Authorization: Bearer Pl4ntedPl4nted.abc
        connected to zk://ada:Pl4nted@zk1:2181
        -----BEGIN PRIVATE KEY-----
        Pl4nted
        -----END PRIVATE KEY-----
        an ordinary line
        """);
  }

  private void secret(String file, String value) throws IOException {
    OwnerOnlyFiles.write(directory.resolve(file), value);
  }

  private CliResult bundle(String... more) {
    List<String> all =
        new ArrayList<>(
            List.of("bundle", "--federation", sites.toString(), "--out", zip.toString()));
    all.addAll(List.of(more));
    return CliResult.ensemble(all);
  }

  private SortedMap<String, String> entries() throws IOException {
    SortedMap<String, String> entries = new TreeMap<>();
    try (ZipInputStream in = new ZipInputStream(Files.newInputStream(zip))) {
      for (ZipEntry one = in.getNextEntry(); one != null; one = in.getNextEntry()) {
        entries.put(one.getName(), new String(in.readAllBytes(), UTF_8));
      }
    }
    return entries;
  }

  @Test
  void noSecretIsInItAndItsNamesAreFixed() throws IOException {
    CliResult ran = bundle("--json");

    assertThat(ran.code()).as(ran.err()).isZero();
    SortedMap<String, String> entries = entries();
    assertThat(entries)
        .containsOnlyKeys(
            "caches.json",
            "changes.json",
            "configuration/catalog.json",
            "configuration/environment.json",
            "configuration/federation.json",
            "doctor.json",
            "manifest.json",
            "service/log.txt",
            "sites.json");
    assertThat(entries).allSatisfy((name, text) -> assertThat(text).doesNotContain(PLANT));
    assertThat(ran.out() + ran.err()).doesNotContain(PLANT);
    assertThat(entries.get("service/log.txt")).contains("an ordinary line", "[removed]");
    assertThat(entries.get("configuration/federation.json")).contains("ada.password", "gone");
    assertThat(entries.get("doctor.json")).contains("reachability");
    for (String name : entries.keySet()) {
      if (name.endsWith(".json")) {
        assertThat(JsonOutput.mapper().readTree(entries.get(name)).isObject()).as(name).isTrue();
      }
    }
    assertThat(JsonOutput.mapper().readTree(entries.get("manifest.json")).get("missing").toString())
        .contains("no --rest is given", "names no process");
  }

  @Test
  void onlyItsOwnerReadsItAndNoFileIsReplaced() throws IOException {
    assertThat(bundle().code()).isZero();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(zip)))
        .isEqualTo("rw-------");
    byte[] before = Files.readAllBytes(zip);

    CliResult again = bundle();

    assertThat(again.code()).isEqualTo(ExitCode.USAGE);
    assertThat(again.err()).contains("the file exists");
    assertThat(Files.readAllBytes(zip)).isEqualTo(before);
  }

  @Test
  void aServiceIsAskedWithItsTokenAndItsAnswersAreCleaned() throws IOException {
    AtomicReference<String> login = new AtomicReference<>();
    HttpServer service =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    service.createContext(
        "/metrics",
        exchange -> {
          login.set(exchange.getRequestHeaders().getFirst("Authorization"));
          byte[] body = ("ensemble_x 1\n# " + PLANT + "-token\n").getBytes(UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    service.start();
    try {
      assertThat(bundle("--rest", "http://127.0.0.1:" + service.getAddress().getPort()).code())
          .isZero();
    } finally {
      service.stop(0);
    }

    assertThat(login.get()).isEqualTo("Bearer " + PLANT + "-token");
    assertThat(entries().get("service/metrics.txt")).contains("ensemble_x 1", "[removed]");
    assertThat(entries()).allSatisfy((name, text) -> assertThat(text).doesNotContain(PLANT));
    assertThat(entries().get("manifest.json")).contains("/federation answers with status 404");
  }

  @Test
  void theTokenOfUpIsNotForAServiceElsewhere() {
    assertThat(ServiceState.isLocal("http://127.0.0.1:7460")).isTrue();
    assertThat(ServiceState.isLocal("http://[::1]:7460/")).isTrue();
    assertThat(ServiceState.isLocal("https://192.0.2.1:7460")).isFalse();
    assertThat(ServiceState.isLocal("no address")).isFalse();
  }

  @Test
  void aServiceAtAnotherAddressIsAskedWithoutTheTokenOfUp() throws IOException {
    InetAddress other =
        NetworkInterface.networkInterfaces()
            .flatMap(NetworkInterface::inetAddresses)
            .filter(one -> one instanceof Inet4Address && !one.isLoopbackAddress())
            .findFirst()
            .orElse(null);
    assumeThat(other).as("an address of this machine in a network").isNotNull();
    List<String> logins = new CopyOnWriteArrayList<>();
    HttpServer service = HttpServer.create(new InetSocketAddress(other, 0), 0);
    service.createContext(
        "/metrics",
        exchange -> {
          logins.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    service.start();
    try {
      String url = "http://%s:%d".formatted(other.getHostAddress(), service.getAddress().getPort());
      assertThat(bundle("--rest", url).code()).isZero();
    } finally {
      service.stop(0);
    }

    assertThat(logins).containsExactly("null");
  }

  @Test
  void aLineThatIsCutIsLeftOut() throws IOException {
    String line = "an ordinary line of a log\n";
    Files.writeString(
        directory.resolve("sites.json.log"),
        "password=" + (PLANT + "-").repeat(2 << 10) + "\n" + line.repeat(512_000 / line.length()));

    assertThat(bundle().code()).isZero();
    assertThat(entries().get("service/log.txt")).startsWith(line).doesNotContain(PLANT);
  }

  @Test
  void theThreadsOfAJavaProcessAreReadAndThoseOfNoProcessAreNot() throws IOException {
    assertThat(ServiceState.threads(ProcessHandle.current().pid())).contains("bundle-jcmd");
    assertThatThrownBy(() -> ServiceState.threads(Long.MAX_VALUE)).isInstanceOf(IOException.class);
  }

  @Test
  void aTokenIsNotSentInClearTextToAnotherMachine() {
    assertThatThrownBy(() -> ServiceState.get("http://192.0.2.1:1", "/metrics", "token"))
        .hasMessageContaining("not sent in clear text");
  }
}

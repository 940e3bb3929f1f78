package io.ensemble.rest;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.rest.access.AccessControl;
import io.ensemble.rest.http.RequestAuthorizer;
import io.ensemble.rest.identity.PasswordHash;
import io.ensemble.rest.trace.RequestTracer;
import io.ensemble.testkit.keys.CertificateAuthority;
import io.ensemble.testkit.keys.TlsIdentity;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** An access file end to end: TLS, certificates, passwords, a policy that changes. */
@Timeout(180)
@Isolated("reads what the whole process logs")
class TlsAccessTest {

  private static final CertificateAuthority OURS =
      CertificateAuthority.create("ours", Duration.ofDays(1));
  private static final CertificateAuthority THEIRS =
      CertificateAuthority.create("theirs", Duration.ofDays(1));

  private static final String HASH =
      PasswordHash.of("horse".toCharArray(), new SecureRandom()).text();

  @TempDir Path directory;
  private AccessControl accessControl;
  private EnsembleCacheManager manager;
  private RestService service;

  @BeforeEach
  void start() throws Exception {
    TlsIdentity server = OURS.server("rest", List.of("localhost", "127.0.0.1"));
    server.write(directory.resolve("rest.p12"), "changeit".toCharArray());
    Files.writeString(directory.resolve("rest.password"), "changeit\n");
    pem("clients.pem", "CERTIFICATE", OURS.certificate().getEncoded());
    Files.write(
        directory.resolve("clients.crl"), OURS.revocationList(List.of(), Duration.ofHours(1)));
    Files.writeString(directory.resolve("users"), "ada:" + HASH + "\n");
    policy("user:ada");
    Path file =
        Files.writeString(
            directory.resolve("access.json"),
            """
            {"policy": "policy.json", "users": "users", "sites": ["10.0.0.0/8:11222"],
             "siteSecrets": {"files": ["lyon.pem", "ours.p12"], "variables": ["LYON"]},
             "tls": {"keyStore": "rest.p12", "password": {"file": "rest.password"}},
             "clientCertificates":
               {"trust": "clients.pem", "name": "cn", "revocationList": "clients.crl"}}\
            """);
    accessControl = AccessControl.of(file);
    manager = EnsembleCacheManager.builder().definitions(new InMemoryDefinitions()).build();
    service =
        RestService.start(
            manager,
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT),
            new InetSocketAddress("127.0.0.1", 0),
            accessControl.requestAuthorizer(),
            accessControl.tls(),
            Optional.of(accessControl.sites()),
            RequestTracer.NONE,
            limits());
  }

  /** The default limits, with less time for a slow client. */
  private static RestLimits limits() {
    return RestLimits.DEFAULT.toBuilder().slowest(Duration.ofSeconds(5)).build();
  }

  @AfterEach
  void stop() {
    service.close();
    manager.close();
    accessControl.close();
  }

  private void policy(String who) throws IOException {
    Files.writeString(
        directory.resolve("policy.json"),
        "{\"grants\": [{\"who\": [\"%s\"], \"federation\": [\"admin\"]}]}".formatted(who));
  }

  private void pem(String name, String kind, byte[] content) throws IOException {
    Files.writeString(
        directory.resolve(name),
        "-----BEGIN %s-----\n%s\n-----END %s-----\n"
            .formatted(kind, Base64.getMimeEncoder().encodeToString(content), kind));
  }

  private HttpResponse<String> ask(SSLContext tls, String path, String body, String... headers)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(service.address() + path))
            .method(body.isEmpty() ? "GET" : "POST", BodyPublishers.ofString(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return HttpClient.newBuilder()
        .sslContext(tls)
        .build()
        .send(request.build(), BodyHandlers.ofString());
  }

  @Test
  void itIsShownHowLongTheCertificateAndTheListsAreValid() throws Exception {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    accessControl.measure(registry);

    assertThat(hours(registry, "service")).isBetween(23.0, 24.0);
    assertThat(hours(registry, "revocation_list")).isBetween(0.9, 1.0);
    Files.write(
        directory.resolve("clients.crl"), OURS.revocationList(List.of(), Duration.ofHours(9)));
    await()
        .atMost(60, TimeUnit.SECONDS)
        .untilAsserted(() -> assertThat(hours(registry, "revocation_list")).isBetween(8.9, 9.0));
    assertThat(registry.scrape())
        .contains("ensemble_service_certificate_remaining_seconds{certificate=\"service\"}");
  }

  private static double hours(PrometheusMeterRegistry registry, String certificate) {
    return registry
            .get("ensemble.service.certificate.remaining")
            .tag("certificate", certificate)
            .gauge()
            .value()
        / Duration.ofHours(1).toSeconds();
  }

  /** The client keeps its side open after the answer, and does not delay the close. */
  @Test
  void aHeadUnderWayIsAnsweredWhileTheServiceCloses() throws Exception {
    SSLContext tls = OURS.client("ops").context(OURS.certificate());
    RestServiceCloseTest.lengthenIdleTimeout(service);
    try (Socket socket =
        tls.getSocketFactory().createSocket("127.0.0.1", service.address().getPort())) {
      socket.setSoTimeout(100_000);
      socket.getOutputStream().write("GET /sites HTTP/1.1\r\nHo".getBytes(US_ASCII));
      socket.getOutputStream().flush();
      RestServiceCloseTest.awaitHeadBegun(service);

      CompletableFuture<Void> closed = RestServiceCloseTest.closing(service);
      await("the close has begun")
          .atMost(Duration.ofMinutes(1))
          .until(service.connector::isShutdown);

      socket.getOutputStream().write("st: localhost\r\n\r\n".getBytes(US_ASCII));
      socket.getOutputStream().flush();
      assertThat(new String(socket.getInputStream().readAllBytes(), US_ASCII))
          .startsWith("HTTP/1.1 ")
          .containsIgnoringCase("connection: close");
      closed.get(1, TimeUnit.MINUTES);
    }
  }

  /** The service reads a changed policy within about a second. */
  private void awaitAdmission(SSLContext tls) {
    await("the new policy")
        .pollInterval(100, TimeUnit.MILLISECONDS)
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> ask(tls, "/sites", "").statusCode() == 200);
  }

  private static String basic(String credentials) {
    return "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes());
  }

  @Test
  void passwordsAndCertificatesAreTakenOverTlsAndNamesAreKeptApart() throws Exception {
    SSLContext ops = OURS.client("ops").context(OURS.certificate());
    SSLContext nobody = THEIRS.client("ada").context(OURS.certificate());

    assertThat(service.address().getScheme()).isEqualTo("https");
    assertThat(ask(ops, "/sites", "", "Authorization", basic("ada:horse")).statusCode())
        .isEqualTo(200);
    assertThat(ask(ops, "/sites", "", "Authorization", basic("ada:cow")).statusCode())
        .isEqualTo(401);
    assertThat(ask(ops, "/sites", "").statusCode()).isEqualTo(403); // certificate:ops has nothing.
    assertThat(ask(OURS.client("ada").context(OURS.certificate()), "/sites", "").statusCode())
        .isEqualTo(403); // certificate:ada is not user:ada.
    assertThat(ask(nobody, "/sites", "").statusCode()).isEqualTo(401); // No certificate of ours.
    policy("certificate:ops");
    awaitAdmission(ops);
    assertThat(ask(ops, "/sites", "", "Authorization", basic("ada:horse")).statusCode())
        .isEqualTo(403);
  }

  @Test
  void aCertificateOfAnotherAuthorityOrOneThatEndedIsRefusedInTheHandshake() throws Exception {
    policy("certificate:ada");
    SSLContext hers = ForcedClientCertificate.tls(OURS.client("ada"), OURS);
    awaitAdmission(hers);

    assertThat(
            ask(ForcedClientCertificate.tls(OURS.client("ada"), OURS), "/sites", "").statusCode())
        .isEqualTo(200);
    for (TlsIdentity wrong :
        List.of(THEIRS.client("ada"), OURS.expiredServer("ada", List.of("a")))) {
      assertThatThrownBy(() -> ask(ForcedClientCertificate.tls(wrong, OURS), "/sites", ""))
          .as(wrong.toString())
          .isInstanceOf(IOException.class);
    }
  }

  @Test
  void aCertificateThatIsRevokedIsRefusedAtTheNextRequest() throws Exception {
    TlsIdentity ada = OURS.client("ada");
    SSLContext hers = ForcedClientCertificate.tls(ada, OURS);
    SSLContext ops = ForcedClientCertificate.tls(OURS.client("ops"), OURS);
    policy("certificate:ada");
    awaitAdmission(hers);

    pem(
        "clients.crl",
        "X509 CRL",
        OURS.revocationList(List.of(ada.certificate()), Duration.ofHours(1)));

    await("she is refused")
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> ask(hers, "/sites", "").statusCode() == 401);
    assertThat(ask(hers, "/sites", "").body()).contains("the certificate is revoked");
    assertThat(ask(hers, "/sites", "", "Authorization", "Bearer other").body())
        .as("beside other credentials")
        .contains("the certificate is revoked");
    assertThat(ask(ops, "/sites", "").statusCode()).isEqualTo(403);

    Files.writeString(directory.resolve("clients.crl"), "nonsense"); // The last list is in force.
    assertThat(ask(hers, "/sites", "").statusCode()).isEqualTo(401);
    Files.write(
        directory.resolve("clients.crl"), OURS.revocationList(List.of(), Duration.ofHours(-1)));
    await("with an expired list no certificate is accepted")
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> ask(ops, "/sites", "").body().contains("no current revocation list"));
  }

  @Test
  void aHandshakeThatDoesNotGetOnKeepsNoConnection() throws Exception {
    try (Socket socket = new Socket("127.0.0.1", service.address().getPort())) {
      socket.setSoTimeout(200);
      byte[] record = {22, 3, 1, 64, 0}; // A handshake of 16 KiB, sent byte by byte.
      boolean isOpen = true;

      for (int i = 0; isOpen && !Thread.currentThread().isInterrupted(); i++) {
        try {
          socket.getOutputStream().write(i < record.length ? record[i] : 1);
          isOpen = socket.getInputStream().read() >= 0;
        } catch (SocketTimeoutException silent) {
          isOpen = true;
        } catch (IOException cut) {
          isOpen = false;
        }
      }

      assertThat(isOpen).isFalse();
    }
  }

  @Test
  void aSiteIsRegisteredWhereTheOperatorAllowsItOnly() throws Exception {
    SSLContext tls = OURS.client("ops").context(OURS.certificate());
    String[] headers = {"Authorization", basic("ada:horse"), "Content-Type", "application/json"};

    for (String address : List.of("169.254.169.254:80", "127.0.0.1:22", "10.0.0.1:22")) {
      HttpResponse<String> refused =
          ask(tls, "/sites", "{\"endpoints\": [\"%s\"]}".formatted(address), headers);
      assertThat(refused.statusCode()).isEqualTo(422);
      assertThat(refused.body()).contains("\"endpoints\"");
    }
    assertThat(ask(tls, "/sites", "{\"endpoints\": [\"10.0.0.1:11222\"]}", headers).statusCode())
        .isEqualTo(201);
  }

  /** A caller cannot make the service read secrets of this host or present them to a site. */
  @Test
  void aSiteThatSomebodyRegistersRefersToWhatTheOperatorNamesOnly() throws Exception {
    SSLContext tls = OURS.client("ops").context(OURS.certificate());
    String[] headers = {"Authorization", basic("ada:horse"), "Content-Type", "application/json"};
    String body =
        """
        {"name": "lyon", "endpoints": ["10.0.0.1:11222"],
         "credentials": {"user": "x", "password": {"%s": "%s"}}, "tls": {"trustStore": "%s"}}""";
    String trusted = directory.resolve("lyon.pem").toString();

    for (String[] wrong :
        new String[][] {
          {"variable", "PATH", trusted, "credentials.password.variable"},
          {"file", directory.resolve("rest.password").toString(), trusted, "password.file"},
          {"file", "LYON", trusted, "credentials.password.file"},
          {"variable", "LYON", "/etc/passwd", "tls.trustStore"},
        }) {
      HttpResponse<String> refused =
          ask(tls, "/sites", body.formatted(wrong[0], wrong[1], wrong[2]), headers);
      assertThat(refused.statusCode()).isEqualTo(422);
      assertThat(refused.body()).contains(wrong[3] + "\"", "siteSecrets");
    }
    assertThat(
            ask(tls, "/sites", body.formatted("variable", "LYON", trusted), headers).statusCode())
        .isEqualTo(201);
  }

  @Test
  void aSiteThatAsksForOurCertificateRefersToWhatTheOperatorNamesOnly() throws Exception {
    SSLContext tls = OURS.client("ops").context(OURS.certificate());
    String[] headers = {"Authorization", basic("ada:horse"), "Content-Type", "application/json"};
    String body =
        """
        {"name": "lyon", "endpoints": ["10.0.0.1:11222"],
         "credentials": {"mechanism": "EXTERNAL"},
         "tls": {"trustStore": "%s", "keyStore": "%s", "keyStorePassword": {"variable": "%s"}}}\
        """;
    String trusted = directory.resolve("lyon.pem").toString();
    String ours = directory.resolve("ours.p12").toString();
    String others = directory.resolve("rest.p12").toString(); // The key store of the service.

    HttpResponse<String> file =
        ask(tls, "/sites", body.formatted(trusted, others, "LYON"), headers);
    HttpResponse<String> variable =
        ask(tls, "/sites", body.formatted(trusted, ours, "PATH"), headers);
    HttpResponse<String> taken = ask(tls, "/sites", body.formatted(trusted, ours, "LYON"), headers);

    assertThat(file.statusCode()).isEqualTo(422);
    assertThat(file.body()).contains("\"tls.keyStore\"", "siteSecrets");
    assertThat(variable.statusCode()).isEqualTo(422);
    assertThat(variable.body()).contains("\"tls.keyStorePassword.variable\"", "siteSecrets");
    assertThat(taken.statusCode()).isEqualTo(201);
  }

  @Test
  void aSecretThatEverybodyCanReadIsRefused() throws Exception {
    Path file = directory.resolve("access.json");
    assumeTrue(
        Files.getPosixFilePermissions(directory.getParent())
            .contains(PosixFilePermission.OTHERS_EXECUTE),
        "the directory for temporary files is private");
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    for (String secret : List.of("rest.p12", "users", "rest.password")) {
      Path one = directory.resolve(secret);
      Files.setPosixFilePermissions(one, PosixFilePermissions.fromString("rw-r--r--"));
      assertThatThrownBy(() -> AccessControl.of(file))
          .isInstanceOf(RuntimeException.class)
          .hasMessageContaining("must not be accessible to every user");
    }

    for (String secret : List.of("users", "rest.password", "rest.p12")) {
      Files.setPosixFilePermissions(
          directory.resolve(secret), PosixFilePermissions.fromString("rw-------"));
    }

    AccessControl.of(file).close();
  }

  @Test
  void aServiceThatAsksNobodyIsNotForOthers() {
    assertThatThrownBy(
            () ->
                RestService.start(
                    manager,
                    new PrometheusMeterRegistry(PrometheusConfig.DEFAULT),
                    new InetSocketAddress("0.0.0.0", 0),
                    RequestAuthorizer.OPEN,
                    RestLimits.DEFAULT))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("loopback");
  }

  @Test
  void anAccessFileThatCannotBeMeantIsToldWithItsField() throws Exception {
    for (String[] wrong :
        new String[][] {
          {"{}", "policy"},
          {"{\"policy\": \"policy.json\", \"users\": \"users\"}", "users"},
          {"{\"policy\": \"policy.json\", \"polici\": 1}", "polici"},
          {"{\"policy\": \"policy.json\", \"tls\": {}}", "tls.keyStore"},
          {"{\"policy\": \"policy.json\", \"sites\": [\"10.0.0.0\"]}", "sites"},
          {
            "{\"policy\": \"policy.json\", \"jwt\": {\"issuer\": \"i\", \"audiences\": [\"a\"],"
                + " \"algorithms\": [\"none\"]}}",
            "jwt"
          },
          {
            "{\"policy\": \"policy.json\", \"tokens\": [{\"name\": \"a\", \"token\": \"x\"}]}",
            "tokens[0].token"
          },
        }) {
      Path file = Files.writeString(directory.resolve("wrong.json"), wrong[0]);
      assertThatThrownBy(() -> AccessControl.of(file))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("field=" + wrong[1]);
    }
  }
}

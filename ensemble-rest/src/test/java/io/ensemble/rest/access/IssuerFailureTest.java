package io.ensemble.rest.access;

import static io.ensemble.rest.access.Issuer.DISCOVERY;
import static io.ensemble.rest.access.Issuer.KEYS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.OctetSequenceKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.sun.net.httpserver.HttpHandler;
import io.ensemble.rest.identity.SigningKeys;
import io.ensemble.rest.identity.SigningKeys.Pace;
import io.ensemble.testkit.keys.CertificateAuthority;
import io.ensemble.testkit.keys.TlsIdentity;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Providers that are not trusted, and how the access file names the trusted one. */
@Timeout(180)
@ResourceLock(AccessFixture.LOG)
class IssuerFailureTest {

  private static final Path PAGE = Path.of("..", "docs", "security.md");
  private static final String TRUST = ", \"trust\": \"ca.pem\"";

  private static ReusableRestService reusableRestService;
  private static Issuer issuer;
  private static ECKey key;

  @TempDir Path directory;
  private final List<AutoCloseable> used = new ArrayList<>();

  @BeforeAll
  static void open() throws Exception {
    reusableRestService = new ReusableRestService();
    issuer = Issuer.start(0);
    key = new ECKeyGenerator(Curve.P_256).keyID("k").generate();
  }

  @AfterAll
  static void shut() {
    reusableRestService.close();
    issuer.close();
  }

  @BeforeEach
  void start() {
    issuer.begin();
    issuer.has(key);
  }

  @AfterEach
  void end() throws Exception {
    for (int i = used.size() - 1; i >= 0; i--) {
      used.get(i).close();
    }
  }

  private AccessFixture guarded(String text) {
    AccessFixture service =
        new AccessFixture(reusableRestService, directory, text, Pace.OF_ADDRESS, System::nanoTime);
    used.add(service);
    return service;
  }

  private AccessFixture guarded(Issuer by, String more) {
    return guarded(AccessFixture.jwt(by.name(), more));
  }

  private static String token(Issuer by) {
    return TestTokens.of(by.name(), JWSAlgorithm.ES256, key);
  }

  /** No token is accepted, and the log says why. */
  private static void assertNoKeys(AccessFixture service, Issuer by, String why) throws Exception {
    HttpResponse<String> answer = service.ask(token(by));

    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.headers().firstValue("Retry-After")).isPresent();
    assertThat(answer.body()).contains("/problems/not-ready").doesNotContain("127.0.0.1");
    assertThat(service.log()).singleElement().asString().contains("WARNING", why);
  }

  /** A wrong answer at one address, and the log message about it. */
  private record Trouble(String path, HttpHandler answer, String why) {
    @Override
    public String toString() {
      return why + " at " + path;
    }
  }

  private static Trouble document(String issuer, String keys, String why) {
    return new Trouble(DISCOVERY, Issuer.text(200, Issuer.document(issuer, keys)), why);
  }

  static Stream<Trouble> troubles() {
    String large = "{\"keys\": [], \"more\": \"" + "x".repeat(300_000) + "\"}";
    String deep = "[".repeat(100_000) + "]".repeat(100_000);
    JWK secret = new OctetSequenceKey.Builder(new byte[32]).keyID("k").build();
    List<Trouble> all = new ArrayList<>();
    for (String path : List.of(DISCOVERY, KEYS)) {
      all.add(new Trouble(path, Issuer.text(200, large), "more than 262144 bytes"));
      all.add(new Trouble(path, Issuer.text(200, "<html>"), "JSON"));
      all.add(new Trouble(path, Issuer.text(200, "{\"issuer\": \"https:"), "JSON"));
      all.add(new Trouble(path, Issuer.text(200, "{\"keys\": " + deep + "}"), "JSON"));
      all.add(new Trouble(path, Issuer.text(500, "{}"), "status 500"));
      all.add(new Trouble(path, Issuer.text(204, ""), "status 204"));
      all.add(new Trouble(path, Issuer.text(200, ""), "JSON"));
      all.add(
          new Trouble(
              path,
              exchange -> {
                throw new java.io.IOException("cut off");
              },
              "cannot fetch"));
    }
    all.add(document("https://login.example", "", "another issuer"));
    all.add(new Trouble(DISCOVERY, Issuer.text(200, "[]"), "another issuer"));
    for (String odd : List.of("[]", "null", "1", "{\"keys\": {}}", "{}")) {
      all.add(new Trouble(KEYS, Issuer.text(200, odd), "JSON Web Key Set"));
    }
    all.add(new Trouble(KEYS, Issuer.text(200, "{\"keys\": [1]}"), "none"));
    all.add(new Trouble(KEYS, Issuer.text(200, Issuer.set(key).replace("\"x\"", "\"z\"")), "none"));
    all.add(
        new Trouble(KEYS, Issuer.text(200, "{\"keys\": [" + key.toJSONString() + "]}"), "public"));
    all.add(
        new Trouble(
            KEYS, Issuer.text(200, "{\"keys\": [" + secret.toJSONString() + "]}"), "public"));
    all.add(new Trouble(KEYS, Issuer.text(200, Issuer.set(many())), "at most 32"));
    return all.stream();
  }

  private static JWK[] many() {
    return Stream.generate(() -> key.toPublicJWK())
        .limit(SigningKeys.MOST_KEYS + 1)
        .toArray(JWK[]::new);
  }

  @ParameterizedTest
  @MethodSource("troubles")
  void whatCannotBeMeantHasNoKeys(Trouble trouble) throws Exception {
    issuer.answers(trouble.path(), trouble.answer());

    assertNoKeys(guarded(issuer, TRUST), issuer, trouble.why());
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 302, 303, 307, 308})
  void aRedirectionIsNotFollowed(int status) throws Exception {
    String document = Issuer.document(issuer.name(), issuer.address("/keys"));
    issuer
        .answers("/document", Issuer.text(200, document))
        .answers("/keys", Issuer.text(200, Issuer.set(key)))
        .answers(DISCOVERY, Issuer.redirect(status, issuer.address("/document"), document))
        .answers(KEYS, Issuer.redirect(status, issuer.address("/keys"), Issuer.set(key)));
    String keys = ", \"keys\": \"%s\"".formatted(issuer.address(KEYS));

    assertNoKeys(guarded(issuer, TRUST), issuer, "status " + status);
    assertNoKeys(guarded(issuer, TRUST + keys), issuer, "status " + status);
    assertThat(issuer.asked(DISCOVERY) + issuer.asked(KEYS)).isEqualTo(2);
    assertThat(issuer.asked("/document") + issuer.asked("/keys")).isZero();
  }

  @Test
  void aDocumentOfAnotherIssuerIsNotTakenThoughItsKeysAreThere() throws Exception {
    for (String another : List.of(issuer.name() + "/", issuer.address("/realms/Shop"))) {
      issuer.answers(DISCOVERY, Issuer.text(200, Issuer.document(another, issuer.address(KEYS))));
      assertNoKeys(guarded(issuer, TRUST), issuer, "another issuer");
    }
    assertThat(issuer.asked(KEYS)).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://login.example/keys",
        "http://127.0.0.1:1/keys",
        "http://169.254.169.254/latest/meta-data",
        "ftp://127.0.0.1/keys",
        "file:///etc/passwd",
        "jar:file:///tmp/a.jar!/keys",
        "/realms/shop/protocol/openid-connect/certs",
        "",
        "https://",
        "https:///keys",
        "not a URL"
      })
  void keysAreWhereNobodyElseCanPutThem(String address) throws Exception {
    issuer.answers(DISCOVERY, Issuer.text(200, Issuer.document(issuer.name(), address)));

    AccessFixture service = guarded(issuer, TRUST);

    assertThat(service.status(token(issuer))).isEqualTo(503);
    assertThat(service.log()).singleElement().asString().contains("WARNING");
    assertThat(service.log().toString())
        .containsAnyOf("signing keys require https", "Illegal", "Expected");
  }

  @Test
  void itsCertificateIsOfWhomTheFileTrustsAndBearsItsName() throws Exception {
    CertificateAuthority theirs = CertificateAuthority.create("theirs", Duration.ofDays(1));
    List<TlsIdentity> wrong =
        List.of(
            theirs.server("issuer", Issuer.NAMES),
            Issuer.AUTHORITY.expiredServer("issuer", Issuer.NAMES),
            Issuer.AUTHORITY.server("issuer", List.of("login.example", "127.0.0.2")),
            Issuer.AUTHORITY.client("issuer"));
    for (TlsIdentity one : wrong) {
      Issuer impostor = new Issuer(0, one).has(key);
      used.add(impostor);
      assertNoKeys(guarded(impostor, TRUST), impostor, "SSLHandshakeException");
      assertThat(impostor.asked(DISCOVERY)).isZero();
    }

    assertNoKeys(guarded(issuer, ""), issuer, "SSLHandshakeException"); // Unknown to Java.
    assertThat(issuer.asked(DISCOVERY)).isZero();
    assertThat(guarded(issuer, TRUST).status(token(issuer))).isEqualTo(200);
  }

  @Test
  void keysElsewhereAreCheckedAsTheIssuerIs() throws Exception {
    Issuer elsewhere =
        new Issuer(
            0, CertificateAuthority.create("theirs", Duration.ofDays(1)).server("i", Issuer.NAMES));
    used.add(elsewhere.has(key));
    issuer.answers(
        DISCOVERY, Issuer.text(200, Issuer.document(issuer.name(), elsewhere.address(KEYS))));

    assertNoKeys(guarded(issuer, TRUST), issuer, "SSLHandshakeException");
    assertThat(elsewhere.asked(KEYS)).isZero();
  }

  @Test
  void oneOddKeyDoesNotKeepTheOthersOut() throws Exception {
    String odd =
        """
        {"keys": [{"kty": "EC", "crv": "brainpoolP256r1", "x": "AA", "y": "AA", "kid": "a"},
          {"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"},
          {"kty": "RSA", "kid": "b"}, {"kty": "none"}, {}, %s]}"""
            .formatted(key.toPublicJWK().toJSONString());
    issuer.answers(KEYS, Issuer.text(200, odd));

    assertThat(guarded(issuer, TRUST).status(token(issuer))).isEqualTo(200);
  }

  @Test
  void theExampleOfThePageWorks() throws Exception {
    String page = Files.readString(PAGE);
    int begin = page.indexOf("```json", page.indexOf("### Signed tokens")) + "```json".length();
    String example = page.substring(begin, page.indexOf("```", begin));
    assertThat(example).contains("https://login.example/realms/shop", "\"ca.pem\"");

    AccessFixture service =
        guarded(example.replace("https://login.example/realms/shop", issuer.name()));

    assertThat(service.status(token(issuer))).isEqualTo(200);
    assertThat(
            service.status(
                TestTokens.of(
                    issuer.name(),
                    JWSAlgorithm.ES256,
                    key,
                    claims -> claims.subject("bob").claim("groups", List.of("ops")))))
        .isEqualTo(200);
  }

  @Test
  void aFileThatCannotBeMeantIsToldAtOnce() throws Exception {
    Files.writeString(directory.resolve("keys.json"), Issuer.set(key));
    Files.writeString(directory.resolve("secret.json"), "{\"keys\": [" + key.toJSONString() + "]}");
    Files.writeString(directory.resolve("empty.pem"), "");
    for (String[] wrong :
        new String[][] {
          {", \"trust\": \"ca.pem\", \"keys\": \"keys.json\"", "field=jwt.trust"},
          {", \"trust\": \"empty.pem\"", "empty.pem"},
          {", \"trust\": \"keys.json\"", "keys.json"},
          {", \"trust\": 1", "field=jwt.trust"},
          {", \"keys\": \"secret.json\"", "public"},
          {", \"keys\": \"ca.pem\"", "JSON Web Key Set"},
          {", \"keys\": \"http://127.0.0.1:1/keys\"", "clearTextKeys"},
          {", \"keys\": \"http://login.example/keys\", \"clearTextKeys\": true", "https"},
        }) {
      Path file = AccessFixture.file(directory, AccessFixture.jwt(issuer.name(), wrong[0]));
      assertThatThrownBy(() -> AccessControl.of(file).close())
          .as(wrong[0])
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(wrong[1]);
    }
  }
}

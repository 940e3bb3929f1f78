package io.ensemble.rest.access;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.EncryptionMethod;
import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWEAlgorithm;
import com.nimbusds.jose.JWEHeader;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.DirectEncrypter;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSAEncrypter;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.KeyOperation;
import com.nimbusds.jose.jwk.KeyUse;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.EncryptedJWT;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import io.ensemble.rest.identity.SigningKeys.Pace;
import io.ensemble.testkit.keys.TlsIdentity;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.security.cert.CertificateEncodingException;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Which tokens of a provider are accepted by services that an access file guards. */
@Timeout(180)
@ResourceLock(AccessFixture.LOG)
class SignedTokensTest {

  private static final JWSAlgorithm RS256 = JWSAlgorithm.RS256;
  private static final JWSAlgorithm ES256 = JWSAlgorithm.ES256;
  private static final Pace OFTEN =
      new Pace(Duration.ofMinutes(5), Duration.ofMillis(10), Duration.ofHours(6));
  private static final String WHO = "\"iss\":\"%s\",\"aud\":\"ensemble\",\"sub\":\"ada\"";

  @TempDir static Path directory;
  private static final List<AccessFixture> SERVICES = new ArrayList<>();
  private static RSAKey rsa;
  private static RSAKey other;
  private static ECKey ec;
  private static ECKey longer;
  private static RSAKey secrets;
  private static RSAKey wrapping;
  private static RSAKey forAnother;
  private static RSAKey weak;
  private static Issuer issuer;
  private static ReusableRestService reusableRestService;
  private static AccessFixture discovering;

  @BeforeAll
  static void start() throws Exception {
    rsa = new RSAKeyGenerator(2048).keyID("r").generate();
    other = new RSAKeyGenerator(2048).keyID("r").generate();
    ec = certified();
    longer = new ECKeyGenerator(Curve.P_384).keyID("p384").generate();
    secrets = new RSAKey.Builder(rsa).keyID("enc").keyUse(KeyUse.ENCRYPTION).build();
    wrapping =
        new RSAKey.Builder(rsa).keyID("wrap").keyOperations(Set.of(KeyOperation.WRAP_KEY)).build();
    forAnother = new RSAKey.Builder(rsa).keyID("rs512").algorithm(JWSAlgorithm.RS512).build();
    KeyPairGenerator small = KeyPairGenerator.getInstance("RSA");
    small.initialize(1024);
    var pair = small.generateKeyPair();
    weak =
        new RSAKey.Builder((RSAPublicKey) pair.getPublic())
            .privateKey(pair.getPrivate())
            .keyID("weak")
            .build();
    JWK[] keys = {longer, ec, secrets, wrapping, forAnother, weak, rsa};
    issuer = Issuer.start(0).has(keys);
    Files.writeString(directory.resolve("keys.json"), Issuer.set(keys));
    reusableRestService = new ReusableRestService();
    discovering = guarded(", \"trust\": \"ca.pem\"");
    guarded(", \"trust\": \"ca.pem\", \"keys\": \"%s\"".formatted(issuer.address(Issuer.KEYS)));
    guarded(", \"keys\": \"keys.json\"");
  }

  /** A key with a chain of certificates, as Keycloak publishes it. */
  private static ECKey certified() throws CertificateEncodingException {
    TlsIdentity signer = Issuer.AUTHORITY.server("signer", List.of("signer"));
    byte[] certificate = signer.certificate().getEncoded();
    return new ECKey.Builder(Curve.P_256, (ECPublicKey) signer.certificate().getPublicKey())
        .keyID("e")
        .x509CertChain(List.of(com.nimbusds.jose.util.Base64.encode(certificate)))
        .privateKey(signer.key())
        .build();
  }

  private static AccessFixture guarded(String more) {
    AccessFixture service =
        new AccessFixture(
            reusableRestService,
            directory,
            AccessFixture.jwt(issuer.name(), more),
            OFTEN,
            System::nanoTime);
    SERVICES.add(service);
    return service;
  }

  @AfterAll
  static void end() {
    reusableRestService.close();
    SERVICES.forEach(AccessFixture::close);
    issuer.close();
  }

  private static String token(Consumer<JWTClaimsSet.Builder> change) {
    return TestTokens.of(issuer.name(), RS256, rsa, change);
  }

  private static String token(JWSAlgorithm algorithm, JWK key) {
    return TestTokens.of(issuer.name(), algorithm, key);
  }

  private static String token(JWSHeader.Builder header, JWK key) {
    return TestTokens.of(issuer.name(), header.build(), key, claims -> {});
  }

  private static byte[] payload() {
    return TestTokens.claims(issuer.name()).build().toString().getBytes(UTF_8);
  }

  private static void assertRefused(String... tokens) throws Exception {
    for (String token : tokens) {
      HttpResponse<String> answer = discovering.ask(token);
      assertThat(answer.statusCode()).as(token).isEqualTo(401);
      assertThat(answer.headers().firstValue("WWW-Authenticate").orElse(""))
          .contains("Bearer", "invalid_token");
      assertThat(answer.body()).contains("/problems/unauthenticated");
      assertThat(token.length() > 1 && answer.body().contains(token)).isFalse();
    }
  }

  private static void assertAccepted(String... tokens) throws Exception {
    for (String token : tokens) {
      assertThat(discovering.status(token)).as("%s %s", discovering.log(), token).isEqualTo(200);
    }
  }

  @Test
  void aRightTokenGetsInWhereverItsKeysComeFrom() throws Exception {
    for (AccessFixture service : SERVICES) {
      assertThat(service.status(token(RS256, rsa))).isEqualTo(200);
      assertThat(service.status(token(JWSAlgorithm.PS256, rsa))).isEqualTo(200);
      assertThat(service.status(token(ES256, ec))).isEqualTo(200);
      assertThat(service.status(token(RS256, other))).isEqualTo(401);
      assertThat(service.status(token(c -> c.subject("bob")))).isEqualTo(403);
      assertThat(service.status(token(c -> c.subject("bob").claim("groups", List.of("ops")))))
          .isEqualTo(200);
    }
  }

  @Test
  void aTokenThatNamesNoKeyIsCheckedWithAllOfItsKind() throws Exception {
    assertAccepted(
        token(new JWSHeader.Builder(RS256), rsa), token(new JWSHeader.Builder(ES256), ec));
    assertRefused(
        token(new JWSHeader.Builder(RS256), other), token(new JWSHeader.Builder(RS256), weak));
  }

  @Test
  void aKeyIsTakenForWhatItIsForAndIfItIsLongEnough() throws Exception {
    assertRefused(
        token(RS256, secrets),
        token(RS256, wrapping),
        token(RS256, forAnother),
        token(JWSAlgorithm.PS256, forAnother),
        token(RS256, weak),
        token(new JWSHeader.Builder(RS256).keyID("e"), rsa),
        token(new JWSHeader.Builder(ES256).keyID("r"), ec),
        token(new JWSHeader.Builder(ES256).keyID("p384"), ec),
        token(JWSAlgorithm.RS512, rsa),
        token(JWSAlgorithm.PS512, rsa),
        token(JWSAlgorithm.ES384, longer));
  }

  @Test
  void whatEverybodyKnowsSignsNothing() throws Exception {
    RSAPublicKey known = rsa.toRSAPublicKey();
    String pem =
        "-----BEGIN PUBLIC KEY-----\n%s\n-----END PUBLIC KEY-----\n"
            .formatted(Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(encoded()));
    JWTClaimsSet claims = TestTokens.claims(issuer.name()).build();
    for (byte[] secret :
        new byte[][] {encoded(), pem.getBytes(UTF_8), known.getModulus().toByteArray()}) {
      JWSHeader header = new JWSHeader.Builder(JWSAlgorithm.HS256).keyID("r").build();
      assertRefused(TestTokens.signed(header, new MACSigner(secret), claims));
    }
    String body = "." + TestTokens.base64(payload()) + ".";
    assertRefused(new PlainJWT(claims).serialize());
    for (String none : List.of("none", "None", "NONE", "", "RS512", "EdDSA", "dir", "rs256")) {
      String header = "{\"alg\":\"%s\",\"kid\":\"r\"}".formatted(none);
      assertRefused(
          TestTokens.base64(header.getBytes(UTF_8)) + body,
          TestTokens.under(header, payload(), rsa));
    }
    assertRefused(TestTokens.base64("{\"alg\":\"ES256\",\"kid\":\"e\"}".getBytes(UTF_8)) + body);
    assertRefused(
        TestTokens.base64("{\"alg\":\"ES256\",\"kid\":\"e\"}".getBytes(UTF_8))
            + body
            + TestTokens.base64(new byte[64]));
  }

  private static byte[] encoded() throws JOSEException {
    return rsa.toRSAPublicKey().getEncoded();
  }

  @Test
  void whatATokenSaysOfItsOwnKeyCountsForNothing() throws Exception {
    JWSHeader.Builder its = new JWSHeader.Builder(RS256).jwk(other.toPublicJWK());

    assertRefused(token(its, other), token(its.keyID("r"), other), token(its.keyID("x"), other));
    String url = "{\"alg\":\"RS256\",\"kid\":\"r\",\"jku\":\"%s\",\"x5u\":\"%1$s\"}";
    assertRefused(TestTokens.under(url.formatted(issuer.address("/theirs")), payload(), other));
    assertThat(issuer.asked("/theirs")).isZero();
  }

  @Test
  void headersThatAreNotUnderstoodAreNotPassedOver() throws Exception {
    String plain = new String(payload(), UTF_8);
    String header = "{\"alg\":\"RS256\",\"kid\":\"r\"%s}";

    assertAccepted(TestTokens.under(header.formatted(",\"more\":1"), payload(), rsa));
    assertRefused(
        TestTokens.under(header.formatted(",\"crit\":[\"more\"],\"more\":1"), payload(), rsa),
        TestTokens.under(header.formatted(",\"crit\":[\"exp\"],\"exp\":1"), payload(), rsa),
        TestTokens.under(header.formatted(",\"crit\":[]"), payload(), other),
        TestTokens.under(header.formatted(",\"crit\":[\"b64\"],\"b64\":false"), payload(), rsa),
        TestTokens.under(header.formatted(",\"crit\":[\"b64\"],\"b64\":false"), plain, rsa),
        TestTokens.under(header.formatted(",\"b64\":false"), payload(), rsa),
        TestTokens.under(header.formatted(",\"b64\":false"), plain, rsa),
        TestTokens.under(header.formatted(",\"typ\":\"logout+jwt\""), payload(), rsa),
        TestTokens.under(header.formatted(",\"alg\":\"none\""), payload(), other));
    assertAccepted(
        TestTokens.under(header.formatted(",\"typ\":\"jwt\""), payload(), rsa),
        token(new JWSHeader.Builder(RS256).keyID("r").type(new JOSEObjectType("at+jwt")), rsa));
  }

  @Test
  void tokensInTokensAndEncryptedOnesAreRefused() throws Exception {
    JWTClaimsSet claims = TestTokens.claims(issuer.name()).build();
    EncryptedJWT forUs =
        new EncryptedJWT(
            new JWEHeader(JWEAlgorithm.RSA_OAEP_256, EncryptionMethod.A128GCM), claims);
    forUs.encrypt(new RSAEncrypter(rsa));
    EncryptedJWT direct =
        new EncryptedJWT(new JWEHeader(JWEAlgorithm.DIR, EncryptionMethod.A128GCM), claims);
    direct.encrypt(new DirectEncrypter(new byte[16]));
    byte[] inner = token(c -> {}).getBytes(UTF_8);

    assertRefused(
        forUs.serialize(),
        direct.serialize(),
        TestTokens.under("{\"alg\":\"RS256\",\"kid\":\"r\",\"cty\":\"JWT\"}", inner, rsa),
        TestTokens.under("{\"alg\":\"RS256\",\"kid\":\"r\"}", "[1]".getBytes(UTF_8), rsa),
        TestTokens.under("{\"alg\":\"RS256\",\"kid\":\"r\"}", "{".getBytes(UTF_8), rsa));
  }

  @Test
  void aHugeTokenIsRefusedUnread() throws Exception {
    assertAccepted(token(c -> c.claim("more", "x".repeat(5_000))));
    assertRefused(token(c -> c.claim("more", "x".repeat(7_000))), "a".repeat(12_000));
    assertThat(discovering.status(token(c -> c.claim("more", "x".repeat(20_000))))).isEqualTo(431);
    String deep = "[".repeat(1_500) + "]".repeat(1_500);
    assertRefused(claiming(WHO.formatted(issuer.name()) + ",\"deep\":" + deep));
    String header = "{\"alg\":\"RS256\",\"kid\":\"r\",\"deep\":%s}".formatted(deep);
    assertRefused(TestTokens.under(header, payload(), other));
  }

  @Test
  void anAudienceIsATextOrAList() throws Exception {
    assertAccepted(
        token(c -> c.audience("ensemble")),
        token(c -> c.audience("grid")),
        token(c -> c.audience(List.of("account", "ensemble"))));
    assertRefused(
        token(c -> c.audience("account")),
        token(c -> c.audience("ensemble grid")),
        token(c -> c.audience("Ensemble")),
        token(c -> c.audience(List.of("account", "others"))),
        token(c -> c.audience(List.of())),
        token(c -> c.audience((String) null)),
        token(c -> c.claim("aud", 1)));
  }

  @Test
  void aTokenHasAnEndAnIssuerAndAName() throws Exception {
    assertRefused(
        token(c -> c.expirationTime(null)),
        token(c -> c.subject(null)),
        token(c -> c.subject("")),
        token(c -> c.claim("sub", true)),
        token(c -> c.claim("sub", List.of("ada"))),
        token(c -> c.issuer(null)),
        token(c -> c.issuer(issuer.name() + "/")),
        token(c -> c.issuer(issuer.address("/realms/others"))));
    for (String never : List.of("1e300", "9223372036854775807", "-1", "\"soon\"", "null", "{}")) {
      assertRefused(claiming(WHO.formatted(issuer.name()) + ",\"exp\":" + never));
    }
    String end = ",\"exp\":4000000000";
    assertAccepted(claiming(WHO.formatted(issuer.name()) + end));
    for (String none : List.of("\"iss\":null", "\"sub\":null", "\"aud\":null", "\"aud\":[null]")) {
      String name = none.substring(0, none.indexOf(':'));
      String others = WHO.formatted(issuer.name()).replaceAll(name + ":\"[^\"]*\"", "\"x\":1");
      assertRefused(claiming(others + end + "," + none));
    }
  }

  private static String claiming(String claims) {
    return TestTokens.under(
        "{\"alg\":\"RS256\",\"kid\":\"r\"}", "{%s}".formatted(claims).getBytes(UTF_8), rsa);
  }

  @Test
  void timesCountWithinTheSkew() throws Exception {
    Duration within = Duration.ofSeconds(20);
    Duration beyond = Duration.ofSeconds(32);

    assertAccepted(
        token(c -> c.expirationTime(TestTokens.in(within.negated()))),
        token(c -> c.notBeforeTime(TestTokens.in(within))));
    assertRefused(
        token(c -> c.expirationTime(TestTokens.in(beyond.negated()))),
        token(c -> c.notBeforeTime(TestTokens.in(beyond.plusMinutes(1)))));
    assertThat(
            discovering.ask(token(c -> c.expirationTime(TestTokens.in(beyond.negated())))).body())
        .contains("expired");
  }
}

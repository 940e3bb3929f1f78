package io.ensemble.rest.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.OctetSequenceKey;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RequestHead;
import io.ensemble.rest.policy.CallerIdentity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceLock;

@Timeout(180)
@ResourceLock("log of signing keys")
class JwtVerifierTest {

  private static final Instant NOW = Instant.parse("2030-01-01T12:00:00Z");
  private static final String ISSUER = "https://login.example";
  private static final String AUDIENCE = "ensemble";
  private static final Duration SKEW = Duration.ofSeconds(30);

  private static RSAKey rsa;
  private static RSAKey other;
  private static ECKey ec;
  private static SigningKeys keys;
  private static Authentication authentication;

  @BeforeAll
  static void start() throws Exception {
    rsa = new RSAKeyGenerator(2048).keyID("r").generate();
    other = new RSAKeyGenerator(2048).keyID("r").generate();
    ec = new ECKeyGenerator(Curve.P_256).keyID("e").generate();
    byte[] set = set(rsa, ec);
    keys = SigningKeys.from(() -> set, "a test", SigningKeys.Pace.OF_FILE, System::nanoTime);
    authentication = by(keys);
  }

  @AfterAll
  static void end() {
    keys.close();
  }

  private static byte[] set(JWK... all) {
    return new JWKSet(List.of(all)).toString(true).getBytes(StandardCharsets.UTF_8);
  }

  private static Authentication by(SigningKeys keys) {
    JwtRules rules =
        new JwtRules(
            ISSUER, Set.of(AUDIENCE), Set.of("RS256", "ES256"), SKEW, "sub", List.of("groups"));
    return new Authentication(
        Optional.empty(),
        Optional.of(new JwtVerifier(rules, keys, InstantSource.fixed(NOW))),
        Optional.empty(),
        Optional.empty(),
        List.of());
  }

  private static String token(Consumer<JWTClaimsSet.Builder> change) throws Exception {
    return token(new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("r").build(), rsa(rsa), change);
  }

  private static JWSSigner rsa(RSAKey key) throws Exception {
    return new RSASSASigner(key);
  }

  private static String token(
      JWSHeader header, JWSSigner signer, Consumer<JWTClaimsSet.Builder> change) throws Exception {
    JWTClaimsSet.Builder claims =
        new JWTClaimsSet.Builder()
            .issuer(ISSUER)
            .audience(AUDIENCE)
            .subject("ada")
            .claim("groups", List.of("ops", "dev"))
            .expirationTime(at(Duration.ofMinutes(5)));
    change.accept(claims);
    SignedJWT signed = new SignedJWT(header, claims.build());
    signed.sign(signer);
    return signed.serialize();
  }

  private static Date at(Duration later) {
    return Date.from(NOW.plus(later));
  }

  private static void asIs(JWTClaimsSet.Builder claims) {}

  private static CallerIdentity identify(String token) {
    return identify(authentication, token);
  }

  private static CallerIdentity identify(Authentication by, String token) {
    RequestHead head =
        new RequestHead(
            "GET",
            "/caches",
            Map.of(),
            Map.of(),
            Map.of("authorization", List.of("Bearer " + token)),
            true,
            "127.0.0.1",
            List.of());
    try {
      return by.identify(head).toCompletableFuture().join();
    } catch (CompletionException e) {
      throw (ProblemException) e.getCause();
    }
  }

  private static void assertRefused(String token) {
    assertThatThrownBy(() -> identify(token))
        .isInstanceOfSatisfying(
            ProblemException.class,
            refused -> {
              assertThat(refused.problem().type()).isEqualTo(ProblemType.UNAUTHENTICATED);
              assertThat(refused.problem().headers()).containsKey("WWW-Authenticate");
              if (token.length() > 1) {
                assertThat(refused.problem().toString()).doesNotContain(token);
              }
            });
  }

  @Test
  void aTokenOfTheIssuerForThisServiceIsAccepted() throws Exception {
    CallerIdentity ada = identify(token(JwtVerifierTest::asIs));

    assertThat(ada.name()).isEqualTo("jwt:ada");
    assertThat(ada.attributes()).containsExactlyInAnyOrder("claim:groups=ops", "claim:groups=dev");
    JWSHeader curve =
        new JWSHeader.Builder(JWSAlgorithm.ES256)
            .keyID("e")
            .type(new JOSEObjectType("at+jwt"))
            .build();
    assertThat(identify(token(curve, new ECDSASigner(ec), JwtVerifierTest::asIs)).name())
        .isEqualTo("jwt:ada");
  }

  @Test
  void timesCountWithinTheSkewAndNotBeyond() throws Exception {
    Duration within = SKEW.minusSeconds(1);
    Duration beyond = SKEW.plusSeconds(1);

    assertThat(identify(token(c -> c.expirationTime(at(within.negated()))))).isNotNull();
    assertRefused(token(c -> c.expirationTime(at(beyond.negated()))));
    assertThat(identify(token(c -> c.notBeforeTime(at(within))))).isNotNull();
    assertRefused(token(c -> c.notBeforeTime(at(beyond))));
    assertRefused(token(c -> c.expirationTime(at(SKEW.negated()))));
    assertRefused(token(c -> c.notBeforeTime(at(SKEW))));
    assertRefused(token(c -> c.expirationTime(null)));
  }

  @Test
  void aTokenForOthersOrOfOthersIsRefused() throws Exception {
    assertRefused(token(c -> c.audience("another")));
    assertRefused(token(c -> c.audience(List.of())));
    assertRefused(token(c -> c.issuer("https://evil.example")));
    assertRefused(token(c -> c.issuer(null)));
    assertRefused(token(c -> c.subject(null)));
    assertRefused(token(c -> c.subject(" ")));
  }

  @Test
  void aTokenThatIsNotSignedByAKnownKeyIsRefused() throws Exception {
    String good = token(JwtVerifierTest::asIs);
    String[] parts = good.split("\\.");
    String forged =
        new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8)
            .replace("ada", "eve");
    String payload = Base64.getUrlEncoder().withoutPadding().encodeToString(forged.getBytes());
    JWSHeader header = new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("r").build();
    JWSHeader itsOwn =
        new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("r").jwk(other.toPublicJWK()).build();

    assertRefused(parts[0] + "." + payload + "." + parts[2]);
    assertRefused(parts[0] + "." + parts[1] + ".");
    assertRefused(good.substring(0, good.length() - 8) + "AAAAAAAA");
    assertRefused(token(header, rsa(other), JwtVerifierTest::asIs));
    assertRefused(token(itsOwn, rsa(other), JwtVerifierTest::asIs));
    assertRefused("x");
    assertRefused("");
    assertRefused("a.b.c");
    assertRefused("a".repeat(9_000));
  }

  @Test
  void anAlgorithmThatIsNotInTheListIsRefused() throws Exception {
    JWTClaimsSet claims =
        new JWTClaimsSet.Builder()
            .issuer(ISSUER)
            .audience(AUDIENCE)
            .subject("ada")
            .expirationTime(at(Duration.ofMinutes(5)))
            .build();
    byte[] known = rsa.toRSAPublicKey().getEncoded();
    JWSHeader confused = new JWSHeader.Builder(JWSAlgorithm.HS256).keyID("r").build();
    JWSHeader notListed = new JWSHeader.Builder(JWSAlgorithm.PS256).keyID("r").build();
    JWSHeader otherKind = new JWSHeader.Builder(JWSAlgorithm.RS256).keyID("e").build();

    assertRefused(new PlainJWT(claims).serialize());
    assertRefused(token(confused, new MACSigner(known), JwtVerifierTest::asIs));
    assertRefused(token(notListed, rsa(rsa), JwtVerifierTest::asIs));
    assertRefused(token(otherKind, rsa(rsa), JwtVerifierTest::asIs));
    for (String never : List.of("none", "HS256", "HS512", "dir")) {
      assertThatThrownBy(
              () -> new JwtRules(ISSUER, Set.of("a"), Set.of(never), SKEW, "sub", List.of()))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void aSetWithSecretKeysOrTooManyIsNotTaken() throws Exception {
    JWK secret = new OctetSequenceKey.Builder(new byte[32]).keyID("s").build();
    byte[] secrets = new JWKSet(List.of(secret)).toString(false).getBytes(StandardCharsets.UTF_8);
    JWK[] many = new JWK[SigningKeys.MOST_KEYS + 1];
    for (int i = 0; i < many.length; i++) {
      many[i] = new ECKey.Builder(ec.toPublicJWK()).keyID("k" + i).build();
    }

    assertThatThrownBy(() -> SigningKeys.parse(secrets)).hasMessageContaining("public");
    assertThatThrownBy(() -> SigningKeys.parse(set(many))).hasMessageContaining("at most 32");
    many[0] = many[1];
    assertThat(SigningKeys.parse(set(List.of(many).subList(1, many.length).toArray(JWK[]::new))))
        .isNotNull();
  }

  @Test
  void aNewKeyIsFetchedOnceHoweverManyTokensNameUnknownOnes() throws Exception {
    AtomicReference<byte[]> source = new AtomicReference<>(set(ec));
    AtomicInteger fetched = new AtomicInteger();
    AtomicReference<Long> time = new AtomicReference<>(0L);
    try (SigningKeys rotated =
        SigningKeys.from(
            () -> {
              fetched.incrementAndGet();
              return source.get();
            },
            "a test",
            SigningKeys.Pace.OF_ADDRESS,
            time::get)) {
      Authentication by = by(rotated);
      rotated.refresh().toCompletableFuture().join();
      source.set(set(rsa, ec));
      String token = token(JwtVerifierTest::asIs);

      assertThatThrownBy(() -> identify(by, token)).isInstanceOf(ProblemException.class);
      assertThat(fetched).hasValue(1); // Fetched a moment ago, so not again.
      time.set(SigningKeys.Pace.OF_ADDRESS.minInterval().toNanos());
      assertThat(identify(by, token).name()).isEqualTo("jwt:ada");
      assertThat(fetched).hasValue(2);
    }
  }

  @Test
  void keysThatCannotBeFetchedServeForAWhileThenTheServiceSaysThatItIsNotReady() throws Exception {
    AtomicInteger fetched = new AtomicInteger();
    AtomicReference<Long> time = new AtomicReference<>(0L);
    try (SigningKeys lost =
        SigningKeys.from(
            () -> {
              if (fetched.getAndIncrement() > 0) {
                throw new IOException("away");
              }
              return set(rsa);
            },
            "a test",
            SigningKeys.Pace.OF_ADDRESS,
            time::get)) {
      Authentication by = by(lost);
      lost.refresh().toCompletableFuture().join();
      String token = token(JwtVerifierTest::asIs);

      time.set(SigningKeys.Pace.OF_ADDRESS.retention().toNanos());
      assertThat(identify(by, token).name()).isEqualTo("jwt:ada");
      time.set(SigningKeys.Pace.OF_ADDRESS.retention().toNanos() + 1);
      assertThatThrownBy(() -> identify(by, token))
          .isInstanceOfSatisfying(
              ProblemException.class,
              refused -> assertThat(refused.problem().type()).isEqualTo(ProblemType.NOT_READY));
    }
  }
}

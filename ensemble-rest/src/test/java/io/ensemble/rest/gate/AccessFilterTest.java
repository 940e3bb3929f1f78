package io.ensemble.rest.gate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import io.ensemble.rest.audit.Audit;
import io.ensemble.rest.audit.AuditSink;
import io.ensemble.rest.http.HttpMethod;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RequestHead;
import io.ensemble.rest.http.RestCaller;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.RouteDescription;
import io.ensemble.rest.identity.Authentication;
import io.ensemble.rest.identity.JwtRules;
import io.ensemble.rest.identity.JwtVerifier;
import io.ensemble.rest.identity.SigningKeys;
import io.ensemble.rest.identity.StaticTokens;
import io.ensemble.rest.policy.AccessPolicy;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Places are released and audit lines written, however a request ends. */
class AccessFilterTest {

  private static final String TOKEN = "t".repeat(32);
  private static final String THEIRS = "u".repeat(32);
  private static final RestRoute CHANGE = route(Role.ADMIN);

  private static RestRoute route(Role role) {
    return new RestRoute(
        HttpMethod.PUT,
        "/caches/{cache}/x",
        role,
        0,
        RouteDescription.of("change" + role, "tag", "text"),
        call -> CompletableFuture.completedFuture(RestResponse.noContent()));
  }

  /** A disk that may be full. */
  private static final class Disk extends ArrayList<String> implements AuditSink {

    private static final long serialVersionUID = 1L;
    private boolean full;

    @Override
    public void write(String line) throws IOException {
      if (full) {
        throw new IOException("no space left");
      }
      add(line);
    }

    @Override
    public void close() {}
  }

  private final Disk disk = new Disk();
  private final AccessFilter accessFilter =
      new AccessFilter(
          new OriginPolicy(Set.of("h"), Set.of()),
          new Authentication(
              Optional.of(
                  new StaticTokens(Map.of("me", TOKEN::toCharArray, "they", THEIRS::toCharArray))),
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              List.of()),
          () -> AccessPolicy.everythingFor("token:me"),
          2,
          new Audit(disk, System::nanoTime),
          InstantSource.system());

  private CompletionStage<RestResponse> authorize(
      RestRoute route, String token, Function<RestCaller, CompletionStage<RestResponse>> on) {
    Map<String, List<String>> headers =
        Map.of("host", List.of("h"), "authorization", List.of("Bearer " + token));
    return accessFilter.authorize(
        new RequestHead(
            "PUT",
            "/caches/c/x",
            Map.of("cache", "c", "lock", "l"),
            Map.of(),
            headers,
            false,
            "",
            List.of()),
        route,
        on);
  }

  private static CompletionStage<RestResponse> done() {
    return CompletableFuture.completedFuture(RestResponse.noContent());
  }

  private ProblemType refused(
      RestRoute route, String token, Function<RestCaller, CompletionStage<RestResponse>> on) {
    try {
      throw new AssertionError(authorize(route, token, on).toCompletableFuture().join());
    } catch (CompletionException e) {
      return ((ProblemException) e.getCause()).problem().type();
    }
  }

  @Test
  void aPlaceIsGivenBackHoweverARequestEnds() {
    for (int i = 0; i < 5; i++) {
      assertThat(
              refused(
                  CHANGE,
                  TOKEN,
                  caller -> {
                    throw new IllegalStateException("at once");
                  }))
          .isEqualTo(ProblemType.CONFLICT);
      assertThat(
              refused(
                  CHANGE,
                  TOKEN,
                  caller -> CompletableFuture.failedFuture(new AssertionError("later"))))
          .isEqualTo(ProblemType.INTERNAL);
    }
    disk.full = true;
    for (int i = 0; i < 5; i++) {
      assertThat(refused(CHANGE, TOKEN, caller -> done())).isEqualTo(ProblemType.NOT_READY);
    }
    for (int i = 0; i < 200; i++) { // More than may wait for authentication.
      assertThat(refused(CHANGE, "wrong", caller -> done())).isEqualTo(ProblemType.UNAUTHENTICATED);
    }
  }

  @Test
  void nothingIsChangedWhileNobodyCouldBeToldOfItAndReadingGoesOn() {
    AtomicInteger changed = new AtomicInteger();
    disk.full = true;

    for (Role role : new Role[] {Role.ADMIN, Role.WRITE}) {
      refused(CHANGE, TOKEN, caller -> done());
      assertThat(
              refused(
                  route(role),
                  TOKEN,
                  caller -> {
                    changed.incrementAndGet();
                    return done();
                  }))
          .isEqualTo(ProblemType.NOT_READY);
    }

    assertThat(changed).hasValue(0);
    assertThat(authorize(route(Role.READ), TOKEN, caller -> done())).isCompleted();
  }

  @Test
  void theAuditLogNamesTheCacheAndTheLockOfAChange() {
    authorize(route(Role.ADMIN), TOKEN, caller -> done()).toCompletableFuture().join();

    assertThat(disk).hasSize(2).allMatch(line -> line.contains("\"cache\":\"c\",\"lock\":\"l\""));
  }

  @Test
  void aFailureThatNobodyForesawMayHaveComeAfterTheChange() {
    refused(CHANGE, TOKEN, caller -> CompletableFuture.failedFuture(new AssertionError("odd")));
    refused(
        CHANGE,
        TOKEN,
        caller -> CompletableFuture.failedFuture(Problem.of(ProblemType.CONFLICT, "in the way")));

    assertThat(disk).hasSize(4);
    assertThat(disk.get(1)).contains("\"outcome\":\"unknown\"", "\"problem\":\"internal\"");
    assertThat(disk.get(3)).contains("\"outcome\":\"refused\"", "\"problem\":\"conflict\"");
  }

  @Test
  void whoWasRefusedIsWrittenDownAlsoWhereNothingWouldHaveBeenChanged() {
    assertThat(refused(route(Role.READ), THEIRS, caller -> done()))
        .isEqualTo(ProblemType.FORBIDDEN);

    assertThat(disk)
        .singleElement()
        .asString()
        .contains("\"caller\":\"token:they\"", "\"outcome\":\"refused\"", "forbidden");
  }

  /** A provider that is slow, and tokens that name keys which it has never had. */
  @Test
  void tokensWithUnknownKeysKeepNoHolderOfAKnownKeyOut() throws Exception {
    ECKey key = new ECKeyGenerator(Curve.P_256).keyID("known").generate();
    ECKey invented = new ECKeyGenerator(Curve.P_256).keyID("invented").generate();
    byte[] set = new JWKSet(key.toPublicJWK()).toString().getBytes(StandardCharsets.UTF_8);
    CountDownLatch answer = new CountDownLatch(1);
    AtomicInteger fetches = new AtomicInteger();
    AtomicLong time = new AtomicLong();
    SigningKeys keys =
        SigningKeys.from(
            () -> {
              if (fetches.incrementAndGet() > 1) {
                answer.await();
              }
              return set;
            },
            "a slow provider",
            SigningKeys.Pace.OF_ADDRESS,
            time::get);
    try (AccessFilter filter = filterOf(keys)) {
      // The first token waits for the first fetch.
      assertThat(authorize(filter, "first", key).toCompletableFuture().join().status())
          .isEqualTo(204);
      time.addAndGet(SigningKeys.Pace.OF_ADDRESS.minInterval().toNanos());
      List<CompletableFuture<RestResponse>> bogus = new ArrayList<>();
      for (int i = 0; i < 200; i++) {
        bogus.add(authorize(filter, "address" + i % 8, invented).toCompletableFuture());
      }
      long waiting = bogus.stream().filter(one -> !one.isDone()).count();

      CompletionStage<RestResponse> mine = authorize(filter, "address0", key);
      CompletionStage<RestResponse> others = authorize(filter, "another", key);

      assertThat(waiting).isEqualTo(128);
      assertThat(mine).isCompletedWithValueMatching(response -> response.status() == 204);
      assertThat(others).isCompletedWithValueMatching(response -> response.status() == 204);
      answer.countDown();
      for (CompletableFuture<RestResponse> one : bogus) {
        assertThatThrownBy(one::join).hasCauseInstanceOf(ProblemException.class);
      }
      assertThat(fetches).hasValue(2);
    }
  }

  private static AccessFilter filterOf(SigningKeys keys) {
    JwtRules rules =
        new JwtRules(
            "https://login.example",
            Set.of("ensemble"),
            Set.of("ES256"),
            Duration.ofSeconds(30),
            "sub",
            List.of());
    return new AccessFilter(
        new OriginPolicy(Set.of("h"), Set.of()),
        new Authentication(
            Optional.empty(),
            Optional.of(new JwtVerifier(rules, keys, InstantSource.system())),
            Optional.empty(),
            Optional.empty(),
            List.of(keys)),
        () -> AccessPolicy.everythingFor("jwt:ada"),
        2,
        new Audit(new Disk(), System::nanoTime),
        InstantSource.system());
  }

  private static CompletionStage<RestResponse> authorize(
      AccessFilter filter, String address, ECKey key) throws Exception {
    SignedJWT token =
        new SignedJWT(
            new JWSHeader.Builder(JWSAlgorithm.ES256).keyID(key.getKeyID()).build(),
            new JWTClaimsSet.Builder()
                .issuer("https://login.example")
                .audience("ensemble")
                .subject("ada")
                .expirationTime(Date.from(Instant.now().plusSeconds(300)))
                .build());
    token.sign(new ECDSASigner(key));
    Map<String, List<String>> headers =
        Map.of("host", List.of("h"), "authorization", List.of("Bearer " + token.serialize()));
    return filter.authorize(
        new RequestHead(
            "GET",
            "/caches/c/x",
            Map.of("cache", "c"),
            Map.of(),
            headers,
            false,
            address,
            List.of()),
        route(Role.READ),
        caller -> done());
  }
}

package io.ensemble.rest.access;

import static io.ensemble.rest.access.Issuer.DISCOVERY;
import static io.ensemble.rest.access.Issuer.KEYS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.sun.net.httpserver.HttpHandler;
import io.ensemble.rest.identity.SigningKeys.Pace;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Keys and a provider that come and go, without a restart of the service. */
@Timeout(180)
@ResourceLock(AccessFixture.LOG)
class IssuerRotationTest {

  private static final Duration BETWEEN = Pace.OF_ADDRESS.minInterval();
  private static final Duration KEEP = Pace.OF_ADDRESS.retention();
  private static final String TRUST = ", \"trust\": \"ca.pem\"";

  private static ReusableRestService reusableRestService;
  private static ECKey former;
  private static ECKey next;

  @TempDir Path directory;
  private final AtomicLong time = new AtomicLong();
  private Issuer issuer;
  private AccessFixture service;

  @BeforeAll
  static void open() throws Exception {
    reusableRestService = new ReusableRestService();
    former = new ECKeyGenerator(Curve.P_256).keyID("former").generate();
    next = new ECKeyGenerator(Curve.P_256).keyID("next").generate();
  }

  @AfterAll
  static void shut() {
    reusableRestService.close();
  }

  @BeforeEach
  void start() throws Exception {
    issuer = Issuer.start(0).has(former);
  }

  @AfterEach
  void end() {
    if (service != null) {
      service.close();
    }
    issuer.close();
  }

  private void serve(String more, Pace pace) {
    service =
        new AccessFixture(
            reusableRestService,
            directory,
            AccessFixture.jwt(issuer.name(), more),
            pace,
            time::get);
  }

  private void passes(Duration moment) {
    time.addAndGet(moment.toNanos());
  }

  private String token(ECKey key) {
    return TestTokens.of(issuer.name(), JWSAlgorithm.ES256, key);
  }

  private ECKey unknown(int number) {
    return new ECKey.Builder(next).keyID("unknown-" + number).build();
  }

  private void assertAsked(int times) {
    assertThat(List.of(issuer.asked(DISCOVERY), issuer.asked(KEYS)))
        .isEqualTo(List.of(times, times));
  }

  @Test
  void aNewKeyIsFoundAndOneThatIsGoneIsRefused() throws Exception {
    serve(TRUST, Pace.OF_ADDRESS);
    assertThat(service.status(token(former))).isEqualTo(200);
    issuer.has(next);

    assertThat(service.status(token(next))).isEqualTo(401); // The issuer was asked a moment ago.
    assertThat(service.status(token(former))).isEqualTo(200); // The keys are not read again yet.
    assertAsked(1);
    passes(BETWEEN);
    assertThat(service.status(token(next))).isEqualTo(200);
    assertThat(service.status(token(former))).isEqualTo(401);
    assertAsked(2);
  }

  @Test
  void aKeyThatIsGoneIsRefusedThoughNobodyNamesANewOne() throws Exception {
    Pace often = new Pace(Duration.ofMillis(50), BETWEEN, KEEP);
    serve(TRUST, often);
    assertThat(service.status(token(former))).isEqualTo(200);
    issuer.has(next);

    awaitStatus(former, 401);

    assertThat(service.status(token(next))).isEqualTo(200);
    issuer.has();
    awaitStatus(next, 503); // The issuer has no keys.
  }

  /** The status of a token that is accepted until the keys are fetched again. */
  private void awaitStatus(ECKey key, int wanted) {
    int status =
        await("another status than 200")
            .pollDelay(Duration.ZERO)
            .pollInterval(20, TimeUnit.MILLISECONDS)
            .atMost(60, TimeUnit.SECONDS)
            .until(() -> service.status(token(key)), now -> now != 200);
    assertThat(status).isEqualTo(wanted);
  }

  @Test
  void howeverManyNameUnknownKeysTheIssuerIsAskedOnceInAWhileAndByOneAtATime() throws Exception {
    serve(TRUST, Pace.OF_ADDRESS);
    assertThat(service.status(token(former))).isEqualTo(200);

    for (int turn = 1; turn <= 3; turn++) {
      List<CompletableFuture<Integer>> answers = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        answers.add(service.later(token(unknown(turn * 100 + i))));
      }
      for (CompletableFuture<Integer> answer : answers) {
        assertThat(answer.join()).isEqualTo(401);
      }
      assertAsked(turn);
      passes(BETWEEN);
    }
    assertThat(issuer.mostAtOnce()).isEqualTo(1);
  }

  @Test
  void aTokenThatNoKeyCouldMakeGoodDoesNotMakeTheServiceAsk() throws Exception {
    serve(TRUST, Pace.OF_ADDRESS);
    assertThat(service.status(token(former))).isEqualTo(200);
    passes(BETWEEN);

    for (String algorithm : List.of("HS256", "none", "RS512", "dir")) {
      String header = "{\"alg\":\"%s\",\"kid\":\"x\"}".formatted(algorithm);
      String token =
          TestTokens.base64(header.getBytes()) + ".e30." + TestTokens.base64(new byte[32]);
      assertThat(service.status(token)).isEqualTo(401);
    }

    assertAsked(1);
  }

  @Test
  void aSlowIssuerKeepsNobodyWaitingWhoseKeyIsKnown() throws Exception {
    serve(TRUST, Pace.OF_ADDRESS);
    assertThat(service.status(token(former))).isEqualTo(200);
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answer = new CountDownLatch(1);
    HttpHandler both = Issuer.text(200, Issuer.set(former, next));
    issuer.answers(
        KEYS,
        exchange -> {
          asked.countDown();
          try {
            answer.await();
          } catch (InterruptedException e) {
            throw new java.io.IOException(e);
          }
          both.handle(exchange);
        });
    passes(BETWEEN);

    CompletableFuture<Integer> waiting = service.later(token(next));
    asked.await();
    assertThat(service.status(token(former))).isEqualTo(200);
    assertThat(waiting).isNotDone();
    answer.countDown();

    assertThat(waiting.join()).isEqualTo(200);
  }

  @Test
  void anIssuerThatIsDownAtTheStartIsAskedAgain() throws Exception {
    int port = issuer.port();
    issuer.close();
    serve(TRUST, Pace.OF_ADDRESS);

    HttpResponse<String> refused = service.ask(token(former));
    assertThat(refused.statusCode()).isEqualTo(503);
    assertThat(refused.headers().firstValue("Retry-After")).isPresent();
    assertThat(refused.body()).contains("/problems/not-ready");
    assertThat(service.status("x")).isEqualTo(401); // No token at all.
    issuer = Issuer.start(port).has(former);
    assertThat(service.status(token(former))).isEqualTo(503); // The issuer was asked a moment ago.
    passes(BETWEEN);

    assertThat(service.status(token(former))).isEqualTo(200);
    assertAsked(1);
  }

  @Test
  void ofAnIssuerThatGoesDownTheKeysServeOnForAWhile() throws Exception {
    serve(TRUST, Pace.OF_ADDRESS);
    assertThat(service.status(token(former))).isEqualTo(200);
    int port = issuer.port();
    issuer.close();

    passes(KEEP);
    assertThat(service.status(token(former))).isEqualTo(200);
    assertThat(service.status(token(next))).isEqualTo(401);
    passes(Duration.ofNanos(1));
    assertThat(service.status(token(former))).isEqualTo(503);
    assertThat(service.status(token(next))).isEqualTo(503);
    issuer = Issuer.start(port).has(former);
    passes(BETWEEN);

    assertThat(service.status(token(former))).isEqualTo(200);
  }

  @Test
  void aFileOfKeysMayChangeToo() throws Exception {
    Path file = Files.writeString(directory.resolve("keys.json"), Issuer.set(former));
    serve(", \"keys\": \"keys.json\"", Pace.OF_ADDRESS);
    assertThat(service.status(token(former))).isEqualTo(200);

    Files.writeString(file, "{");
    passes(Pace.OF_FILE.minInterval());
    assertThat(service.status(token(next))).isEqualTo(401);
    assertThat(service.status(token(former))).isEqualTo(200);
    Files.writeString(file, Issuer.set(next));
    passes(Pace.OF_FILE.minInterval());
    assertThat(service.status(token(next))).isEqualTo(200);
    assertThat(service.status(token(former))).isEqualTo(401);
    assertAsked(0);
  }
}

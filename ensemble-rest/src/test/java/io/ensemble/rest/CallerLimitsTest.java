package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.rest.access.AccessControl;
import io.ensemble.rest.audit.AuditSink;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Limits on long, slow and concurrent requests of one caller, and the audit of changes. */
@Timeout(180)
class CallerLimitsTest {

  private static final String TOKEN = "0123456789abcdef0123456789abcdef";
  private static final String BEARER = "Bearer " + TOKEN;

  private static final RestLimits QUICK =
      RestLimits.DEFAULT.toBuilder()
          .requests(64)
          .bodiesBytes(1 << 20)
          .jsonBytes(1 << 16)
          .valueBytes(1 << 16)
          .headerBytes(4 << 10)
          .keyBytes(100)
          .bulkEntries(10)
          .pageEntries(10)
          .pageBytes(1 << 16)
          .workers(4)
          .waiting(4)
          .slowest(Duration.ofSeconds(1))
          .build();

  private static final class Lines extends CopyOnWriteArrayList<String> implements AuditSink {

    @Override
    public void write(String line) {
      add(line);
    }

    @Override
    public void close() {}
  }

  private final Lines lines = new Lines();

  private RestFixture served() {
    Supplier<char[]> token = TOKEN::toCharArray;
    return new RestFixture(QUICK, AccessControl.local(token, lines).requestAuthorizer());
  }

  @Test
  void aLongAddressAndLongHeadersAreRefusedAtTheBound() throws Exception {
    try (RestFixture served = served()) {
      URI at = served.service.address();
      String host = "Host: " + at.getAuthority() + "\r\nAuthorization: " + BEARER;

      assertThat(RawHttp.status(at, "GET /caches?a=" + "x".repeat(3_000) + " HTTP/1.1\r\n" + host))
          .isEqualTo(200);
      assertThat(RawHttp.status(at, "GET /caches?a=" + "x".repeat(5_000) + " HTTP/1.1\r\n" + host))
          .isEqualTo(414);
      assertThat(
              RawHttp.status(at, "GET /caches HTTP/1.1\r\n" + host + "\r\nX: " + "x".repeat(3_000)))
          .isEqualTo(200);
      assertThat(
              RawHttp.status(at, "GET /caches HTTP/1.1\r\n" + host + "\r\nX: " + "x".repeat(5_000)))
          .isEqualTo(431);
    }
  }

  @Test
  void aSlowHeadEndsTheConnectionAndASlowBodyIsRefused() throws Exception {
    try (RestFixture served = served();
        Socket head = new Socket("127.0.0.1", served.service.address().getPort());
        Socket body = new Socket("127.0.0.1", served.service.address().getPort())) {
      String host = "Host: 127.0.0.1\r\nAuthorization: " + BEARER + "\r\n";
      RawHttp.send(head, "GET /caches HTTP/1.1\r\nHost:");
      RawHttp.send(
          body, "PUT /caches/c/entries/k HTTP/1.1\r\n" + host + "Content-Length: 10\r\n\r\n12345");

      assertThat(RawHttp.status(body)).isEqualTo(408);
      assertThat(RawHttp.status(head)).isEqualTo(-1);
    }
  }

  @Test
  void lineEndsInPlaceOfARequestKeepNoConnection() throws Exception {
    try (RestFixture served = served();
        Socket socket = new Socket("127.0.0.1", served.service.address().getPort())) {
      socket.setSoTimeout(100);
      boolean isOpen = true;

      while (isOpen && !Thread.currentThread().isInterrupted()) { // Bounded by the test's timeout.
        try {
          RawHttp.send(socket, "\n");
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
  void whatWasChangedIsWrittenWithoutValuesKeysAndTokens() throws Exception {
    try (RestFixture served = served()) {
      served.json(
          "POST",
          "/caches",
          "{\"name\": \"c\", \"sites\": [\"lyon\"]}",
          "Authorization",
          BEARER,
          "Idempotency-Key",
          "my-key");
      served.call("PUT", "/caches/c/entries/secret", "value".getBytes(), "Authorization", BEARER);
      served.get("/caches/c/entries/secret", "Authorization", BEARER);
      served.get("/caches/c/entries/secret", "Authorization", BEARER + "x");
      served.call("DELETE", "/caches/none", new byte[0], "Authorization", BEARER);
      served.json(
          "POST", "/caches", "{\"name\": \"d\", \"sites\": [\"x\"]}", "Authorization", BEARER);
      served.sites.get("lyon").mood = MemorySite.Mood.MUTE;
      served.json("PUT", "/caches/c/entries/secret", "2", "Authorization", BEARER);
    }

    assertThat(lines)
        .satisfiesExactly(
            line -> assertThat(line).contains("\"createCache\"", "\"begun\"", "token:local"),
            line ->
                assertThat(line)
                    .contains(
                        "\"createCache\"",
                        "\"name\":\"c\"",
                        "\"created\":\"/caches/c\"",
                        "\"done\"",
                        "token:local")
                    .contains("\"idempotencyKey\":\"")
                    .contains("\"address\":\"127.0.0.1\""),
            line -> assertThat(line).contains("\"putEntry\"", "\"cache\":\"c\"", "\"done\""),
            line -> assertThat(line).contains("\"anonymous\"", "\"refused\"", "unauthenticated"),
            line -> assertThat(line).contains("\"deleteCache\"", "\"cache\":\"none\"", "\"begun\""),
            line -> assertThat(line).contains("\"deleteCache\"", "\"refused\"", "not-found"),
            line -> assertThat(line).contains("\"createCache\"", "\"begun\""),
            line -> assertThat(line).contains("\"name\":\"d\"", "\"refused\"", "invalid-field"),
            line -> assertThat(line).contains("\"putEntry\"", "\"unknown\"", "unknown-outcome"));
    assertThat(lines).noneMatch(line -> line.contains("secret") || line.contains("my-key"));
    assertThat(lines).noneMatch(line -> line.contains(TOKEN) || line.contains("value"));
  }

  @Test
  void oneCallerHasABoundedNumberUnderWay(@TempDir Path directory) throws Exception {
    Files.writeString(directory.resolve("t"), TOKEN);
    Files.writeString(directory.resolve("u"), "u".repeat(32));
    Files.writeString(
        directory.resolve("p"),
        "{\"grants\": [{\"who\": [\"token:one\", \"token:two\"], \"caches\": [\"*\"],"
            + " \"roles\": [\"read\", \"admin\"]}]}");
    Path file =
        Files.writeString(
            directory.resolve("access.json"),
            "{\"policy\": \"p\", \"requestsPerCaller\": 2, \"tokens\": [{\"name\": \"one\","
                + " \"file\": \"t\"}, {\"name\": \"two\", \"file\": \"u\"}]}");
    try (AccessControl accessControl = AccessControl.of(file);
        RestFixture served = new RestFixture(QUICK, accessControl.requestAuthorizer())) {
      served.json(
          "POST",
          "/caches",
          "{\"name\": \"c\", \"sites\": [\"lyon\"], \"deadlineMillis\": 3000}",
          "Authorization",
          BEARER);
      served.get("/caches/c/entries/k", "Authorization", BEARER);
      served.sites.get("lyon").mood = MemorySite.Mood.MUTE;
      BlockingQueue<HttpResponse<byte[]>> ends = new LinkedBlockingQueue<>();
      for (int i = 0; i < 4; i++) {
        served.later("/caches/c/entries/k", BEARER).thenAccept(ends::add);
      }
      HttpResponse<byte[]> live = served.get("/health/live", "Authorization", BEARER);
      assertThat(live.statusCode()).isEqualTo(200); // Liveness needs no authentication.

      for (int i = 0; i < 2; i++) {
        HttpResponse<byte[]> over = ends.poll(60, TimeUnit.SECONDS);
        assertThat(over.statusCode()).isEqualTo(429);
        assertThat(over.headers().firstValue("Retry-After")).isPresent();
      }
      HttpResponse<byte[]> other =
          served.get("/caches", "Authorization", "Bearer " + "u".repeat(32));
      assertThat(other.statusCode()).isEqualTo(200);
      for (int i = 0; i < 2; i++) {
        assertThat(ends.poll(60, TimeUnit.SECONDS).statusCode()).isEqualTo(503);
      }
      assertThat(served.get("/caches", "Authorization", BEARER).statusCode()).isEqualTo(200);
    }
  }
}

package io.ensemble.rest;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests over a bound are refused, and the service keeps working. */
@Timeout(180)
class RequestBoundsTest {

  private static final RestLimits FEW =
      RestLimits.DEFAULT.toBuilder()
          .requests(2)
          .bodiesBytes(1 << 20)
          .jsonBytes(1 << 16)
          .valueBytes(1 << 16)
          .keyBytes(100)
          .bulkEntries(10)
          .pageEntries(10)
          .pageBytes(1 << 16)
          .workers(1)
          .waiting(1)
          .build();

  private static List<String> atOnce(int number, Callable<String> call) throws Exception {
    ExecutorService clients = Executors.newFixedThreadPool(number);
    List<Callable<String>> calls = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      calls.add(call);
    }
    List<String> ends = new ArrayList<>();
    for (Future<String> end : clients.invokeAll(calls)) {
      ends.add(end.get());
    }
    clients.shutdown();
    return ends;
  }

  @Test
  void moreRequestsThanMayBeUnderWayAreRefusedButLivenessIsTold() throws Exception {
    try (RestFixture restFixture = new RestFixture(FEW)) {
      restFixture.json(
          "POST", "/caches", "{\"name\": \"c\", \"sites\": [\"lyon\"], \"deadlineMillis\": 6000}");
      restFixture.call("PUT", "/caches/c/entries/k", "1".getBytes());
      restFixture.sites.get("lyon").mood = MemorySite.Mood.MUTE;

      List<String> ends =
          atOnce(
              6,
              () -> {
                assertThat(restFixture.get("/health/live").statusCode()).isEqualTo(200);
                return RestFixture.body(restFixture.get("/caches/c/entries/k"))
                    .get("type")
                    .asText();
              });

      assertThat(ends).containsOnly("/problems/busy", "/problems/sites-unavailable");
      assertThat(ends.stream().filter("/problems/sites-unavailable"::equals)).hasSizeBetween(1, 3);
      restFixture.sites.get("lyon").mood = MemorySite.Mood.UP;
      assertThat(restFixture.get("/caches/c/entries/k").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void aBulkOrALimitOverTheBoundIsRefusedAndOneAtTheBoundIsNot() throws Exception {
    try (RestFixture restFixture = new RestFixture(FEW)) {
      restFixture.json("POST", "/caches", "{\"name\": \"c\"}");
      String ten = "\"k\"" + ",\"k\"".repeat(9);

      assertThat(get(restFixture, ten).statusCode()).isEqualTo(200);
      assertThat(get(restFixture, ten + ",\"k\"").statusCode()).isEqualTo(422);
      assertThat(restFixture.get("/caches/c/entries?limit=2147483647").statusCode()).isEqualTo(200);
      assertThat(restFixture.get("/caches/c/entries?limit=2147483648").statusCode()).isEqualTo(422);
      assertThat(restFixture.get("/caches/c/entries?limit=0").statusCode()).isEqualTo(422);
      assertThat(restFixture.get("/caches/c/entries/" + "k".repeat(100)).statusCode())
          .isEqualTo(404);
      assertThat(restFixture.get("/caches/c/entries/" + "k".repeat(101)).statusCode())
          .isEqualTo(422);
    }
  }

  private static HttpResponse<byte[]> get(RestFixture restFixture, String keys) throws Exception {
    return restFixture.json("POST", "/caches/c/bulk/get", "{\"keys\": [" + keys + "]}");
  }

  @Test
  void keysInBulkAreBoundedAsSingleOnes() throws Exception {
    try (RestFixture restFixture = new RestFixture(FEW)) {
      restFixture.json("POST", "/caches", "{\"name\": \"c\"}");

      for (String key : List.of("", "k".repeat(101))) {
        assertThat(get(restFixture, '"' + key + '"').statusCode()).isEqualTo(422);
        assertThat(put(restFixture, key).statusCode()).isEqualTo(422);
      }
      assertThat(get(restFixture, '"' + "k".repeat(100) + '"').statusCode()).isEqualTo(200);
      assertThat(put(restFixture, "k".repeat(100)).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void aBulkReadAsksForNoMoreThanFits() throws Exception {
    try (RestFixture restFixture =
        new RestFixture(limits(1 << 20, 1 << 16, 1 << 10, Duration.ofSeconds(30)))) {
      restFixture.json(
          "POST", "/caches", "{\"name\": \"c\", \"sites\": [\"lyon\"], \"maxValueBytes\": 600}");
      StringBuilder keys = new StringBuilder();
      for (int i = 0; i < 9; i++) {
        String key = i + "k".repeat(299);
        assertThat(restFixture.call("PUT", "/caches/c/entries/" + key, new byte[500]).statusCode())
            .isEqualTo(204);
        keys.append(i == 0 ? "" : ",").append('"').append(i).append('"');
      }

      for (int i = 0; i < 9; i++) {
        restFixture.call("PUT", "/caches/c/entries/" + i, new byte[500]);
      }
      long before = restFixture.sites.get("lyon").reads.get();
      var got = RestFixture.body(get(restFixture, keys.toString()));
      assertThat(got.get("entries").size() + got.get("left").size()).isEqualTo(9);
      assertThat(got.get("left")).hasSizeGreaterThan(4);
      assertThat(restFixture.sites.get("lyon").reads.get() - before)
          .as("a slow answer may be asked for again, but not all keys are asked for")
          .isLessThan(9);
    }
  }

  @Test
  void answersThatNobodyTakesAreBoundedAndTheirClientsAreCutOff() throws Exception {
    Duration slowest = Duration.ofSeconds(3);
    int value = 8 << 20; // More than the system buffers for a connection.
    try (RestFixture restFixture =
        new RestFixture(limits(8 * value, 8 * value, 1 << 20, slowest))) {
      restFixture.json(
          "POST",
          "/caches",
          "{\"name\": \"c\", \"sites\": [\"lyon\"], \"maxValueBytes\": 16777216}");
      restFixture.call("PUT", "/caches/c/entries/k", new byte[value]);
      List<Socket> slow = new ArrayList<>();
      // A client that reads nothing holds its answer for three seconds. A slow machine may need
      // more than one attempt to hold all bytes at the same time.
      await("too many bytes are held")
          .pollDelay(Duration.ZERO)
          .pollInterval(1, TimeUnit.SECONDS)
          .atMost(90, TimeUnit.SECONDS)
          .until(
              () -> {
                for (int i = 0; i < 8; i++) {
                  takeNothing(restFixture, slow);
                }
                return isBusy(restFixture.get("/caches/c/entries/k"));
              });
      await("status 200")
          .pollInterval(20, TimeUnit.MILLISECONDS)
          .atMost(60, TimeUnit.SECONDS)
          .until(() -> restFixture.get("/caches/c/entries/k").statusCode() == 200);

      long shortest = Long.MAX_VALUE;
      for (Socket one : slow) {
        one.setSoTimeout(60_000);
        shortest = Math.min(shortest, taken(one));
        one.close();
      }
      assertThat(shortest).isLessThan(value);
    }
  }

  /** The number of bytes before the connection ends; the highest number for a refusal. */
  private static long taken(Socket socket) {
    long bytes = 0;
    byte[] some = new byte[64 << 10];
    byte[] refusal = "HTTP/1.1 503".getBytes(US_ASCII);
    try {
      byte[] first = socket.getInputStream().readNBytes(refusal.length);
      if (Arrays.equals(first, refusal)) {
        return Long.MAX_VALUE;
      }
      for (int n = first.length; n >= 0; n = socket.getInputStream().read(some)) {
        bytes += n;
      }
    } catch (SocketTimeoutException late) {
      throw new AssertionError("the connection was not cut", late);
    } catch (IOException cut) {
      return bytes;
    }
    return bytes;
  }

  private static boolean isBusy(HttpResponse<byte[]> answer) throws Exception {
    return answer.statusCode() == 503
        && RestFixture.body(answer).get("type").asText().equals("/problems/busy");
  }

  /** One more client asks for the large value and reads nothing of it. */
  private static void takeNothing(RestFixture restFixture, List<Socket> slow) throws IOException {
    Socket one = new Socket();
    one.setReceiveBufferSize(4 << 10);
    one.connect(new InetSocketAddress("127.0.0.1", restFixture.service.address().getPort()));
    RawHttp.send(
        one, "GET /caches/c/entries/k HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
    slow.add(one);
  }

  private static RestLimits limits(int bodies, int value, int page, Duration slowest) {
    return RestLimits.DEFAULT.toBuilder()
        .requests(64)
        .bodiesBytes(bodies)
        .jsonBytes(1 << 16)
        .valueBytes(value)
        .keyBytes(400)
        .bulkEntries(10)
        .pageEntries(10)
        .pageBytes(page)
        .workers(8)
        .waiting(8)
        .slowest(slowest)
        .build();
  }

  private static HttpResponse<byte[]> put(RestFixture restFixture, String key) throws Exception {
    return restFixture.json(
        "POST",
        "/caches/c/bulk/put",
        "{\"entries\": [{\"key\": \"%s\", \"value\": \"v\"}]}".formatted(key));
  }
}

package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.rest.MemorySite.Mood;
import io.ensemble.rest.http.RequestAuthorizer;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a trace of a request contains, and what it does not. */
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class TracesTest {

  private static final String PUT = "PUT /caches/{cache}/entries/{key}";
  private static final String GET = "GET /caches/{cache}/entries/{key}";
  private static final byte[] NONE = {};

  private final SpanCollector spanCollector = new SpanCollector();
  private final RestFixture restFixture =
      new RestFixture(RestLimits.DEFAULT, RequestAuthorizer.OPEN, spanCollector.traces());

  @BeforeEach
  void create() throws Exception {
    for (String name : List.of("WEAK", "SWMR", "MWMR", "HASTY")) {
      restFixture.json(
          "POST",
          "/caches",
          """
          {"name": "%s", "consistency": "%s", "sites": ["lyon", "oslo", "rome"],
           "deadlineMillis": %d}
          """
              .formatted(
                  name,
                  name.equals("HASTY") ? "WEAK" : name,
                  name.equals("HASTY") ? 1500 : 20_000));
    }
  }

  @AfterEach
  void close() throws Exception {
    restFixture.close();
  }

  private HttpResponse<byte[]> put(String path, String... headers) throws Exception {
    return restFixture.call("PUT", path, "hello".getBytes(), headers);
  }

  private static Set<String> sites(List<SpanData> below, String outcome) {
    Set<String> sites = new HashSet<>();
    for (SpanData one : below) {
      if (outcome.equals(SpanCollector.text(one, "ensemble.outcome"))) {
        sites.add(SpanCollector.text(one, "ensemble.site"));
      }
    }
    return sites;
  }

  @ParameterizedTest
  @ValueSource(strings = {"SWMR", "MWMR"})
  void oneTraceTellsWhichSitesWereAskedAndWhichDidNotAnswer(String mode) throws Exception {
    put("/caches/" + mode + "/entries/k");
    restFixture.sites.get("rome").mood = Mood.GONE;

    put("/caches/" + mode + "/entries/k");

    SpanData request = spanCollector.request(PUT);
    List<SpanData> below = spanCollector.below(request);
    assertThat(SpanCollector.text(request, "ensemble.cache")).isEqualTo(mode);
    assertThat(SpanCollector.text(request, "http.route"))
        .isEqualTo("/caches/{cache}/entries/{key}");
    assertThat(SpanCollector.text(request, "ensemble.outcome")).isEqualTo("ok");
    assertThat(sites(below, "ok")).contains("lyon", "oslo").doesNotContain("rome");
    assertThat(sites(below, "not_sent")).containsOnly("rome");
    assertThat(below)
        .allSatisfy(
            one -> {
              assertThat(one.getKind()).isEqualTo(SpanKind.CLIENT);
              assertThat(one.getTraceId()).isEqualTo(request.getTraceId());
              assertThat(SpanCollector.text(one, "ensemble.cache")).isEqualTo(mode);
              assertThat(one.getName())
                  .isEqualTo(
                      SpanCollector.text(one, "ensemble.request")
                          + " "
                          + SpanCollector.text(one, "ensemble.site"));
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"WEAK", "SWMR", "MWMR"})
  void aReadAsksSitesInItsTrace(String mode) throws Exception {
    put("/caches/" + mode + "/entries/k");

    restFixture.get("/caches/" + mode + "/entries/k");

    assertThat(sites(spanCollector.below(spanCollector.request(GET)), "ok")).isNotEmpty();
  }

  @Test
  void aCreationAsksEverySiteInItsTrace() throws Exception {
    restFixture.json(
        "POST", "/caches", "{\"name\": \"other\", \"sites\": [\"lyon\", \"oslo\", \"rome\"]}");

    List<SpanData> below = spanCollector.below(spanCollector.request("POST /caches"));

    assertThat(below)
        .extracting(SpanData::getName)
        .contains("create lyon", "create oslo", "create rome");
  }

  @Test
  void aWriteThatASiteDoesNotAnswerIsUnknownThere() throws Exception {
    put("/caches/HASTY/entries/k");
    restFixture.sites.values().forEach(site -> site.mood = Mood.MUTE);

    HttpResponse<byte[]> answer = put("/caches/HASTY/entries/k");

    SpanData request = spanCollector.request(PUT);
    assertThat(answer.statusCode()).isEqualTo(504);
    assertThat(SpanCollector.text(request, "ensemble.outcome")).isEqualTo("unknown");
    assertThat(SpanCollector.text(request, "error.type")).isEqualTo("unknown-outcome");
    assertThat(sites(spanCollector.below(request), "unknown")).isNotEmpty();
  }

  @Test
  void aCallersTraceIsGoneOnWith() throws Exception {
    String trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    String caller = "00f067aa0ba902b7";

    put("/caches/MWMR/entries/k", "traceparent", "00-" + trace + "-" + caller + "-01");

    SpanData request = spanCollector.request(PUT);
    assertThat(request.getTraceId()).isEqualTo(trace);
    assertThat(request.getParentSpanId()).isEqualTo(caller);
    assertThat(spanCollector.below(request))
        .isNotEmpty()
        .allSatisfy(one -> assertThat(one.getTraceId()).isEqualTo(trace));
  }

  @Test
  void aCallerMayWishForNoTrace() throws Exception {
    int before = spanCollector.all().size();

    put(
        "/caches/MWMR/entries/k",
        "traceparent",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00");

    assertThat(spanCollector.all()).hasSize(before);
  }

  @Test
  void aTraceThatIsNoneOrTwoIsNotGoneOnWith() throws Exception {
    String trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    String one = "00-" + trace + "-00f067aa0ba902b7-01";

    put("/caches/MWMR/entries/k", "traceparent", "00-" + trace + "-zz-01");
    SpanData broken = spanCollector.request(PUT);
    put("/caches/MWMR/entries/k", "traceparent", one, "traceparent", one);
    SpanData twice = spanCollector.request(PUT);

    assertThat(broken.getTraceId()).isNotEqualTo(trace);
    assertThat(twice.getTraceId()).isNotEqualTo(trace);
  }

  @Test
  void writersOfOneKeyKeepToTheirOwnTraces() throws Exception {
    ExecutorService writers = Executors.newFixedThreadPool(8);
    List<String> traces = IntStream.range(1, 33).mapToObj("%032x"::formatted).toList();
    try {
      List<Callable<Integer>> puts = new ArrayList<>();
      for (String trace : traces) {
        String parent = "00-" + trace + "-00f067aa0ba902b7-01";
        puts.add(() -> put("/caches/MWMR/entries/hot", "traceparent", parent).statusCode());
      }
      for (Future<Integer> put : writers.invokeAll(puts)) {
        assertThat(put.get()).isEqualTo(204);
      }
    } finally {
      writers.shutdownNow();
    }

    for (String trace : traces) {
      List<SpanData> mine =
          spanCollector.all().stream().filter(span -> span.getTraceId().equals(trace)).toList();
      SpanData request =
          mine.stream().filter(span -> span.getKind() == SpanKind.SERVER).findFirst().orElseThrow();
      List<SpanData> below = spanCollector.below(request);
      assertThat(below.stream().filter(one -> !one.getName().startsWith("read")).toList())
          .as("each writes at a majority by itself")
          .hasSizeGreaterThanOrEqualTo(2);
      assertThat(below)
          .allSatisfy(
              one ->
                  assertThat(one.getStartEpochNanos())
                      .isGreaterThanOrEqualTo(request.getStartEpochNanos()));
    }
  }

  @Test
  void requestsBeyondTheBoundAreCountedOnly() throws Exception {
    String keys =
        String.join(",", IntStream.range(0, 400).mapToObj(i -> "\"k" + i + "\"").toList());

    restFixture.json("POST", "/caches/MWMR/bulk/get", "{\"keys\": [" + keys + "]}");

    SpanData request = spanCollector.request("POST /caches/{cache}/bulk/get");
    Long asked = request.getAttributes().get(AttributeKey.longKey("ensemble.requests"));
    long told =
        spanCollector.all().stream()
            .filter(span -> span.getParentSpanId().equals(request.getSpanId()))
            .count();
    assertThat(asked).isGreaterThan(512);
    assertThat(told).isBetween(1L, 512L);
  }

  @Test
  void noSpanTellsAKeyAValueATokenOrAPath() throws Exception {
    String secret = "s3cr3t";
    String[] token = {"Authorization", "Bearer " + secret, "Idempotency-Key", secret};
    put("/caches/MWMR/entries/" + secret, "Authorization", "Bearer " + secret);
    restFixture.get("/caches/MWMR/entries/" + secret + "?x=" + secret, token);
    restFixture.get("/caches/MWMR/entries/" + secret, "If-Match", "\"" + secret + "\"");
    restFixture.call("POST", "/caches/MWMR/entries/" + secret, secret.getBytes());
    restFixture.json("POST", "/caches/MWMR/counters/" + secret + "/add", "{\"delta\": 1}", token);
    restFixture.json(
        "POST", "/caches/MWMR/locks/" + secret + "/acquire", "{\"holder\": \"" + secret + "\"}");
    restFixture.call("POST", "/caches/MWMR/versions/" + secret, secret.getBytes());
    restFixture.json("POST", "/caches", "{\"" + secret + "\": \"" + secret + "\"}", token);
    restFixture.get("/" + secret);
    restFixture.call("PATCH", "/" + secret, NONE);
    restFixture.sites.values().forEach(site -> site.mood = Mood.MUTE);
    put("/caches/HASTY/entries/" + secret);

    assertThat(spanCollector.all()).hasSizeGreaterThan(20);
    assertThat(spanCollector.all())
        .allSatisfy(
            span -> {
              assertThat(span.toString()).doesNotContain(secret);
              assertThat(span.getEvents()).isEmpty();
            });
  }

  @Test
  void whatIsNotThereIsNamedByItsMethodAlone() throws Exception {
    restFixture.get("/nothing/there");

    SpanData request = spanCollector.request("GET");
    assertThat(SpanCollector.text(request, "ensemble.problem")).isEqualTo("not-found");
    assertThat(SpanCollector.text(request, "error.type")).isNull();
  }
}

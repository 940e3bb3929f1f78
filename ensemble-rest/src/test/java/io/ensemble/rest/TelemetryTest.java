package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.ensemble.rest.http.RequestAuthorizer;
import io.ensemble.rest.trace.RequestTracer;
import io.ensemble.rest.trace.Telemetry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Traces go where OpenTelemetry's variables say, and delay nothing. */
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class TelemetryTest {

  private static final InetAddress HERE = InetAddress.getLoopbackAddress();

  private static Map<String, String> variables(int port) {
    Map<String, String> all = new HashMap<>();
    all.put("OTEL_EXPORTER_OTLP_ENDPOINT", "http://" + HERE.getHostAddress() + ":" + port);
    all.put("OTEL_SERVICE_NAME", "grid-lyon");
    all.put("OTEL_BSP_SCHEDULE_DELAY", "50");
    return all;
  }

  /** A receiver of OTLP that keeps what it gets. */
  private static final class Collector implements AutoCloseable {

    private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
    private final HttpServer server;

    Collector() throws IOException {
      server = HttpServer.create(new InetSocketAddress(HERE, 0), 0);
      server.createContext(
          "/",
          request -> {
            String body =
                new String(request.getRequestBody().readAllBytes(), StandardCharsets.ISO_8859_1);
            received.add(
                request.getRequestMethod()
                    + " "
                    + request.getRequestURI()
                    + " "
                    + request.getRequestHeaders().getFirst("Content-Type")
                    + " "
                    + request.getRequestHeaders().getFirst("X-Tenant")
                    + " "
                    + body);
            request.sendResponseHeaders(200, -1);
            request.close();
          });
      server.start();
    }

    int port() {
      return server.getAddress().getPort();
    }

    /** All that came until a span of a put was among it. */
    String awaitPut() throws InterruptedException {
      StringBuilder all = new StringBuilder();
      while (!all.toString().contains("PUT /caches/{cache}/entries/{key}")) {
        String next = received.poll(60, TimeUnit.SECONDS);
        assertThat(next).as("spans come").isNotNull();
        all.append(next);
      }
      return all.toString();
    }

    @Override
    public void close() {
      server.stop(0);
    }
  }

  private static void put(Telemetry telemetry) throws Exception {
    try (RestFixture served =
        new RestFixture(RestLimits.DEFAULT, RequestAuthorizer.OPEN, telemetry.traces())) {
      served.json("POST", "/caches", "{\"name\": \"c\", \"sites\": [\"lyon\"]}");
      served.call("PUT", "/caches/c/entries/s3cr3t", "hello".getBytes());
    }
  }

  @Test
  void aCollectorReceivesSpansOfTheService() throws Exception {
    try (Collector collector = new Collector();
        Telemetry telemetry = Telemetry.of(variables(collector.port()))) {
      put(telemetry);

      assertThat(collector.awaitPut())
          .startsWith("POST /v1/traces application/x-protobuf null ")
          .contains("grid-lyon", "ensemble.site", "create lyon")
          .doesNotContain("s3cr3t");
    }
  }

  @Test
  void addressHeadersAndAttributesAreThoseOfTheVariables() throws Exception {
    try (Collector collector = new Collector()) {
      Map<String, String> variables = variables(1); // Nothing listens there.
      variables.put(
          "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
          "http://" + HERE.getHostAddress() + ":" + collector.port() + "/in/traces");
      variables.put("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=blue");
      variables.put("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=trial");
      variables.put("OTEL_TRACES_EXPORTER", "otlp");
      try (Telemetry telemetry = Telemetry.of(variables)) {
        put(telemetry);

        assertThat(collector.awaitPut())
            .startsWith("POST /in/traces application/x-protobuf blue ")
            .contains("grid-lyon", "deployment.environment", "trial");
      }
    }
  }

  @Test
  void aSamplerThatTakesNoTraceSendsNone() throws Exception {
    try (Collector collector = new Collector()) {
      Map<String, String> variables = variables(collector.port());
      variables.put("OTEL_TRACES_SAMPLER", "always_off");
      try (Telemetry telemetry = Telemetry.of(variables)) {
        put(telemetry);
      }

      assertThat(collector.received).isEmpty(); // The close has sent what waited.
    }
  }

  /** Metrics are scraped. A variable that is set for all processes of a host prevents no start. */
  @ParameterizedTest
  @ValueSource(strings = {"OTEL_METRICS_EXPORTER", "OTEL_LOGS_EXPORTER"})
  void anExporterOfMetricsOrLogsHasNoEffect(String name) throws Exception {
    try (Collector collector = new Collector()) {
      Map<String, String> variables = variables(collector.port());
      variables.put(name, "otlp");
      variables.put("OTEL_METRIC_EXPORT_INTERVAL", "20");
      try (Telemetry telemetry = Telemetry.of(variables)) {
        put(telemetry);

        assertThat(collector.awaitPut()).doesNotContain("/v1/metrics", "/v1/logs");
      }
      assertThat(collector.received).allMatch(one -> one.startsWith("POST /v1/traces"));
    }
  }

  @Test
  void aCollectorThatIsSilentHoldsNobodyUp() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 1, HERE)) {
      Map<String, String> variables = variables(silent.getLocalPort());
      variables.put("OTEL_BSP_MAX_QUEUE_SIZE", "32");
      variables.put("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "16");
      Telemetry telemetry = Telemetry.of(variables);
      try (RestFixture served =
          new RestFixture(RestLimits.DEFAULT, RequestAuthorizer.OPEN, telemetry.traces())) {
        served.json("POST", "/caches", "{\"name\": \"c\", \"sites\": [\"lyon\"]}");
        for (int i = 0; i < 200; i++) {
          assertThat(served.call("PUT", "/caches/c/entries/k", "v".getBytes()).statusCode())
              .isEqualTo(204);
        }
      }

      telemetry.close();

      assertThat(silent.isClosed()).isFalse(); // The collector did not end the wait.
    }
  }

  @ParameterizedTest
  @CsvSource({
    "OTEL_SERVICE_NAME, grid",
    "OTEL_TRACES_EXPORTER, none",
    "OTEL_EXPORTER_OTLP_ENDPOINT, ' '",
  })
  void nothingIsTracedUnlessAPlaceIsNamed(String name, String value) {
    assertThat(Telemetry.of(Map.of(name, value)).traces()).isSameAs(RequestTracer.NONE);
  }

  @Test
  void tracesCanBeDisabledWherePlacesAreNamed() {
    Map<String, String> variables = variables(1);
    variables.put("OTEL_SDK_DISABLED", "true");

    assertThat(Telemetry.of(variables).traces()).isSameAs(RequestTracer.NONE);
  }

  @Test
  void whatIsWrongIsToldWithoutASecret() {
    Map<String, String> variables = variables(1);
    variables.put("OTEL_EXPORTER_OTLP_HEADERS", "s3cr3t");

    assertThatThrownBy(() -> Telemetry.of(variables))
        .isInstanceOf(IllegalArgumentException.class)
        .hasNoCause()
        .hasMessageContaining("headers")
        .hasMessageNotContaining("s3cr3t");
  }

  @ParameterizedTest
  @CsvSource({
    "OTEL_EXPORTER_OTLP_ENDPOINT, nowhere",
    "OTEL_EXPORTER_OTLP_PROTOCOL, grpc",
    "OTEL_TRACES_EXPORTER, zipkin",
    "OTEL_TRACES_SAMPLER, often",
    "OTEL_BSP_MAX_QUEUE_SIZE, many",
  })
  void whatCannotBeIsToldAtTheStart(String name, String value) {
    Map<String, String> variables = variables(1);
    variables.put(name, value);

    assertThatThrownBy(() -> Telemetry.of(variables))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("OTEL_");
  }
}

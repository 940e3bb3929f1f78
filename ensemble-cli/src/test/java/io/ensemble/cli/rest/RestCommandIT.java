package io.ensemble.cli.rest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.util.concurrent.TimeUnit.MINUTES;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import io.ensemble.check.federation.FederationFile;
import io.ensemble.cli.CliProcess;
import io.ensemble.cli.UpProcess;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The REST service of {@code up}, and beside it a service of its own. */
@Timeout(120)
class RestCommandIT {

  private final HttpClient client = HttpClient.newHttpClient();

  private HttpResponse<String> call(
      String service, String token, String method, String path, String body) throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create(service + path))
            .header("Content-Type", "application/json")
            .header("Authorization", "Bearer " + token)
            .method(method, BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofString());
  }

  @Test
  void whatOneServiceWritesAnotherReads(@TempDir Path directory) throws Exception {
    FederationFile file = FederationFile.at(directory.resolve("f.json"));
    UpProcess up = UpProcess.started(file, "--nodes", "1", "--rest-port", "0");
    try {
      JsonNode is = up.published();
      String token = is.get("rest_token").asText();
      Path kept = Path.of(is.get("rest_token_file").asText());
      String first = is.get("rest").asText();
      try (CliProcess alone =
          CliProcess.started(
              "256m",
              List.of("rest", "--json", "--port", "0", "--federation", file.path().toString()))) {
        JsonNode also = alone.published();
        String second = also.get("rest").asText();
        String other = also.get("rest_token").asText();

        assertThat(Files.readString(kept)).isEqualTo(token + "\n");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(kept)))
            .isEqualTo("rw-------");
        assertThat(call(second, token, "GET", "/sites", "").statusCode()).isEqualTo(401);

        assertThat(call(first, token, "GET", "/sites", "").body()).contains("lyon", "oslo", "rome");
        String cache = "{\"name\": \"c\", \"consistency\": \"MWMR\", \"replication\": 3}";
        assertThat(call(first, token, "POST", "/caches", cache).statusCode()).isEqualTo(201);
        assertThat(call(first, token, "PUT", "/caches/c/entries/k", "[1]").statusCode())
            .isEqualTo(204);
        HttpResponse<String> got = call(second, other, "GET", "/caches/c/entries/k", "");
        assertThat(got.body()).isEqualTo("[1]");
        assertThat(got.headers().firstValue("Content-Type")).contains("application/json");
        alone.stop();
        assertThat(up.run(1, "rest", "--port", first.substring(first.lastIndexOf(':') + 1)).err())
            .contains("cannot bind to port");
      }
    } finally {
      up.stop();
    }
  }

  /** The audit and warnings are kept, also if the access file names no file for them. */
  @Test
  void itsAuditAndItsWarningsAreKept(@TempDir Path directory) throws Exception {
    Path sites = directory.resolve("sites.json");
    Files.writeString(
        sites,
        "{\"sites\": [{\"name\": \"lyon\", \"endpoints\": [\"127.0.0.1:1\"]}], \"catalog\": \"c\"}");
    String token = "t".repeat(40);
    Files.writeString(directory.resolve("token"), token);
    Path policy = directory.resolve("policy.json");
    Files.writeString(
        policy,
        "{\"grants\": [{\"who\": [\"token:ci\"], \"caches\": [\"*\"], \"roles\": [\"admin\"]}]}");
    Path access = directory.resolve("access.json");
    Files.writeString(
        access,
        "{\"policy\": \"policy.json\", \"tokens\": [{\"name\": \"ci\", \"file\": \"token\"}]}");
    FederationFile file = FederationFile.at(sites);

    try (CliProcess rest =
        CliProcess.started(
            "256m",
            List.of(
                "rest",
                "--json",
                "--port",
                "0",
                "--federation",
                sites.toString(),
                "--access",
                access.toString()))) {
      String service = rest.published().get("rest").asText();

      assertThat(call(service, token, "DELETE", "/caches/nothing", "").statusCode()).isEqualTo(404);
      assertThat(Files.readString(file.restAudit()))
          .contains(
              "\"caller\":\"token:ci\"", "\"action\":\"deleteCache\"", "\"cache\":\"nothing\"");

      Files.writeString(policy, "{\"grants\": [{\"hwo\": []}]}");
      // A request makes the service read the policy, but at most once a second.
      await("the log warns of the policy")
          .atMost(2, MINUTES)
          .until(
              () -> {
                assertThat(call(service, token, "DELETE", "/caches/nothing", "").statusCode())
                    .isEqualTo(404);
                return Files.readString(file.restLog());
              },
              log -> log.contains("policy.json") && log.contains("hwo"));
    }
  }

  /** The service reads OpenTelemetry's variables from the environment of the process. */
  @Test
  void itsTracesGoWhereItsEnvironmentSays(@TempDir Path directory) throws Exception {
    Path sites = directory.resolve("sites.json");
    Files.writeString(
        sites,
        "{\"sites\": [{\"name\": \"lyon\", \"endpoints\": [\"127.0.0.1:1\"]}], \"catalog\": \"c\"}");
    List<String> rest = List.of("rest", "--json", "--port", "0", "--federation", sites.toString());
    BlockingQueue<String> received = new LinkedBlockingQueue<>();
    HttpServer collector =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    collector.createContext(
        "/",
        request -> {
          byte[] body = request.getRequestBody().readAllBytes();
          received.add(request.getRequestURI() + " " + new String(body, ISO_8859_1));
          request.sendResponseHeaders(200, -1);
          request.close();
        });
    collector.start();
    try {
      Map<String, String> variables =
          Map.of(
              "OTEL_EXPORTER_OTLP_ENDPOINT",
              "http://127.0.0.1:" + collector.getAddress().getPort(),
              "OTEL_SERVICE_NAME",
              "grid-lyon",
              "OTEL_BSP_SCHEDULE_DELAY",
              "50");
      try (CliProcess traced = CliProcess.started("256m", variables, rest)) {
        JsonNode is = traced.published();
        call(is.get("rest").asText(), is.get("rest_token").asText(), "GET", "/caches", "");

        assertThat(received.poll(60, SECONDS))
            .isNotNull()
            .startsWith("/v1/traces ")
            .contains("grid-lyon", "GET /caches");
        traced.stop();
      }
      received.clear();
      Map<String, String> disabled = new HashMap<>(variables);
      disabled.put("OTEL_SDK_DISABLED", "true");
      try (CliProcess silent = CliProcess.started("256m", disabled, rest)) {
        JsonNode is = silent.published();
        call(is.get("rest").asText(), is.get("rest_token").asText(), "GET", "/caches", "");
        silent.stop();

        assertThat(received).isEmpty();
      }
    } finally {
      collector.stop(0);
    }
  }
}

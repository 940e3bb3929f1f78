package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.EnsembleCacheManagerBuilder;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.rest.events.EventBounds;
import io.ensemble.rest.http.RequestAuthorizer;
import io.ensemble.rest.json.StrictJson;
import io.ensemble.rest.trace.RequestTracer;
import io.ensemble.schedule.ThreadScheduler;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

/** A service over three sites in memory, and a client that checks which answers it gets. */
final class RestFixture implements AutoCloseable {

  private static final AtomicReference<DescribedPaths> DESCRIBED = new AtomicReference<>();

  final ThreadScheduler scheduler = new ThreadScheduler(2);
  final Map<String, MemorySite> sites = new LinkedHashMap<>();
  final InMemoryDefinitions catalog = new InMemoryDefinitions();
  final PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  final EnsembleCacheManager manager;
  final RestService service;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final RequestAuthorizer requestAuthorizer;
  private final RequestTracer requestTracer;
  private final List<AutoCloseable> more = new ArrayList<>();

  RestFixture() {
    this(RestLimits.DEFAULT);
  }

  /** The default limits, with these bounds of the event stream. */
  static RestLimits limits(EventBounds events) {
    return RestLimits.DEFAULT.toBuilder().events(events).build();
  }

  RestFixture(RestLimits limits) {
    this(limits, RequestAuthorizer.OPEN);
  }

  RestFixture(RestLimits limits, RequestAuthorizer requestAuthorizer) {
    this(limits, requestAuthorizer, RequestTracer.NONE);
  }

  RestFixture(RestLimits limits, RequestAuthorizer requestAuthorizer, RequestTracer requestTracer) {
    this.requestAuthorizer = requestAuthorizer;
    this.requestTracer = requestTracer;
    for (String name : List.of("lyon", "oslo", "rome")) {
      sites.put(name, new MemorySite(name, scheduler));
    }
    manager = anotherManager(meters);
    for (String name : sites.keySet()) {
      manager
          .membership()
          .add(SiteEntry.open(name, List.of(new Endpoint("127.0.0.1", 1)), SiteStorage.MEMORY));
    }
    service = serve(manager, meters, limits);
  }

  private RestService serve(
      EnsembleCacheManager manager, PrometheusMeterRegistry meters, RestLimits limits) {
    return RestService.start(
        manager,
        meters,
        new InetSocketAddress("127.0.0.1", 0),
        requestAuthorizer,
        Optional.empty(),
        Optional.empty(),
        requestTracer,
        limits);
  }

  private EnsembleCacheManager anotherManager(PrometheusMeterRegistry meters) {
    return builder().metrics(meters).build();
  }

  /** A builder for the manager of another process, which has no service. */
  EnsembleCacheManagerBuilder builder() {
    EnsembleCacheManagerBuilder builder =
        EnsembleCacheManager.builder()
            .scheduler(scheduler)
            .definitions(catalog)
            .refilling(false); // The tests recover stores by requests.
    sites.values().forEach(builder::site);
    return builder;
  }

  /** A second service of the same catalog, with a manager of its own. */
  URI another() {
    PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    EnsembleCacheManager other = anotherManager(meters);
    RestService second = serve(other, meters, RestLimits.DEFAULT);
    more.add(second);
    more.add(other);
    return second.address();
  }

  HttpResponse<byte[]> call(String method, String path, byte[] body, String... headers)
      throws IOException, InterruptedException {
    return call(service.address(), method, path, body, headers);
  }

  HttpResponse<byte[]> call(URI service, String method, String path, byte[] body, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(service + path))
            .method(
                method,
                body.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    HttpResponse<byte[]> answer = client.send(request.build(), BodyHandlers.ofByteArray());
    checkDocumented(method, path.split("\\?")[0], answer);
    return answer;
  }

  /** Checks that the OpenAPI document describes the answer. */
  private void checkDocumented(String method, String path, HttpResponse<byte[]> answer)
      throws IOException, InterruptedException {
    int status = answer.statusCode();
    DescribedPaths described = describedPaths();
    JsonNode operations = described.operations(path);
    String wanted = method.equals("HEAD") ? "get" : method.toLowerCase(Locale.ROOT);
    if (operations != null && operations.has(wanted)) {
      assertThat(operations.get(wanted).get("responses").has(String.valueOf(status)))
          .as("%s %s: %d is documented", method, path, status)
          .isTrue();
      JsonNode response = operations.get(wanted).get("responses").get(String.valueOf(status));
      String type = answer.headers().firstValue("Content-Type").orElse("");
      JsonNode schema = response.path("content").path(type).path("schema");
      if (!method.equals("HEAD") && !schema.isMissingNode()) {
        JsonNode body = StrictJson.parse(answer.body());
        new SchemaChecker(described.document()).check(schema, body, method + " " + path);
        if (type.equals("application/problem+json")) {
          assertThat(response.get("description").asText().split(", "))
              .as("%s %s: the problem is documented", method, path)
              .contains(body.get("type").asText());
        }
      }
    }
  }

  /** The document is the same for every service, so the first service of a JVM delivers it. */
  private DescribedPaths describedPaths() throws IOException, InterruptedException {
    synchronized (DESCRIBED) {
      DescribedPaths known = DESCRIBED.get();
      if (known == null) {
        HttpRequest request =
            HttpRequest.newBuilder(URI.create(service.address() + "/openapi.json")).build();
        known = DescribedPaths.of(client.send(request, BodyHandlers.ofByteArray()).body());
        DESCRIBED.set(known);
      }
      return known;
    }
  }

  HttpResponse<byte[]> get(String path, String... headers)
      throws IOException, InterruptedException {
    return call("GET", path, new byte[0], headers);
  }

  /** An answer that the test does not wait for yet. */
  CompletableFuture<HttpResponse<byte[]>> later(String path, String bearer) {
    return client.sendAsync(
        HttpRequest.newBuilder(URI.create(service.address() + path))
            .header("Authorization", bearer)
            .build(),
        BodyHandlers.ofByteArray());
  }

  /** As {@link #later(String, String)}, at a service. */
  CompletableFuture<HttpResponse<byte[]>> later(URI service, String method, String path) {
    return client.sendAsync(
        HttpRequest.newBuilder(URI.create(service + path))
            .method(method, BodyPublishers.noBody())
            .build(),
        BodyHandlers.ofByteArray());
  }

  HttpResponse<byte[]> json(String method, String path, String json, String... headers)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of("Content-Type", "application/json"));
    all.addAll(List.of(headers));
    return call(method, path, json.getBytes(), all.toArray(String[]::new));
  }

  /** Waits for the end of the operation that the response to a request names. */
  JsonNode awaitEnd(HttpResponse<byte[]> begun) {
    assertThat(begun.statusCode()).as(new String(begun.body())).isEqualTo(202);
    String location = begun.headers().firstValue("Location").orElseThrow();
    return await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> body(get(location)),
            operation -> !operation.at("/state").asText().equals("running"));
  }

  static JsonNode body(HttpResponse<byte[]> answer) {
    return StrictJson.parse(answer.body());
  }

  @Override
  public void close() throws Exception {
    service.close();
    for (AutoCloseable one : more) {
      one.close();
    }
    manager.close();
    scheduler.close();
  }
}

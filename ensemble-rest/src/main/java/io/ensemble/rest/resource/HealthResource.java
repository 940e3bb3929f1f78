package io.ensemble.rest.resource;

import io.ensemble.rest.http.AuthorizedRequest;
import io.ensemble.rest.http.HttpMethod;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.RouteDescription;
import io.ensemble.rest.resource.context.RestContext;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The liveness and the readiness of the service, and its metrics. */
final class HealthResource {

  private static final String TAG = "health";
  private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

  private final Readiness readiness;
  private final PrometheusMeterRegistry registry;

  HealthResource(RestContext context, PrometheusMeterRegistry registry) {
    this.registry = registry;
    this.readiness =
        context.registerResource(
            new Readiness(() -> context.manager().membership().entries(), System::nanoTime));
  }

  List<RestRoute> routes() {
    return List.of(
        new RestRoute(
            HttpMethod.GET,
            "/health/live",
            Role.NONE,
            0,
            RouteDescription.of(
                    "live",
                    TAG,
                    "Reports whether the process answers, without requests to sites "
                        + "or the catalog.")
                .json(200, "The process answers", "Health"),
            this::live),
        new RestRoute(
            HttpMethod.GET,
            "/health/ready",
            Role.NONE,
            0,
            RouteDescription.of(
                    "ready",
                    TAG,
                    "Reports whether the catalog can be read, without requests to sites.")
                .json(200, "The catalog can be read", "Health")
                .fails(ProblemType.CATALOG_UNAVAILABLE, ProblemType.CATALOG_CORRUPT),
            this::ready),
        new RestRoute(
            HttpMethod.GET,
            "/metrics",
            Role.READ,
            0,
            RouteDescription.of(
                    "metrics",
                    TAG,
                    "Returns the metrics of this process in the text format of Prometheus.")
                .bytes(200, "Meters", "text/plain"),
            this::metrics));
  }

  private CompletionStage<RestResponse> live(AuthorizedRequest authorizedRequest) {
    return CompletableFuture.completedFuture(RestResponse.json(200, Map.of("status", "live")));
  }

  private CompletionStage<RestResponse> ready(AuthorizedRequest authorizedRequest) {
    return readiness.check();
  }

  private CompletionStage<RestResponse> metrics(AuthorizedRequest authorizedRequest) {
    byte[] text = registry.scrape().getBytes(StandardCharsets.UTF_8);
    return CompletableFuture.completedFuture(RestResponse.of(200, PROMETHEUS, text));
  }
}

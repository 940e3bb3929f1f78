package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.rest.http.RequestAuthorizer;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One trace over three real sites, of which one is killed. */
@Timeout(180)
class TracesIT {

  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

  private final HttpClient client = HttpClient.newHttpClient();
  private final SpanCollector spanCollector = new SpanCollector();

  private int call(URI service, String method, String path, String body) throws Exception {
    return client
        .send(
            HttpRequest.newBuilder(URI.create(service + path))
                .header("Content-Type", "application/json")
                .header("traceparent", "00-" + TRACE + "-00f067aa0ba902b7-01")
                .method(method, BodyPublishers.ofString(body))
                .build(),
            BodyHandlers.discarding())
        .statusCode();
  }

  private static Set<String> sites(List<SpanData> below, boolean answered) {
    Set<String> sites = new HashSet<>();
    for (SpanData one : below) {
      if (answered == "ok".equals(SpanCollector.text(one, "ensemble.outcome"))) {
        sites.add(SpanCollector.text(one, "ensemble.site"));
      }
    }
    return sites;
  }

  @Test
  void aTraceTellsWhichSiteIsGone() throws Exception {
    PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    try (EmbeddedFederation sites =
            EmbeddedFederation.start(EmbeddedFederation.Options.defaults().withNodesPerSite(1));
        EnsembleCacheManager manager =
            EnsembleCacheManager.builder()
                .definitions(new InMemoryDefinitions())
                .metrics(meters)
                .build();
        RestService rest =
            RestService.start(
                manager,
                meters,
                new InetSocketAddress("127.0.0.1", 0),
                RequestAuthorizer.OPEN,
                Optional.empty(),
                Optional.empty(),
                spanCollector.traces(),
                RestLimits.DEFAULT)) {
      URI service = rest.address();
      for (EmbeddedSite site : sites.sites()) {
        InetSocketAddress node = site.endpoints().get(0);
        String endpoint = node.getHostString() + ":" + node.getPort();
        String entry =
            "{\"name\": \"%s\", \"endpoints\": [\"%s\"]}".formatted(site.name(), endpoint);
        assertThat(call(service, "POST", "/sites", entry)).isEqualTo(201);
      }
      String cache = "{\"name\": \"c\", \"consistency\": \"MWMR\", \"replication\": 3}";
      assertThat(call(service, "POST", "/caches", cache)).isEqualTo(201);
      assertThat(call(service, "PUT", "/caches/c/entries/k", "{}")).isEqualTo(204);
      sites.site("rome").kill();

      assertThat(call(service, "PUT", "/caches/c/entries/k", "{}")).isEqualTo(204);

      SpanData request = spanCollector.request("PUT /caches/{cache}/entries/{key}");
      List<SpanData> below = spanCollector.below(request);
      assertThat(request.getTraceId()).isEqualTo(TRACE);
      assertThat(sites(below, true)).containsExactlyInAnyOrder("lyon", "oslo");
      assertThat(sites(below, false)).containsExactly("rome");
      assertThat(below)
          .allSatisfy(
              one -> {
                assertThat(one.getTraceId()).isEqualTo(TRACE);
                assertThat(one.getEndEpochNanos()).isGreaterThan(one.getStartEpochNanos());
              });
    }
  }
}

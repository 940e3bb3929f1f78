package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.rest.http.RequestAuthorizer;
import io.ensemble.rest.json.StrictJson;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSite;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The service over real sites: registered by requests, used, one killed, drained and removed. */
@Timeout(180)
class RestIT {

  private final HttpClient client = HttpClient.newHttpClient();

  private HttpResponse<byte[]> call(URI service, String method, String path, String body)
      throws Exception {
    return client.send(
        HttpRequest.newBuilder(URI.create(service + path))
            .header("Content-Type", "application/json")
            .method(
                method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofByteArray());
  }

  private static JsonNode body(HttpResponse<byte[]> answer) {
    return StrictJson.parse(answer.body());
  }

  @Test
  void aFederationIsBuiltUsedAndTakenApartByRequests() throws Exception {
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
                RestLimits.DEFAULT)) {
      URI service = rest.address();
      for (EmbeddedSite site : sites.sites()) {
        InetSocketAddress node = site.endpoints().get(0);
        String endpoint = node.getHostString() + ":" + node.getPort();
        String entry =
            "{\"name\": \"%s\", \"endpoints\": [\"%s\"]}".formatted(site.name(), endpoint);
        assertThat(call(service, "POST", "/sites", entry).statusCode()).isEqualTo(201);
      }
      for (String mode : new String[] {"WEAK", "SWMR", "MWMR"}) {
        String cache =
            "{\"name\": \"%s\", \"consistency\": \"%s\", \"replication\": 3}".formatted(mode, mode);
        assertThat(call(service, "POST", "/caches", cache).statusCode()).isEqualTo(201);
        String path = "/caches/" + mode + "/entries/k";
        assertThat(call(service, "PUT", path, "{\"a\": 1}").statusCode()).isEqualTo(204);
        assertThat(call(service, "GET", path, "").body()).isEqualTo("{\"a\": 1}".getBytes());
      }

      sites.site("rome").kill();

      assertThat(call(service, "GET", "/health/ready", "").statusCode()).isEqualTo(200);
      assertThat(call(service, "PUT", "/caches/MWMR/entries/k", "{}").statusCode()).isEqualTo(204);
      assertThat(call(service, "GET", "/caches/MWMR/entries/k", "").body())
          .isEqualTo("{}".getBytes());
      JsonNode explained = body(call(service, "GET", "/caches/MWMR/explain/k", ""));
      assertThat(explained.get("sites")).hasSize(3);
      assertThat(explained.findValuesAsText("answered")).containsOnlyOnce("false");
      assertThat(new String(call(service, "GET", "/metrics", "").body()))
          .contains("ensemble_operation_seconds_count");
      HttpResponse<byte[]> drain = call(service, "POST", "/sites/rome/drain", "");
      assertThat(drain.statusCode()).as(new String(drain.body())).isEqualTo(409);
      assertThat(body(drain).get("type").asText()).isEqualTo("/problems/site-in-use");
    }
  }
}

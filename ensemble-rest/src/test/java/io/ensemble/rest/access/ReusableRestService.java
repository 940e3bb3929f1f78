package io.ensemble.rest.access;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.rest.RestLimits;
import io.ensemble.rest.RestService;
import io.ensemble.rest.http.RequestAuthorizer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

/** One service for several tests, as its close takes long; each test sets an authorizer. */
final class ReusableRestService implements AutoCloseable {

  private final EnsembleCacheManager manager =
      EnsembleCacheManager.builder().definitions(new InMemoryDefinitions()).build();
  private volatile RequestAuthorizer gate = RequestAuthorizer.OPEN;
  private final RestService service =
      RestService.start(
          manager,
          new PrometheusMeterRegistry(PrometheusConfig.DEFAULT),
          new InetSocketAddress("127.0.0.1", 0),
          (head, route, on) -> gate.authorize(head, route, on),
          RestLimits.DEFAULT);

  /** Opens a first TLS connection, which may take longer than a test allows for fetching keys. */
  ReusableRestService() throws Exception {
    try (Issuer first = Issuer.start(0)) {
      HttpClient client =
          HttpClient.newBuilder()
              .sslContext(Issuer.AUTHORITY.client("first").context(Issuer.AUTHORITY.certificate()))
              .build();
      client.send(
          HttpRequest.newBuilder(URI.create(first.name())).build(), BodyHandlers.discarding());
    }
  }

  /** The address of the service, which uses {@code gate} from now on. */
  URI address(RequestAuthorizer gate) {
    this.gate = gate;
    return service.address();
  }

  @Override
  public void close() {
    service.close();
    manager.close();
  }
}

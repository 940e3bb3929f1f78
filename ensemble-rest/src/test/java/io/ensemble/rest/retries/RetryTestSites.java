package io.ensemble.rest.retries;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.catalog.definition.FileDefinitions;
import io.ensemble.rest.RestLimits;
import io.ensemble.rest.RestService;
import io.ensemble.rest.http.RequestAuthorizer;
import io.ensemble.testkit.process.ProcessFederation;
import io.ensemble.testkit.process.ProcessOptions;
import io.ensemble.testkit.process.ProcessSite;
import io.ensemble.testkit.process.ServerLibrary;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Three sites, each a process on disk behind a relay, and services of one catalog over them. */
public final class RetryTestSites implements AutoCloseable {

  private static final int HEAP_MEGABYTES = 192;

  private final ProcessFederation sites;
  private final Path catalog;
  private final List<Runnable> open = new ArrayList<>();

  private RetryTestSites(ProcessFederation sites, Path catalog) {
    this.sites = sites;
    this.catalog = catalog;
  }

  /** Starts the sites, without a service. */
  public static RetryTestSites start(Path directory) {
    ProcessFederation sites =
        ProcessFederation.start(
            ProcessOptions.in(directory.resolve("sites"), ServerLibrary.installed())
                .withNodesPerSite(1)
                .withHeapMegabytes(HEAP_MEGABYTES)
                .withPersistence(true)
                .withRelays(true)
                .withJavaOptions(List.of("-XX:TieredStopAtLevel=1")));
    return new RetryTestSites(sites, directory.resolve("catalog"));
  }

  public List<ProcessSite> sites() {
    return sites.sites();
  }

  /** The bodies of the requests that register the sites. */
  public List<String> registrations() {
    return sites.sites().stream().map(RetryTestSites::registration).toList();
  }

  private static String registration(ProcessSite site) {
    InetSocketAddress node = site.endpoints().get(0);
    return "{\"name\": \"%s\", \"endpoints\": [\"%s:%d\"], \"storage\": \"DISK\"}"
        .formatted(site.name(), node.getHostString(), node.getPort());
  }

  /** Starts another service, with a manager of its own that has only the catalog. */
  public URI service() {
    PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    EnsembleCacheManager manager =
        EnsembleCacheManager.builder()
            .definitions(FileDefinitions.in(catalog))
            .metrics(meters)
            .build();
    open.add(manager::close);
    RestService service =
        RestService.start(
            manager,
            meters,
            new InetSocketAddress("127.0.0.1", 0),
            RequestAuthorizer.OPEN,
            RestLimits.DEFAULT);
    open.add(service::close);
    return service.address();
  }

  @Override
  public void close() {
    Collections.reverse(open);
    try {
      open.forEach(Runnable::run);
    } finally {
      sites.close();
    }
  }
}

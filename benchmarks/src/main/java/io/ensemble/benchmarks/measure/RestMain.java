package io.ensemble.benchmarks.measure;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.benchmarks.report.LogSilencer;
import io.ensemble.catalog.definition.FileDefinitions;
import io.ensemble.rest.RestLimits;
import io.ensemble.rest.RestService;
import io.ensemble.rest.http.RequestAuthorizer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;

/**
 * A REST service in a JVM of its own, on a port of this machine: prints {@code ready} and its
 * address, and ends with its input.
 */
public final class RestMain {

  private RestMain() {}

  /** The program; the argument: the directory of the catalog. */
  public static void main(String[] args) throws IOException {
    LogSilencer.ofLibraries();
    PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    try (EnsembleCacheManager manager =
            EnsembleCacheManager.builder()
                .definitions(FileDefinitions.in(Path.of(args[0])))
                .metrics(meters)
                .build();
        RestService service =
            RestService.start(
                manager,
                meters,
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                RequestAuthorizer.OPEN,
                RestLimits.DEFAULT)) {
      System.out.println("ready " + service.address());
      while (System.in.read() >= 0) {
        // The input carries no commands.
      }
    }
    System.exit(0); // Ends even if threads of the clients still run.
  }
}

package io.ensemble.rest;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.rest.access.ServiceTls;
import io.ensemble.rest.access.SiteRegistrationRules;
import io.ensemble.rest.http.RequestAuthorizer;
import io.ensemble.rest.http.RouteTable;
import io.ensemble.rest.jetty.JettyErrorHandler;
import io.ensemble.rest.jetty.RestHandler;
import io.ensemble.rest.jetty.SlowClientReaper;
import io.ensemble.rest.openapi.OpenApi;
import io.ensemble.rest.resource.ResourceRoutes;
import io.ensemble.rest.resource.context.BlockingTaskPool;
import io.ensemble.rest.resource.context.RestContext;
import io.ensemble.rest.trace.RequestTracer;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.http.UriCompliance.Violation;
import org.eclipse.jetty.server.AbstractConnectionFactory;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The REST service of one manager, running from {@link #start} until {@link #close}. The service
 * keeps no state that another service of the same catalog would need. Thread-safe.
 */
public final class RestService implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(RestService.class);
  private static final int MOST_THREADS = 64;
  private static final int LEAST_THREADS = 8;
  private static final int ACCEPTORS = 1;
  private static final int MOST_CONNECTIONS = 4_096;
  private static final int BACKLOG = 1_024;
  private static final Duration FAREWELL = Duration.ofSeconds(2);

  private final Server server;
  final ServerConnector connector; // Tests inspect the bytes that the service has read.
  private final SlowClientReaper connections;
  private final RestHandler restHandler;
  private final BlockingTaskPool blockingTaskPool;
  private final RestContext context;

  private RestService(
      Server server,
      ServerConnector connector,
      SlowClientReaper connections,
      RestHandler restHandler,
      BlockingTaskPool blockingTaskPool,
      RestContext context) {
    this.server = server;
    this.connector = connector;
    this.connections = connections;
    this.restHandler = restHandler;
    this.blockingTaskPool = blockingTaskPool;
    this.context = context;
  }

  /** The OpenAPI document that {@code GET /openapi.json} returns, as JSON. Starts nothing. */
  public static byte[] openApi() {
    try (EnsembleCacheManager manager =
            EnsembleCacheManager.builder().definitions(new InMemoryDefinitions()).build();
        BlockingTaskPool unused = new BlockingTaskPool(1, 1);
        RestContext context = new RestContext(manager, unused, RestLimits.DEFAULT)) {
      return OpenApi.of(
          ResourceRoutes.createAll(context, new PrometheusMeterRegistry(PrometheusConfig.DEFAULT)));
    }
  }

  /**
   * Starts the service. The manager remains the caller's, and must be closed after the service.
   *
   * @param registry the registry that was given to the manager
   * @param address port 0 takes a free one
   * @throws IllegalArgumentException if other hosts could reach a service without authentication
   * @throws UncheckedIOException if the address cannot be bound
   */
  public static RestService start(
      EnsembleCacheManager manager,
      PrometheusMeterRegistry registry,
      InetSocketAddress address,
      RequestAuthorizer requestAuthorizer,
      RestLimits limits) {
    return start(
        manager,
        registry,
        address,
        requestAuthorizer,
        Optional.empty(),
        Optional.empty(),
        RequestTracer.NONE,
        limits);
  }

  /**
   * Starts the service, over TLS if the access control has TLS.
   *
   * @param siteRules the rules for sites that are registered here; empty allows any site
   * @param requestTracer traces each request
   * @throws IllegalArgumentException if the files of the TLS configuration are invalid
   */
  public static RestService start(
      EnsembleCacheManager manager,
      PrometheusMeterRegistry registry,
      InetSocketAddress address,
      RequestAuthorizer requestAuthorizer,
      Optional<ServiceTls> tls,
      Optional<SiteRegistrationRules> siteRules,
      RequestTracer requestTracer,
      RestLimits limits) {
    if (requestAuthorizer == RequestAuthorizer.OPEN
        && (address.isUnresolved() || !address.getAddress().isLoopbackAddress())) {
      throw new IllegalArgumentException(
          "a service without authentication must listen on a loopback address; got " + address);
    }
    JettyLogs.keepQuiet();
    ConnectionFactory[] protocols = protocols(tls, limits); // First: the files may be invalid.
    BlockingTaskPool blockingTaskPool = new BlockingTaskPool(limits.workers(), limits.waiting());
    RestContext context = new RestContext(manager, blockingTaskPool, limits, siteRules);
    RouteTable routes = new RouteTable(ResourceRoutes.createAll(context, registry));
    QueuedThreadPool threads = new QueuedThreadPool(MOST_THREADS, LEAST_THREADS);
    threads.setName("ensemble-rest");
    threads.setDaemon(true);
    Server server = new Server(threads);
    ServerConnector connector =
        new ServerConnector(server, null, null, null, ACCEPTORS, -1, protocols);
    connector.setHost(address.getHostString());
    connector.setPort(address.getPort());
    connector.setAcceptQueueSize(BACKLOG);
    connector.setIdleTimeout(limits.idle().toMillis());
    // Jetty would shorten the idle timeout of every connection, and so fail requests in progress.
    connector.setShutdownIdleTimeout(-1);
    connector.setReuseAddress(true);
    server.addConnector(connector);
    server.addBean(new NetworkConnectionLimit(MOST_CONNECTIONS, connector));
    SlowClientReaper connections = new SlowClientReaper(connector, limits.slowest());
    server.addBean(connections);
    RestHandler restHandler =
        new RestHandler(
            routes,
            requestAuthorizer,
            requestTracer,
            limits.requests(),
            limits.bodiesBytes(),
            limits.valueBytes(),
            limits.slowest());
    server.setHandler(restHandler);
    server.setErrorHandler(new JettyErrorHandler());
    RestService service =
        new RestService(server, connector, connections, restHandler, blockingTaskPool, context);
    try {
      server.start();
      return service;
    } catch (IOException e) {
      service.close();
      throw new UncheckedIOException("the service cannot bind to " + address, e);
    } catch (Exception e) {
      service.close();
      throw new IllegalStateException("the service cannot be started; address=" + address, e);
    }
  }

  private static ConnectionFactory[] protocols(Optional<ServiceTls> tls, RestLimits limits) {
    HttpConfiguration http = http(limits);
    if (tls.isEmpty()) {
      return new ConnectionFactory[] {new HttpConnectionFactory(http)};
    }
    http.addCustomizer(new SecureRequestCustomizer(false)); // The access filter checks host names.
    return AbstractConnectionFactory.getFactories(
        tls.get().factory(), new HttpConnectionFactory(http));
  }

  private static HttpConfiguration http(RestLimits limits) {
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setSendDateHeader(true);
    http.setRequestHeaderSize(limits.headerBytes());
    // Paths are matched in their raw form, segment by segment: an encoded slash is part of a key.
    http.setUriCompliance(
        UriCompliance.RFC3986.with(
            "ensemble",
            Set.of(
                    Violation.AMBIGUOUS_PATH_SEPARATOR,
                    Violation.AMBIGUOUS_PATH_SEGMENT,
                    Violation.AMBIGUOUS_PATH_ENCODING,
                    Violation.AMBIGUOUS_PATH_PARAMETER,
                    Violation.AMBIGUOUS_EMPTY_SEGMENT,
                    Violation.SUSPICIOUS_PATH_CHARACTERS)
                .toArray(Violation[]::new)));
    return http;
  }

  /** The address, with the actual port. */
  public URI address() {
    String host = connector.getHost();
    return URI.create(
        "%s://%s:%d"
            .formatted(
                connector.getConnectionFactory(SslConnectionFactory.class) == null
                    ? "http"
                    : "https",
                host.contains(":") ? "[" + host + "]" : host,
                connector.getLocalPort()));
  }

  /**
   * Stops accepting requests, and closes connections without a request in progress. Waits two
   * seconds for the requests in progress, and two more for the tasks that they have left.
   */
  @Override
  public void close() {
    close(FAREWELL);
  }

  /** Closes the service as {@link #close()} does, with another bound for requests in progress. */
  void close(Duration longest) {
    server.setStopTimeout(longest.toMillis());
    restHandler.refuse();
    context.endStreams();
    connections.closeIdleConnections();
    try {
      server.stop();
    } catch (TimeoutException late) {
      // The service has stopped. A client kept its connection beyond the bound.
      LOG.info("connections of clients were closed during shutdown; port={}", connector.getPort());
    } catch (Exception e) {
      throw new IllegalStateException("the service cannot be stopped", e);
    } finally {
      context.close();
      blockingTaskPool.close();
    }
  }
}

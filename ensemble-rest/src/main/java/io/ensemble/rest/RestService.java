package io.ensemble.rest;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.rest.access.ServiceTls;
import io.ensemble.rest.access.SiteRegistrationRules;
import io.ensemble.rest.http.RequestAuthorizer;
import io.ensemble.rest.http.RouteTable;
import io.ensemble.rest.jetty.JettyErrorHandler;
import io.ensemble.rest.jetty.RestHandler;
import io.ensemble.rest.jetty.SlowClientReaper;
import io.ensemble.rest.resource.ResourceRoutes;
import io.ensemble.rest.resource.context.BlockingTaskPool;
import io.ensemble.rest.resource.context.RestContext;
import io.ensemble.rest.trace.RequestTracer;
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
 * The service of one manager, running from {@link #start} until {@link #close}. Keeps nothing that
 * another service of the same catalog would need. Thread-safe.
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
  final ServerConnector connector; // Tests see in it what the service has read.
  private final SlowClientReaper connections;
  private final RestHandler restHandler;
  private final BlockingTaskPool blockingTaskPool;
  private final RestContext federation;

  private RestService(
      Server server,
      ServerConnector connector,
      SlowClientReaper connections,
      RestHandler restHandler,
      BlockingTaskPool blockingTaskPool,
      RestContext federation) {
    this.server = server;
    this.connector = connector;
    this.connections = connections;
    this.restHandler = restHandler;
    this.blockingTaskPool = blockingTaskPool;
    this.federation = federation;
  }

  /**
   * Starts to answer. The manager stays the caller's, and is to be closed after this.
   *
   * @param registry the one that the manager was given
   * @param address port 0 for a free one
   * @throws IllegalArgumentException if others than this machine could reach what asks nobody
   * @throws UncheckedIOException if the address cannot be had
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
   * As the other method, over TLS if there is some.
   *
   * @param siteRules what may be said of sites that are registered here; empty for anything
   * @param requestTracer what each request leaves one in
   * @throws IllegalArgumentException if its files do not hold what they should
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
          "a service that asks nobody answers on a loopback address only; got " + address);
    }
    JettyLogs.keepQuiet();
    ConnectionFactory[] protocols = protocols(tls, limits); // First: its files may be wrong.
    BlockingTaskPool blockingTaskPool = new BlockingTaskPool(limits.workers(), limits.waiting());
    RestContext federation = new RestContext(manager, blockingTaskPool, limits, siteRules);
    RouteTable routes = new RouteTable(ResourceRoutes.all(federation, registry));
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
    // Jetty would shorten the idle timeout of every connection, and so fail requests under way.
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
        new RestService(server, connector, connections, restHandler, blockingTaskPool, federation);
    try {
      server.start();
      return service;
    } catch (IOException e) {
      service.close();
      throw new UncheckedIOException("the service cannot have " + address, e);
    } catch (Exception e) {
      service.close();
      throw new IllegalStateException("the service does not start; address=" + address, e);
    }
  }

  private static ConnectionFactory[] protocols(Optional<ServiceTls> tls, RestLimits limits) {
    HttpConfiguration http = http(limits);
    if (tls.isEmpty()) {
      return new ConnectionFactory[] {new HttpConnectionFactory(http)};
    }
    http.addCustomizer(new SecureRequestCustomizer(false)); // The gate checks names.
    return AbstractConnectionFactory.getFactories(
        tls.get().factory(), new HttpConnectionFactory(http));
  }

  private static HttpConfiguration http(RestLimits limits) {
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setSendDateHeader(true);
    http.setRequestHeaderSize(limits.headerBytes());
    // Paths are matched as they came, segment by segment: an encoded slash is part of a key.
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

  /** The address, with the port that it really has. */
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
   * Takes no more requests, closes connections that have none under way, and waits two seconds for
   * those that are under way, and two for what they have left.
   */
  @Override
  public void close() {
    close(FAREWELL);
  }

  /** Closes the service as {@link #close()} does, with another bound for requests under way. */
  void close(Duration longest) {
    server.setStopTimeout(longest.toMillis());
    restHandler.refuse();
    federation.endStreams();
    connections.closeIdleConnections();
    try {
      server.stop();
    } catch (TimeoutException late) {
      // It has stopped: a client kept its connection for longer than it is waited for.
      LOG.info("clients were cut off; port={}", connector.getPort());
    } catch (Exception e) {
      throw new IllegalStateException("the service does not stop", e);
    } finally {
      federation.close();
      blockingTaskPool.close();
    }
  }
}

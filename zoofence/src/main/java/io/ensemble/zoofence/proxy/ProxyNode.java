package io.ensemble.zoofence.proxy;

import io.ensemble.zoofence.deployment.Deployment;
import io.ensemble.zoofence.queue.executor.CommandExecutor;
import io.ensemble.zoofence.queue.executor.QueueCounts;
import io.ensemble.zoofence.session.routing.ReadPreference;
import io.ensemble.zoofence.session.routing.RoutingContext;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One process of a deployment: a proxy for clients and, optionally, an executor that is a candidate
 * to lead the queues. Thread-safe.
 */
public final class ProxyNode implements AutoCloseable {
  private final Deployment deployment;
  private final @Nullable CommandExecutor executor;
  private final ZooFenceProxy proxy;

  private ProxyNode(
      Deployment deployment, @Nullable CommandExecutor executor, ZooFenceProxy proxy) {
    this.deployment = deployment;
    this.executor = executor;
    this.proxy = proxy;
  }

  /**
   * Serves a deployment.
   *
   * @param address where clients connect; port 0 takes a free one
   * @param execute whether this process is a candidate to lead queues; at least one process has to
   *     be
   * @param requestTimeout how long a request waits for an instance that cannot be reached
   */
  public static ProxyNode serve(
      Deployment deployment, InetSocketAddress address, boolean execute, Duration requestTimeout)
      throws InterruptedException {
    return serve(deployment, address, execute, requestTimeout, ReadPreference.CANONICAL);
  }

  /**
   * Serves a deployment, with a read preference.
   *
   * @param readPreference where to read paths that several instances hold
   */
  public static ProxyNode serve(
      Deployment deployment,
      InetSocketAddress address,
      boolean execute,
      Duration requestTimeout,
      ReadPreference readPreference)
      throws InterruptedException {
    return serve(deployment, ProxyOptions.at(address), execute, requestTimeout, readPreference);
  }

  /**
   * Serves a deployment, with options of the proxy.
   *
   * @throws IllegalArgumentException if the keys or certificates of TLS cannot be read
   */
  public static ProxyNode serve(
      Deployment deployment,
      ProxyOptions options,
      boolean execute,
      Duration requestTimeout,
      ReadPreference readPreference)
      throws InterruptedException {
    var routingContext =
        new RoutingContext(
            deployment.instances(),
            deployment.admin(),
            deployment.epoch(),
            requestTimeout,
            readPreference,
            deployment.access());
    var executorReference = new AtomicReference<@Nullable CommandExecutor>();
    ZooFenceProxy proxy =
        ZooFenceProxy.serve(
            routingContext,
            options,
            ProxyLimits.fromProperties(),
            () -> queueCounts(executorReference.get()));
    CommandExecutor executor =
        execute
            ? new CommandExecutor(
                deployment.instances(),
                deployment.admin(),
                routingContext::flattening,
                deployment.access())
            : null;
    executorReference.set(executor);
    return new ProxyNode(deployment, executor, proxy);
  }

  /**
   * The number of queues that this process leads, to its own knowledge; clients read it by {@code
   * mntr}.
   */
  public int queuesLed() {
    return queueCounts(executor).led();
  }

  /** The queues that this process leads; clients read them by {@code mntr}. Thread-safe. */
  public QueueCounts queueCounts() {
    return queueCounts(executor);
  }

  private static QueueCounts queueCounts(@Nullable CommandExecutor executor) {
    return executor == null ? QueueCounts.NONE : executor.queueCounts();
  }

  public Deployment deployment() {
    return deployment;
  }

  /** The address at which clients connect; that for TLS if there is no other. */
  public InetSocketAddress address() {
    return proxy.address();
  }

  /** The address at which clients connect with TLS; null if there is none. */
  public @Nullable InetSocketAddress secureAddress() {
    return proxy.secureAddress();
  }

  /**
   * Stops serving. The sessions continue if their clients connect to another process of the
   * deployment.
   */
  @Override
  public void close() {
    proxy.close();
    if (executor != null) {
      executor.close();
    }
  }
}

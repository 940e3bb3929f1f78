package io.ensemble.zoofence.proxy;

import io.ensemble.zoofence.deployment.Deployment;
import io.ensemble.zoofence.queue.executor.CommandExecutor;
import io.ensemble.zoofence.session.routing.ReadPreference;
import io.ensemble.zoofence.session.routing.RoutingContext;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One process of a deployment: a proxy for clients, and, unless others do it, an executor that
 * stands for the lead of the queues. Thread-safe.
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
   * @param address where clients come; port 0 takes a free one
   * @param execute whether this process stands for the lead of queues; some process has to
   * @param patience how long a request waits for an instance that cannot be reached
   */
  public static ProxyNode serve(
      Deployment deployment, InetSocketAddress address, boolean execute, Duration patience)
      throws InterruptedException {
    return serve(deployment, address, execute, patience, ReadPreference.CANONICAL);
  }

  /**
   * Serves a deployment.
   *
   * @param readPreference where paths are read that several instances hold
   */
  public static ProxyNode serve(
      Deployment deployment,
      InetSocketAddress address,
      boolean execute,
      Duration patience,
      ReadPreference readPreference)
      throws InterruptedException {
    var router =
        new RoutingContext(
            deployment.instances(),
            deployment.admin(),
            deployment.edition(),
            patience,
            readPreference);
    var standing = new AtomicReference<@Nullable CommandExecutor>();
    ZooFenceProxy proxy =
        ZooFenceProxy.serve(
            router, address, ProxyLimits.configured(), () -> queuesLed(standing.get()));
    CommandExecutor executor =
        execute
            ? new CommandExecutor(deployment.instances(), deployment.admin(), router::flattening)
            : null;
    standing.set(executor);
    return new ProxyNode(deployment, executor, proxy);
  }

  /** How many queues this process leads, as far as it knows; clients learn it by {@code mntr}. */
  public int queuesLed() {
    return queuesLed(executor);
  }

  private static int queuesLed(@Nullable CommandExecutor executor) {
    return executor == null ? 0 : executor.queuesLed();
  }

  public Deployment deployment() {
    return deployment;
  }

  /** Where clients come. */
  public InetSocketAddress address() {
    return proxy.address();
  }

  /**
   * Stops serving; sessions go on through another process of the deployment, if they come there.
   */
  @Override
  public void close() {
    proxy.close();
    if (executor != null) {
      executor.close();
    }
  }
}

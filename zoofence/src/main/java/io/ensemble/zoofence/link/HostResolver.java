package io.ensemble.zoofence.link;

import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Resolves host names outside the event loops, since a lookup may take seconds. */
final class HostResolver {
  /** Looks up a host; the call may block. */
  interface Question {
    InetAddress ask(String host) throws UnknownHostException;
  }

  /**
   * The resolver of all connections in this process. Its threads end after a period without
   * lookups.
   */
  static final HostResolver SHARED = new HostResolver(InetAddress::getByName, createExecutor());

  private final Question lookup;
  private final Executor executor;

  HostResolver(Question lookup, Executor executor) {
    this.lookup = lookup;
    this.executor = executor;
  }

  private static Executor createExecutor() {
    var executor =
        new ThreadPoolExecutor(
            2,
            2,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              var thread = new Thread(task, "zoofence-resolver");
              thread.setDaemon(true);
              return thread;
            });
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }

  /**
   * @param callback receives the address, or null if there is none; immediately for a numeric
   *     address, otherwise on {@code callbackExecutor}
   */
  void resolve(
      InetSocketAddress server,
      Executor callbackExecutor,
      Consumer<@Nullable InetSocketAddress> callback) {
    String host = server.getHostString();
    String literal = host.replace("[", "").replace("]", "");
    if (NetUtil.isValidIpV4Address(literal) || NetUtil.isValidIpV6Address(literal)) {
      callback.accept(lookUp(host, server.getPort()));
    } else {
      executor.execute(
          () -> {
            InetSocketAddress address = lookUp(host, server.getPort());
            callbackExecutor.execute(() -> callback.accept(address));
          });
    }
  }

  private @Nullable InetSocketAddress lookUp(String host, int port) {
    try {
      return new InetSocketAddress(lookup.ask(host), port);
    } catch (UnknownHostException e) {
      return null;
    }
  }
}

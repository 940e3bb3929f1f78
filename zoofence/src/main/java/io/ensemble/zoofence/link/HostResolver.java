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
  static final HostResolver SHARED = new HostResolver(InetAddress::getByName, threads());

  private final Question question;
  private final Executor threads;

  HostResolver(Question question, Executor threads) {
    this.question = question;
    this.threads = threads;
  }

  private static Executor threads() {
    var threads =
        new ThreadPoolExecutor(
            2,
            2,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            work -> {
              var made = new Thread(work, "zoofence-resolver");
              made.setDaemon(true);
              return made;
            });
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  /**
   * @param callback receives the address, or null if there is none; immediately for a numeric
   *     address, otherwise on {@code back}
   */
  void resolve(
      InetSocketAddress server, Executor back, Consumer<@Nullable InetSocketAddress> callback) {
    String host = server.getHostString();
    String number = host.replace("[", "").replace("]", "");
    if (NetUtil.isValidIpV4Address(number) || NetUtil.isValidIpV6Address(number)) {
      callback.accept(found(host, server.getPort()));
    } else {
      threads.execute(
          () -> {
            InetSocketAddress found = found(host, server.getPort());
            back.execute(() -> callback.accept(found));
          });
    }
  }

  private @Nullable InetSocketAddress found(String host, int port) {
    try {
      return new InetSocketAddress(question.ask(host), port);
    } catch (UnknownHostException e) {
      return null;
    }
  }
}

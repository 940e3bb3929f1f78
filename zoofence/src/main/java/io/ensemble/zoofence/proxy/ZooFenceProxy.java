package io.ensemble.zoofence.proxy;

import io.ensemble.zoofence.queue.executor.QueueCounts;
import io.ensemble.zoofence.session.routing.RoutingContext;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A ZooKeeper server to its clients, and a client of every instance. Several proxies may serve one
 * deployment: a client that reconnects through another proxy continues its session. Thread-safe.
 */
public final class ZooFenceProxy implements AutoCloseable {
  private final EventLoopGroup loops = new NioEventLoopGroup();
  private final ChannelGroup clients = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final ProxyStatistics statistics = new ProxyStatistics();
  private final RoutingContext routingContext;
  private final ProxyLimits proxyLimits;
  private final AddressLimit addressLimit;
  private final FourLetterWords words;
  private volatile @Nullable Channel server;
  private volatile @Nullable Channel secureServer;

  private ZooFenceProxy(
      RoutingContext routingContext,
      ProxyOptions options,
      ProxyLimits proxyLimits,
      Supplier<QueueCounts> queueCounts) {
    this.routingContext = routingContext;
    this.proxyLimits = proxyLimits;
    this.addressLimit = new AddressLimit(options.maxClientConnections());
    this.words = new FourLetterWords(options, proxyLimits, clients, statistics, queueCounts);
  }

  private Channel bind(InetSocketAddress address, @Nullable TlsContext tls)
      throws InterruptedException {
    return new ServerBootstrap()
        .group(loops)
        .channel(NioServerSocketChannel.class)
        .option(ChannelOption.SO_REUSEADDR, true)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childHandler(
            new ChannelInitializer<SocketChannel>() {
              @Override
              protected void initChannel(SocketChannel client) {
                accept(client, tls);
              }
            })
        .bind(address)
        .sync()
        .channel();
  }

  private void accept(SocketChannel client, @Nullable TlsContext tls) {
    InetSocketAddress from = client.remoteAddress();
    if (from == null) {
      client.close(); // It has gone again.
      return;
    }
    if (proxyLimits.isFull(clients.size()) || !addressLimit.acquire(from.getAddress())) {
      statistics.recordRejection();
      client.close();
      return;
    }
    client.closeFuture().addListener(closed -> addressLimit.release(from.getAddress()));
    clients.add(client);
    if (tls != null) {
      client.pipeline().addLast(tls.current().newHandler(client.alloc()));
    }
    client
        .pipeline()
        .addLast(
            new ProtocolDetector(
                routingContext, proxyLimits, statistics, word -> words.answer(word, listening())));
  }

  private FourLetterWords.Listening listening() {
    return new FourLetterWords.Listening(port(server), port(secureServer));
  }

  private static int port(@Nullable Channel channel) {
    return channel == null ? -1 : addressOf(channel).getPort();
  }

  private static InetSocketAddress addressOf(Channel channel) {
    return (InetSocketAddress) channel.localAddress();
  }

  /**
   * Serves at an address.
   *
   * @param address where clients connect; port 0 takes a free one
   */
  public static ZooFenceProxy serve(RoutingContext routingContext, InetSocketAddress address)
      throws InterruptedException {
    return serve(routingContext, ProxyOptions.at(address));
  }

  /**
   * Serves with options.
   *
   * @throws IllegalArgumentException if the keys or certificates of TLS cannot be read
   */
  public static ZooFenceProxy serve(RoutingContext routingContext, ProxyOptions options)
      throws InterruptedException {
    return serve(routingContext, options, ProxyLimits.fromProperties(), () -> QueueCounts.NONE);
  }

  /**
   * Serves with options.
   *
   * @param queueCounts the queues of this process, reported by {@code mntr}
   */
  static ZooFenceProxy serve(
      RoutingContext routingContext,
      ProxyOptions options,
      ProxyLimits proxyLimits,
      Supplier<QueueCounts> queueCounts)
      throws InterruptedException {
    InetSocketAddress address = options.address();
    InetSocketAddress secureAddress = options.secureAddress();
    TlsContext tls = secureAddress == null ? null : new TlsContext(options.tls());
    var proxy = new ZooFenceProxy(routingContext, options, proxyLimits, queueCounts);
    try {
      if (address != null) {
        proxy.server = proxy.bind(address, null);
      }
      if (secureAddress != null) {
        proxy.secureServer = proxy.bind(secureAddress, tls);
      }
      return proxy;
    } catch (Throwable e) {
      proxy.loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
      throw e;
    }
  }

  /** The address for clients; that for TLS if there is no other. */
  public InetSocketAddress address() {
    Channel plain = server;
    return addressOf(Objects.requireNonNull(plain == null ? secureServer : plain));
  }

  /** The address for clients that use TLS; null if there is none. */
  public @Nullable InetSocketAddress secureAddress() {
    Channel secure = secureServer;
    return secure == null ? null : addressOf(secure);
  }

  /**
   * Stops serving. Sessions live on until their timeout, and may continue through another proxy.
   */
  @Override
  public void close() {
    close(server);
    close(secureServer);
    clients.close();
    loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(3, TimeUnit.SECONDS);
  }

  private static void close(@Nullable Channel channel) {
    if (channel != null) {
      channel.close();
    }
  }
}

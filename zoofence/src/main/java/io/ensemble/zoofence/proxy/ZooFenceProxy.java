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
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A ZooKeeper server to its clients, and a client of every instance. Several proxies may serve one
 * deployment: a client that reconnects through another proxy continues its session. Thread-safe.
 */
public final class ZooFenceProxy implements AutoCloseable {
  private final EventLoopGroup loops;
  private final ChannelGroup clients = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final Channel server;

  private ZooFenceProxy(
      EventLoopGroup loops,
      RoutingContext routingContext,
      InetSocketAddress address,
      ProxyLimits proxyLimits,
      Supplier<QueueCounts> queueCounts)
      throws InterruptedException {
    this.loops = loops;
    this.server =
        new ServerBootstrap()
            .group(loops)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel client) {
                    if (proxyLimits.isFull(clients.size())) {
                      client.close();
                      return;
                    }
                    clients.add(client);
                    client
                        .pipeline()
                        .addLast(
                            new ProtocolDetector(
                                routingContext, clients, proxyLimits, queueCounts));
                  }
                })
            .bind(address)
            .sync()
            .channel();
  }

  /**
   * Serves at an address.
   *
   * @param address where clients connect; port 0 takes a free one
   */
  public static ZooFenceProxy serve(RoutingContext routingContext, InetSocketAddress address)
      throws InterruptedException {
    return serve(routingContext, address, ProxyLimits.fromProperties(), () -> QueueCounts.NONE);
  }

  /**
   * Serves at an address.
   *
   * @param queueCounts the queues of this process, reported by {@code mntr}
   */
  static ZooFenceProxy serve(
      RoutingContext routingContext,
      InetSocketAddress address,
      ProxyLimits proxyLimits,
      Supplier<QueueCounts> queueCounts)
      throws InterruptedException {
    var loops = new NioEventLoopGroup();
    try {
      return new ZooFenceProxy(loops, routingContext, address, proxyLimits, queueCounts);
    } catch (Throwable e) {
      loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
      throw e;
    }
  }

  /** The address of the server. */
  public InetSocketAddress address() {
    return (InetSocketAddress) server.localAddress();
  }

  /**
   * Stops serving. Sessions live on until their timeout, and may continue through another proxy.
   */
  @Override
  public void close() {
    server.close();
    clients.close();
    loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(3, TimeUnit.SECONDS);
  }
}

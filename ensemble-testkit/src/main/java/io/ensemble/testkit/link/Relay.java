package io.ensemble.testkit.link;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.SocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * A proxy for one node. Clients connect to the relay, and their requests go over its {@link
 * NodeLink} to the node, responses back. The node must announce the relay's address as its own, or
 * clients that follow the site's topology bypass the relay. Connections are made immediately,
 * whatever the delay of the link. A client of a node that is down is accepted, and disconnected at
 * its first request. Thread-safe.
 */
public final class Relay implements AutoCloseable {

  private static final int LONGEST_CONNECT_MILLIS = 2_000;

  private final InetSocketAddress address;
  private final NodeLink link;
  private final Channel listening;

  private Relay(InetSocketAddress address, NodeLink link, Channel listening) {
    this.address = address;
    this.link = link;
    this.listening = listening;
  }

  /**
   * Listens on a loopback {@code port}.
   *
   * @param node the address on which the node listens, now or later
   * @throws IllegalStateException if the port is in use
   */
  public static Relay listening(
      int port, InetSocketAddress node, NodeLink link, LinkThreads threads) {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    ChannelFuture bound =
        new ServerBootstrap()
            .group(threads.loops())
            .channel(LinkThreads.serverChannel())
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.AUTO_READ, false)
            .childHandler(acceptor(node, link))
            .bind(address)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IllegalStateException(
          "a relay cannot listen; port=" + port + " node=" + node, bound.cause());
    }
    return new Relay(address, link, bound.channel());
  }

  private static ChannelInitializer<Channel> acceptor(InetSocketAddress node, NodeLink link) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel client) {
        RelayedClient relayed = new RelayedClient();
        client.pipeline().addLast(link.attach(client), relayed);
        new Bootstrap()
            .group(client.eventLoop())
            .channel(LinkThreads.channel())
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, LONGEST_CONNECT_MILLIS)
            .handler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel toNode) {
                    toNode.pipeline().addLast(new RelayedNode(client));
                  }
                })
            .connect(node)
            .addListener((ChannelFuture made) -> relayed.connected(client, made));
      }
    };
  }

  /** The address to which clients connect. */
  public InetSocketAddress address() {
    return address;
  }

  /** The link behind the relay, with its faults. */
  public NodeLink link() {
    return link;
  }

  /** Stops listening, and closes every connection. */
  @Override
  public void close() {
    listening.close().awaitUninterruptibly();
    link.down();
  }
}

package io.ensemble.site.hotrod;

import io.ensemble.site.address.AddressPolicy;
import io.ensemble.site.address.AddressRefusedException;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.infinispan.client.hotrod.RemoteCacheManager;
import org.infinispan.client.hotrod.TransportFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts connections, and connects only to addresses that a policy allows. The address is checked
 * immediately before the socket connects, after the last resolution of a name. So the check covers
 * configured addresses, names that have another address by now, and nodes that a site has
 * announced.
 */
final class GuardedTransport implements TransportFactory {

  private static final Logger LOG = LoggerFactory.getLogger(GuardedTransport.class);

  private final String site;
  private final @Nullable AddressPolicy policy;
  private final AtomicLong connections;
  private final Queue<EventLoopGroup> groups = new ConcurrentLinkedQueue<>();

  /**
   * @param policy null to connect anywhere
   * @param connections grows by one before a connection is begun, whether it succeeds or not
   */
  GuardedTransport(String site, @Nullable AddressPolicy policy, AtomicLong connections) {
    this.site = site;
    this.policy = policy;
    this.connections = connections;
  }

  @Override
  public Class<? extends SocketChannel> socketChannelClass() {
    return NioSocketChannel.class;
  }

  @Override
  public Class<? extends DatagramChannel> datagramChannelClass() {
    return NioDatagramChannel.class;
  }

  @Override
  public EventLoopGroup createEventLoopGroup(int threads, ExecutorService executor) {
    EventLoopGroup group =
        new NioEventLoopGroup(threads, executor) {
          @Override
          public ChannelFuture register(Channel channel) {
            // Names are resolved over another kind of channel.
            if (channel instanceof SocketChannel) {
              channel.pipeline().addFirst(new Check());
            }
            return super.register(channel);
          }
        };
    groups.add(group);
    return group;
  }

  /**
   * Stops a client, and its connections with it. A client of 16.0.7 ends the connections of its own
   * transport only, and none if it has never started.
   */
  static void stop(RemoteCacheManager client) {
    client.stop();
    if (client.getConfiguration().transportFactory() instanceof GuardedTransport ours) {
      ours.groups.forEach(group -> group.shutdownGracefully(0, 1, TimeUnit.SECONDS));
    }
  }

  /** The handler next to the socket, so that no later handler changes the address. */
  private final class Check extends ChannelOutboundHandlerAdapter {

    @Override
    public void connect(
        ChannelHandlerContext context,
        SocketAddress remote,
        SocketAddress local,
        ChannelPromise promise)
        throws Exception {
      connections.incrementAndGet();
      if (policy == null) {
        super.connect(context, remote, local, promise);
        return;
      }
      try {
        if (!(remote instanceof InetSocketAddress target)) {
          throw new IllegalStateException("a site must have an internet address; got " + remote);
        }
        policy.check(target);
      } catch (AddressRefusedException refused) {
        LOG.warn("not connected; site={}: {}", site, refused.getMessage());
        promise.setFailure(refused);
        context.close();
        return;
      }
      super.connect(context, remote, local, promise);
    }
  }
}

package io.ensemble.testkit.embedded;

import io.ensemble.testkit.link.NodeLink;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import org.infinispan.server.hotrod.HotRodServer;

/** The stock Hot Rod server with a {@link NodeLink} in front of its pipeline. */
@SuppressWarnings("try") // the server's inherited close() declares InterruptedException
final class NodeServer extends HotRodServer {
  private final NodeLink link;

  NodeServer(NodeLink link) {
    this.link = link;
  }

  @Override
  public ChannelInitializer<Channel> getInitializer() {
    ChannelInitializer<Channel> stock = super.getInitializer();
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        channel.pipeline().addLast(stock);
        channel.pipeline().addFirst(link.attach(channel));
      }
    };
  }
}

package io.ensemble.testkit.embedded;

import io.ensemble.testkit.link.NodeLink;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import java.util.concurrent.atomic.LongAdder;
import org.infinispan.server.hotrod.HotRodServer;

/** The stock Hot Rod server, with a {@link NodeLink} in front of its pipeline, and a counter. */
@SuppressWarnings("try") // the server's inherited close() declares InterruptedException
final class NodeServer extends HotRodServer {
  private final NodeLink link;
  private final LongAdder responses;

  /**
   * @param responses receives the number of responses of all connections
   */
  NodeServer(NodeLink link, LongAdder responses) {
    this.link = link;
    this.responses = responses;
  }

  @Override
  public ChannelInitializer<Channel> getInitializer() {
    ChannelInitializer<Channel> stock = super.getInitializer();
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        channel.pipeline().addLast(stock);
        channel.pipeline().addFirst(link.attach(channel), new ResponseCounter(responses));
      }
    };
  }
}

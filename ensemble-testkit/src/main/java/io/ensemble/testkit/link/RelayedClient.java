package io.ensemble.testkit.link;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/**
 * Passes a client's requests on to its node once the link delivers them. Reads no faster than the
 * node accepts them. Confined to the event loop, which the node's connection shares.
 */
final class RelayedClient extends ChannelInboundHandlerAdapter {

  private @Nullable Channel node;

  /** The connection to the node was made, or could not be. */
  void connected(Channel client, ChannelFuture made) {
    if (made.isSuccess()) {
      node = made.channel();
      if (!client.isActive()) {
        ChannelFuture unused = made.channel().close();
      }
    }
    // Reads without a node too: a connection that ends at the moment of its acceptance would break
    // the Hot Rod client, but one that ends at its first request does not.
    client.config().setAutoRead(true);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    Channel to = node;
    if (to == null) {
      ReferenceCountUtil.release(message);
      ChannelFuture unused = ctx.close();
      return;
    }
    ChannelFuture unused = to.writeAndFlush(message);
    if (!to.isWritable()) {
      ctx.channel().config().setAutoRead(false);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    closeAfterWriting(node);
    ctx.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable reset) {
    ChannelFuture unused = ctx.close();
  }

  static void closeAfterWriting(@Nullable Channel channel) {
    if (channel != null && channel.isActive()) {
      ChannelFuture unused =
          channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }
  }
}

package io.ensemble.testkit.link;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Passes a node's responses on to the client's link. Stops reading while many responses are in
 * flight. Confined to the event loop, which the client's connection shares.
 */
final class RelayedNode extends ChannelInboundHandlerAdapter {

  private final Channel client;
  private long inFlightBytes;

  RelayedNode(Channel client) {
    this.client = client;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    int size = message instanceof ByteBuf bytes ? bytes.readableBytes() : 0;
    inFlightBytes += size;
    if (inFlightBytes > LinkHandler.LINE_FULL_BYTES) {
      ctx.channel().config().setAutoRead(false);
    }
    ChannelFuture unused =
        client.writeAndFlush(message).addListener(written -> written(ctx.channel(), size));
  }

  private void written(Channel node, int size) {
    inFlightBytes -= size;
    if (inFlightBytes < LinkHandler.LINE_FULL_BYTES / 2 && !node.config().isAutoRead()) {
      node.config().setAutoRead(true);
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    // The node accepts requests again.
    if (ctx.channel().isWritable()) {
      client.config().setAutoRead(true);
    }
    ctx.fireChannelWritabilityChanged();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    // The close follows the responses that are still in flight.
    RelayedClient.closeAfterWriting(client);
    ctx.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable reset) {
    ChannelFuture unused = ctx.close();
  }
}

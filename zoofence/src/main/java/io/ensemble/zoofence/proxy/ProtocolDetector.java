package io.ensemble.zoofence.proxy;

import io.ensemble.zoofence.session.routing.RoutingContext;
import io.ensemble.zoofence.wire.Frames;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Inspects a connection's first four bytes, which are a four-letter word or the length of a frame.
 */
final class ProtocolDetector extends ByteToMessageDecoder {
  /** The longest frame that ZooKeeper's servers accept by default. */
  static final int MOST_FRAME_BYTES = Integer.getInteger("jute.maxbuffer", 0xfffff);

  private final RoutingContext routingContext;
  private final ProxyLimits proxyLimits;
  private final ProxyStatistics statistics;
  private final Function<String, @Nullable String> words;
  private Runnable onBegun = () -> {};

  /**
   * @param words returns the answer to a four-letter word, or null if the text is none
   */
  ProtocolDetector(
      RoutingContext routingContext,
      ProxyLimits proxyLimits,
      ProxyStatistics statistics,
      Function<String, @Nullable String> words) {
    this.routingContext = routingContext;
    this.proxyLimits = proxyLimits;
    this.statistics = statistics;
    this.words = words;
  }

  /**
   * Starts a timer, because a client that requests no session has no timeout. Without the timer,
   * its place among the clients would never become free.
   */
  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    Channel channel = context.channel();
    Runnable closeTask = channel::close;
    Future<?> timer =
        channel.eventLoop().schedule(closeTask, proxyLimits.silentMillis(), TimeUnit.MILLISECONDS);
    channel.closeFuture().addListener(closed -> timer.cancel(false));
    onBegun = () -> timer.cancel(false);
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    if (in.readableBytes() < Integer.BYTES) {
      return;
    }
    String word = in.toString(in.readerIndex(), Integer.BYTES, StandardCharsets.US_ASCII);
    String answer = words.apply(word);
    if (answer != null) {
      in.skipBytes(in.readableBytes());
      context
          .writeAndFlush(Unpooled.copiedBuffer(answer, StandardCharsets.UTF_8))
          .addListener(ChannelFutureListener.CLOSE);
      return;
    }
    var client =
        new ClientChannel(context.channel(), routingContext, proxyLimits, statistics, onBegun);
    Frames.cut(context.pipeline(), MOST_FRAME_BYTES, client::handleFrame);
    context.pipeline().remove(this);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    context.close();
  }
}

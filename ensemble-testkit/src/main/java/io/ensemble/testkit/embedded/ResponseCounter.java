package io.ensemble.testkit.embedded;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the messages that a Hot Rod server sends over one connection: one for each request that it
 * has answered, and one for each event. With TLS they are records instead.
 */
final class ResponseCounter extends ChannelOutboundHandlerAdapter {

  private final LongAdder responses;

  ResponseCounter(LongAdder responses) {
    this.responses = responses;
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    responses.increment();
    ChannelFuture unused = context.write(message, promise);
  }
}

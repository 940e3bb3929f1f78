package io.ensemble.zoofence.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** Frames on a channel: a length of four bytes, followed by as many bytes. */
public final class Frames {
  private Frames() {}

  /**
   * Splits the input into frames.
   *
   * @param mostBytes the maximum size of a frame, without its length; a longer frame closes the
   *     channel, as at ZooKeeper's servers
   * @param frames receives each frame, on the channel's event loop
   */
  public static void cut(ChannelPipeline pipeline, int mostBytes, Consumer<ByteBuffer> frames) {
    pipeline.addLast(
        new LengthFieldBasedFrameDecoder(
            mostBytes + Integer.BYTES, 0, Integer.BYTES, 0, Integer.BYTES));
    pipeline.addLast(
        new SimpleChannelInboundHandler<ByteBuf>() {
          @Override
          protected void channelRead0(ChannelHandlerContext context, ByteBuf frame) {
            // A copy, since Netty reuses the buffer and a frame may wait long for its turn.
            ByteBuffer bytes = ByteBuffer.allocate(frame.readableBytes());
            frame.readBytes(bytes);
            frames.accept(bytes.flip());
          }

          @Override
          public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
          }
        });
  }

  /** A frame preceded by its length. */
  public static ByteBuf framed(ByteBuffer bytes) {
    return Unpooled.wrappedBuffer(
        ByteBuffer.allocate(Integer.BYTES).putInt(bytes.remaining()).flip(), bytes);
  }
}

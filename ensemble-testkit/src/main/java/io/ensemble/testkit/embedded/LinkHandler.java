package io.ensemble.testkit.embedded;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Applies a {@link Link}'s faults to one connection. Confined to the connection's event loop. */
final class LinkHandler extends ChannelDuplexHandler {
  /** A client that leaves more than this undelivered is disconnected, as TCP would do in time. */
  static final long HELD_LIMIT_BYTES = 16L << 20;

  private record Held(
      Object message, @Nullable ChannelPromise promise, long dueNanos, int sizeBytes) {}

  private final Link link;
  private final Queue<Held> requests = new ArrayDeque<>();
  private final Queue<Held> replies = new ArrayDeque<>();
  private long lastDueNanos = System.nanoTime();
  private long heldBytes;
  private @Nullable ChannelHandlerContext context;

  LinkHandler(Link link) {
    this.link = link;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    context = null;
    release(requests);
    release(replies);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (link.closed()) {
      ReferenceCountUtil.release(message);
      ChannelFuture unused = ctx.close();
    } else if (requests.isEmpty() && !link.requestsBlocked() && link.delayNanos() == 0) {
      ctx.fireChannelRead(message);
    } else {
      hold(ctx, requests, message, null);
    }
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (replies.isEmpty() && !link.repliesBlocked() && link.delayNanos() == 0) {
      ChannelFuture unused = ctx.write(message, promise);
    } else {
      hold(ctx, replies, message, promise);
    }
  }

  private void hold(
      ChannelHandlerContext ctx,
      Queue<Held> queue,
      Object message,
      @Nullable ChannelPromise promise) {
    int size = message instanceof ByteBuf bytes ? bytes.readableBytes() : 0;
    heldBytes += size;
    // A shrinking delay must not let a later message overtake an earlier one; both directions share
    // the bound.
    lastDueNanos = Math.max(lastDueNanos, System.nanoTime() + link.delayNanos());
    queue.add(new Held(message, promise, lastDueNanos, size));
    if (heldBytes > HELD_LIMIT_BYTES) {
      ChannelFuture unused = ctx.close();
    } else {
      wake();
    }
  }

  /** Delivers what is due, and comes back when the next is. */
  void wake() {
    ChannelHandlerContext ctx = context;
    if (ctx == null) {
      return;
    }
    if (!link.requestsBlocked() && drain(ctx, requests)) {
      ctx.fireChannelReadComplete();
    }
    if (!link.repliesBlocked() && drain(ctx, replies)) {
      ctx.flush();
    }
  }

  private boolean drain(ChannelHandlerContext ctx, Queue<Held> queue) {
    boolean any = false;
    for (Held head = queue.peek(); head != null; head = queue.peek()) {
      long waitNanos = link.delayNanos() == 0 ? 0 : head.dueNanos() - System.nanoTime();
      if (waitNanos > 0) {
        Future<?> unused = ctx.executor().schedule(this::wake, waitNanos, TimeUnit.NANOSECONDS);
        return any;
      }
      queue.remove();
      heldBytes -= head.sizeBytes();
      any = true;
      if (head.promise() == null) {
        ctx.fireChannelRead(head.message());
      } else {
        ChannelFuture unused = ctx.write(head.message(), head.promise());
      }
    }
    return any;
  }

  private static void release(Queue<Held> queue) {
    for (Held held = queue.poll(); held != null; held = queue.poll()) {
      ReferenceCountUtil.release(held.message());
      if (held.promise() != null) {
        held.promise().tryFailure(new ClosedChannelException());
      }
    }
  }
}

package io.ensemble.testkit.link;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Applies the faults, delay and bandwidth of a {@link NodeLink} to one connection. Confined to the
 * connection's event loop.
 */
final class LinkHandler extends ChannelDuplexHandler {
  /**
   * If more bytes than this are undelivered, the client is disconnected, as TCP would do in time.
   */
  static final long HELD_LIMIT_BYTES = 16L << 20;

  /**
   * If the requests of a client fill the link with so many bytes, no more are read from it until
   * half of them have passed.
   */
  static final long LINE_FULL_BYTES = 1L << 20;

  private final NodeLink link;
  private final LinkQueue requests;
  private final LinkQueue replies;
  private boolean lineFull;
  private @Nullable ChannelHandlerContext context;

  LinkHandler(NodeLink link) {
    this.link = link;
    this.requests = new LinkQueue(link, link.line().requests());
    this.replies = new LinkQueue(link, link.line().replies());
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    context = ctx;
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    context = null;
    requests.release();
    replies.release();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (link.closed()) {
      ReferenceCountUtil.release(message);
      ChannelFuture unused = ctx.close();
    } else if (passesAtOnce(requests) && !link.requestsBlocked()) {
      ctx.fireChannelRead(message);
    } else {
      requests.add(message, null, size(message));
      pauseIfLinkFull(ctx);
      onHeld(ctx);
    }
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (passesAtOnce(replies) && !link.repliesBlocked()) {
      ChannelFuture unused = ctx.write(message, promise);
    } else {
      replies.add(message, promise, size(message));
      onHeld(ctx);
    }
  }

  private boolean passesAtOnce(LinkQueue linkQueue) {
    return linkQueue.isEmpty() && link.delayNanos() == 0 && link.line().isDirect();
  }

  private static int size(Object message) {
    return message instanceof ByteBuf bytes ? bytes.readableBytes() : 0;
  }

  private void onHeld(ChannelHandlerContext ctx) {
    if (requests.bytes() + replies.bytes() > HELD_LIMIT_BYTES) {
      ChannelFuture unused = ctx.close();
    } else {
      wake();
    }
  }

  private void pauseIfLinkFull(ChannelHandlerContext ctx) {
    if (!link.line().isDirect() && requests.bytes() > LINE_FULL_BYTES) {
      lineFull = true;
      ctx.channel().config().setAutoRead(false);
    }
  }

  private void readAgain(ChannelHandlerContext ctx) {
    if (lineFull && requests.bytes() < LINE_FULL_BYTES / 2) {
      lineFull = false;
      ctx.channel().config().setAutoRead(true);
    }
  }

  /** Delivers the due messages, and sets a timer for the next one. */
  void wake() {
    ChannelHandlerContext ctx = context;
    if (ctx == null) {
      return;
    }
    if (!link.requestsBlocked() && drain(ctx, requests)) {
      ctx.fireChannelReadComplete();
      readAgain(ctx);
    }
    if (!link.repliesBlocked() && drain(ctx, replies)) {
      ctx.flush();
    }
  }

  private void onTimer(LinkQueue linkQueue) {
    linkQueue.timerFired();
    wake();
  }

  private boolean drain(ChannelHandlerContext ctx, LinkQueue linkQueue) {
    boolean any = false;
    while (!linkQueue.isEmpty()) {
      long waitNanos = linkQueue.waitNanos();
      if (waitNanos > 0) {
        if (linkQueue.wantsTimer(waitNanos)) {
          Future<?> unused =
              ctx.executor().schedule(() -> onTimer(linkQueue), waitNanos, TimeUnit.NANOSECONDS);
        }
        return any;
      }
      LinkQueue.HeldMessage head = linkQueue.take();
      any = true;
      if (head.promise() == null) {
        ctx.fireChannelRead(head.message());
      } else {
        ChannelFuture unused = ctx.write(head.message(), head.promise());
      }
    }
    return any;
  }
}

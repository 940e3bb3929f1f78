package io.ensemble.testkit.link;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * The threads of relays. They use epoll where it is available: its timers are precise to
 * nanoseconds, while those of NIO round up to milliseconds. Thread-safe.
 */
public final class LinkThreads implements AutoCloseable {

  private static final long QUIET_MILLIS = 0;
  private static final long LONGEST_END_MILLIS = 2_000;

  private final EventLoopGroup loops;

  /** Starts threads as they are needed, {@code count} at most. */
  public LinkThreads(int count) {
    DefaultThreadFactory threads =
        new DefaultThreadFactory("ensemble-link", true, Thread.MAX_PRIORITY);
    loops =
        isPrecise()
            ? new EpollEventLoopGroup(count, threads)
            : new NioEventLoopGroup(count, threads);
  }

  /** Whether delays are precise to fractions of a millisecond. */
  public static boolean isPrecise() {
    return Epoll.isAvailable();
  }

  EventLoopGroup loops() {
    return loops;
  }

  static Class<? extends ServerSocketChannel> serverChannel() {
    return isPrecise() ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
  }

  static Class<? extends SocketChannel> channel() {
    return isPrecise() ? EpollSocketChannel.class : NioSocketChannel.class;
  }

  @Override
  public void close() {
    loops
        .shutdownGracefully(QUIET_MILLIS, LONGEST_END_MILLIS, TimeUnit.MILLISECONDS)
        .awaitUninterruptibly();
  }
}

package io.ensemble.testkit.link;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.time.Duration;

/**
 * The wire between one node and its clients, and what may go wrong on it. Faults act on the
 * connections that exist and on those that come later, until {@link #heal()}. Bytes are never lost
 * or reordered inside a connection that lives, since TCP would not do that either: a blocked
 * direction holds them and delivers them late when it is healed. A connection on which more than 16
 * MiB are held is closed.
 *
 * <p>A link may lie on a {@link SiteLink}, whose length and width are no faults: they stay when it
 * is healed. Thread-safe. Survives a restart of its node, faults included.
 */
public final class NodeLink {
  private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private volatile boolean requestsBlocked;
  private volatile boolean repliesBlocked;
  private volatile boolean cut;
  private volatile boolean resetting;
  private volatile boolean down;
  private volatile long delayNanos;
  private final SiteLink siteLink;

  /** A healthy link without length, of any width. */
  public NodeLink() {
    this(SiteLink.DIRECT);
  }

  /** A healthy link on {@code siteLink}. */
  public NodeLink(SiteLink siteLink) {
    this.siteLink = siteLink;
  }

  /** Accepts connections and requests, processes none and answers nothing. */
  public void hang() {
    requestsBlocked = true;
    repliesBlocked = true;
    wakeAll();
  }

  /** Requests no longer reach the node; answers to those that it has still come back. */
  public void blockRequests() {
    requestsBlocked = true;
    wakeAll();
  }

  /** Requests reach the node and take effect; their answers do not come back. */
  public void blockReplies() {
    repliesBlocked = true;
    wakeAll();
  }

  /**
   * Delays each direction by {@code oneWay} over what its line takes, kept to about a millisecond.
   * Zero ends it.
   */
  public void delay(Duration oneWay) {
    if (oneWay.isNegative()) {
      throw new IllegalArgumentException("delay must not be negative: " + oneWay);
    }
    delayNanos = oneWay.toNanos();
    wakeAll();
  }

  /** Closes every connection, and every later one at its first request. */
  public void cut() {
    cut = true;
    channels.close().awaitUninterruptibly();
  }

  /** Resets every connection, and every later one as it is accepted, as a relay to nowhere does. */
  public void reset() {
    resetting = true;
    channels.forEach(NodeLink::reset);
  }

  private static void reset(Channel channel) {
    channel.config().setOption(ChannelOption.SO_LINGER, 0);
    ChannelFuture unused = channel.close();
  }

  /** Ends every fault. What was held is delivered now, in order. */
  public void heal() {
    cut = false;
    resetting = false;
    requestsBlocked = false;
    repliesBlocked = false;
    delayNanos = 0;
    wakeAll();
  }

  /** The number of client connections open now. */
  public int connections() {
    return channels.size();
  }

  // A connection reset at the moment of its acceptance can trip the Hot Rod client (16.0.7: its
  // connect
  // listener throws, and that client never reaches the node again), so a closed link lets it be
  // made first.
  boolean closed() {
    return cut || down;
  }

  boolean requestsBlocked() {
    return requestsBlocked;
  }

  boolean repliesBlocked() {
    return repliesBlocked;
  }

  long delayNanos() {
    return delayNanos;
  }

  SiteLink line() {
    return siteLink;
  }

  /** What applies this link to a client's {@code channel}; to stand first in its pipeline. */
  public ChannelHandler attach(Channel channel) {
    channels.add(channel);
    if (resetting) {
      reset(channel);
    }
    return new LinkHandler(this);
  }

  /** The node is about to answer. */
  public void up() {
    down = false;
  }

  /**
   * The node is going: clients lose their connections, and no new one is served in the moments
   * until its port is closed.
   */
  public void down() {
    down = true;
    channels.close().awaitUninterruptibly();
  }

  private void wakeAll() {
    for (Channel channel : channels) {
      LinkHandler handler = channel.pipeline().get(LinkHandler.class);
      if (handler != null) {
        channel.eventLoop().execute(handler::wake);
      }
    }
  }
}

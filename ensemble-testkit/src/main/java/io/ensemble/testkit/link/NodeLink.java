package io.ensemble.testkit.link;

import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.time.Duration;

/**
 * The link between one node and its clients, and its faults. Faults apply to the existing
 * connections and to later ones, until {@link #heal()}. Bytes are never lost or reordered inside a
 * connection that lives, because TCP would not do that either: a blocked direction holds them and
 * delivers them late when it is healed. A connection on which more than 16 MiB are held is closed.
 *
 * <p>A link may be part of a {@link SiteLink}, whose delay and bandwidth are no faults: they remain
 * when it is healed. Thread-safe. The link and its faults survive a restart of its node.
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

  /** A healthy link without delay or bandwidth limit. */
  public NodeLink() {
    this(SiteLink.DIRECT);
  }

  /** A healthy link over {@code siteLink}. */
  public NodeLink(SiteLink siteLink) {
    this.siteLink = siteLink;
  }

  /** Accepts connections and requests, processes none and sends no response. */
  public void hang() {
    requestsBlocked = true;
    repliesBlocked = true;
    wakeAll();
  }

  /** Requests no longer reach the node; responses to requests that it already has still arrive. */
  public void blockRequests() {
    requestsBlocked = true;
    wakeAll();
  }

  /** Requests reach the node and take effect; their responses do not arrive. */
  public void blockReplies() {
    repliesBlocked = true;
    wakeAll();
  }

  /**
   * Delays each direction by {@code oneWay} in addition to the delay of its site link, precise to
   * about 1 ms. Zero ends the delay.
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

  /**
   * Resets every connection, and every later one when it is accepted, as a relay without a target
   * does.
   */
  public void reset() {
    resetting = true;
    channels.forEach(NodeLink::reset);
  }

  private static void reset(Channel channel) {
    try {
      channel.config().setOption(ChannelOption.SO_LINGER, 0);
    } catch (ChannelException closedMeanwhile) {
      return;
    }
    ChannelFuture unused = channel.close();
  }

  /** Ends every fault. Held messages are delivered now, in order. */
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

  // A connection reset at the moment of its acceptance can break the Hot Rod client. In 16.0.7 its
  // connect listener throws, and that client never reaches the node again. So a closed link first
  // lets the connection be made.
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

  /**
   * The handler that applies this link to a client's {@code channel}; it must be first in the
   * pipeline.
   */
  public ChannelHandler attach(Channel channel) {
    channels.add(channel);
    if (resetting) {
      reset(channel);
    }
    return new LinkHandler(this);
  }

  /** The node is about to serve. */
  public void up() {
    down = false;
  }

  /**
   * The node is about to stop: clients lose their connections, and no new connection is served
   * until the port is closed.
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

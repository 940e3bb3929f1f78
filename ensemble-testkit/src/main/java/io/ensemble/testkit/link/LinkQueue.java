package io.ensemble.testkit.link;

import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** The messages in flight in one direction of a connection. Confined to its event loop. */
final class LinkQueue {

  /**
   * A message in flight.
   *
   * @param promise the promise of the writer; null for a message that was read
   * @param dueNanos the time of arrival on a slow link
   * @param healedNanos the time of arrival on a healthy link
   */
  record HeldMessage(
      Object message,
      @Nullable ChannelPromise promise,
      int sizeBytes,
      long dueNanos,
      long healedNanos) {}

  private final NodeLink link;
  private final BandwidthLimiter bandwidthLimiter;
  private final Queue<HeldMessage> held = new ArrayDeque<>();
  private long lastDueNanos = System.nanoTime();
  private long bytes;
  private boolean isTimerSet;
  private long timerNanos;

  LinkQueue(NodeLink link, BandwidthLimiter bandwidthLimiter) {
    this.link = link;
    this.bandwidthLimiter = bandwidthLimiter;
  }

  boolean isEmpty() {
    return held.isEmpty();
  }

  long bytes() {
    return bytes;
  }

  void add(Object message, @Nullable ChannelPromise promise, int sizeBytes) {
    long healed =
        bandwidthLimiter.passedNanos(System.nanoTime(), sizeBytes) + link.line().oneWayNanos();
    // A shrinking delay must not let a later message overtake an earlier one.
    lastDueNanos = Math.max(lastDueNanos, healed + link.delayNanos());
    held.add(new HeldMessage(message, promise, sizeBytes, lastDueNanos, healed));
    bytes += sizeBytes;
  }

  /**
   * The time until the first message is due, in nanoseconds; 0 or less when it is due. Requires a
   * message.
   */
  long waitNanos() {
    HeldMessage head = held.element();
    long due = link.delayNanos() == 0 ? head.healedNanos() : head.dueNanos();
    return due - System.nanoTime();
  }

  /**
   * Whether a new timer that fires in {@code waitNanos} is needed; if so, the queue assumes that it
   * is set.
   */
  boolean wantsTimer(long waitNanos) {
    long atNanos = System.nanoTime() + waitNanos;
    if (isTimerSet && timerNanos - atNanos <= 0) {
      return false;
    }
    isTimerSet = true;
    timerNanos = atNanos;
    return true;
  }

  void timerFired() {
    isTimerSet = false;
  }

  HeldMessage take() {
    HeldMessage head = held.remove();
    bytes -= head.sizeBytes();
    return head;
  }

  void release() {
    bytes = 0;
    for (HeldMessage head = held.poll(); head != null; head = held.poll()) {
      ReferenceCountUtil.release(head.message());
      if (head.promise() != null) {
        head.promise().tryFailure(new ClosedChannelException());
      }
    }
  }
}

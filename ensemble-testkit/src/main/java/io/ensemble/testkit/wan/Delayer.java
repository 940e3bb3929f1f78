package io.ensemble.testkit.wan;

import java.util.ArrayDeque;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Holds packets until they are due to arrive. Threads that read devices add packets; one thread
 * takes them, and sleeps until the first is due. Memory is reused and limited to {@value
 * #MOST_FRAMES} packets: further packets are dropped. Thread-safe.
 */
final class Delayer {

  static final int MOST_FRAMES = 32 << 10;

  private final int hosts;
  private final OneWayPath[][] paths;
  private final int mostFrames;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition earlierArrival = lock.newCondition();
  private final PriorityQueue<PacketBuffer> inFlight = new PriorityQueue<>();
  private final ArrayDeque<PacketBuffer> free = new ArrayDeque<>();
  private int made;
  private long numbers;

  Delayer(OneWayPath[][] paths, int mostFrames) {
    this.hosts = paths.length;
    this.paths = paths;
    this.mostFrames = mostFrames;
  }

  /** Memory for the next packet; null if too many packets are in flight. */
  @Nullable PacketBuffer allocate() {
    lock.lock();
    try {
      PacketBuffer frame = free.poll();
      if (frame == null && made < mostFrames) {
        made++;
        frame = new PacketBuffer();
      }
      return frame;
    } finally {
      lock.unlock();
    }
  }

  /** Accepts a packet from the device of {@code host}, and returns whether it is in flight. */
  boolean accept(PacketBuffer frame, int host, long nowNanos) {
    lock.lock();
    try {
      int to = frame.destination(hosts);
      long arrives =
          to < 0 || to == host ? OneWayPath.NEVER : paths[host][to].arrival(nowNanos, frame.length);
      if (arrives == OneWayPath.NEVER) {
        free.push(frame);
        return false;
      }
      frame.from = host;
      frame.to = to;
      frame.arrivesNanos = arrives;
      frame.number = numbers++;
      inFlight.add(frame);
      if (inFlight.peek() == frame) {
        earlierArrival.signal();
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Waits for the next packet that arrives, where no cut drops it. */
  PacketBuffer next() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (true) {
        PacketBuffer first = inFlight.peek();
        long early = first == null ? 0 : first.arrivesNanos - System.nanoTime();
        if (first == null) {
          earlierArrival.await();
        } else if (early > 0) {
          awaitNanos(early);
        } else {
          inFlight.remove();
          if (!paths[first.from][first.to].isCut()) {
            return first;
          }
          free.push(first);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private void awaitNanos(long nanos) throws InterruptedException {
    boolean unused = earlierArrival.await(nanos, TimeUnit.NANOSECONDS);
  }

  /** Returns memory for reuse. */
  void done(PacketBuffer frame) {
    lock.lock();
    try {
      free.push(frame);
    } finally {
      lock.unlock();
    }
  }

  void cut(int from, int to, boolean cut) {
    lock.lock();
    try {
      paths[from][to].cut(cut);
    } finally {
      lock.unlock();
    }
  }
}

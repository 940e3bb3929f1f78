package io.ensemble.objects.sync;

import io.ensemble.objects.AtomicObjectException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Clients of several processes that use one object in rounds until the workload ends. Then their
 * observations are judged.
 */
abstract class SynchronizerWorkload {

  /** One round of a client; returns false if it does not count. */
  interface Round {
    boolean played() throws Exception;
  }

  private static final CountDownLatch NEVER = new CountDownLatch(1);

  private final String name;
  private final List<Thread> threads = new ArrayList<>();
  private final List<AtomicInteger> rounds = new ArrayList<>();
  private final AtomicInteger unknown = new AtomicInteger();
  private volatile boolean over;
  private int most = Integer.MAX_VALUE;
  private volatile @Nullable Throwable failure;

  SynchronizerWorkload(String name) {
    this.name = name;
  }

  /** Adds a client. */
  final void client(Round round) {
    AtomicInteger played = new AtomicInteger();
    Thread thread = new Thread(() -> play(round, played), name + "-" + rounds.size());
    thread.setDaemon(true);
    rounds.add(played);
    threads.add(thread);
  }

  final void start() {
    threads.forEach(Thread::start);
  }

  private void play(Round round, AtomicInteger played) {
    try {
      while (awaitTurn(played)) {
        if (playedOnce(round)) {
          played.incrementAndGet();
        }
      }
    } catch (Exception | AssertionError e) {
      if (!over || e instanceof AssertionError) {
        failure = e;
      }
    }
  }

  /** Waits for the next round; returns false when the workload is over. */
  private synchronized boolean awaitTurn(AtomicInteger played) throws InterruptedException {
    while (!over && played.get() >= most) {
      wait();
    }
    return !over;
  }

  /** Lets each client play until it has played {@code roundsInAll}; then the client waits. */
  final synchronized void allow(int roundsInAll) {
    most = roundsInAll;
    notifyAll();
  }

  private boolean playedOnce(Round round) throws Exception {
    try {
      return round.played();
    } catch (AtomicObjectException.CallUnknown e) {
      unknown.incrementAndGet();
    } catch (AtomicObjectException.CallRefused | LeaseLostException e) {
      // Try again.
    }
    return false;
  }

  /** The rounds of the slowest client. Throws if a client has failed. */
  final int rounds() {
    Throwable failed = failure;
    if (failed != null) {
      throw new AssertionError("a client of " + name + " failed", failed);
    }
    return rounds.stream().mapToInt(AtomicInteger::get).min().orElseThrow();
  }

  /** Starts no more rounds, and waits for those under way. */
  final void end() throws InterruptedException {
    synchronized (this) {
      over = true;
      notifyAll();
    }
    for (Thread thread : threads) {
      for (int tries = 0; thread.isAlive() && tries < 300; tries++) {
        letGo();
        thread.join(200);
      }
      if (thread.isAlive()) {
        throw new AssertionError(thread.getName() + " has not ended");
      }
    }
    rounds();
  }

  /** Releases clients that wait for others that have ended. */
  void letGo() {}

  /** Throws if the observations violate a guarantee. */
  abstract void judge(Synchronizers afterwards);

  final boolean isOver() {
    return over;
  }

  /** The number of calls with an unknown outcome. */
  final int unknown() {
    return unknown.get();
  }

  final String name() {
    return name;
  }

  /** Lets other clients interleave. */
  static void pause() throws InterruptedException {
    NEVER.await(1, TimeUnit.MILLISECONDS);
  }

  @Override
  public String toString() {
    return name + " " + rounds + (unknown() > 0 ? " unknown " + unknown() : "");
  }
}

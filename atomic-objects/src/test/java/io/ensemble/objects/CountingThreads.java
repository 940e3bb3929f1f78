package io.ensemble.objects;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.awaitility.Awaitility.await;

import io.ensemble.objects.runtime.SessionDriver;
import io.ensemble.testkit.history.HistoryRecorder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** Threads that call one counter, and record the results. */
final class CountingThreads {

  static final String NAME = "counter";

  private final List<Thread> threads = new ArrayList<>();
  private final AtomicInteger answered = new AtomicInteger();
  private volatile boolean over;
  private volatile Throwable failure;

  static CountingThreads start(AtomicObjectFactory factory, HistoryRecorder recorder, int clients) {
    return start(factory, recorder, clients, () -> false);
  }

  /** Once {@code dead} is true, outcomes are recorded as unknown, as if the process had died. */
  static CountingThreads start(
      AtomicObjectFactory factory, HistoryRecorder recorder, int clients, BooleanSupplier dead) {
    CountingThreads counting = new CountingThreads();
    Counter counter = factory.openOrCreate(NAME, Counter.TYPE);
    for (int i = 0; i < clients; i++) {
      Thread thread = new Thread(() -> counting.count(counter, recorder, dead), "client-" + i);
      thread.setDaemon(true);
      thread.start();
      counting.threads.add(thread);
    }
    return counting;
  }

  private void count(Counter counter, HistoryRecorder recorder, BooleanSupplier dead) {
    try {
      long client = recorder.newClient();
      for (int i = 0; !over && !dead.getAsBoolean(); i++) {
        client = call(counter, recorder, client, i % 4 == 3, dead);
        answered.incrementAndGet();
      }
    } catch (RuntimeException | Error e) {
      failure = e;
    }
  }

  private static long call(
      Counter counter, HistoryRecorder recorder, long client, boolean read, BooleanSupplier dead) {
    HistoryRecorder.Pending call = recorder.begin(client, NAME, read ? "get" : "inc", null);
    try {
      long told = read ? counter.get() : counter.increment();
      return dead.getAsBoolean() ? call.unknown() : call.ok(told);
    } catch (AtomicObjectException.CallUnknown e) {
      long next = call.unknown();
      requireNoFault(e);
      return next;
    } catch (AtomicObjectException.CallRefused e) {
      long next = dead.getAsBoolean() ? call.unknown() : call.failed();
      requireNoFault(e);
      return next;
    }
  }

  /**
   * A session that ends by a fault has detected a violated invariant, which no death explains. It
   * then refuses all calls, which would only fill the history with refusals.
   */
  private static void requireNoFault(AtomicObjectException ended) {
    if (ended.getMessage().contains(SessionDriver.FAULT)) {
      throw new AssertionError("an invariant of an atomic object is broken", ended);
    }
  }

  /** Waits until the clients have made {@code more} calls. */
  void awaitCalls(int more) {
    int wanted = answered.get() + more;
    await("calls: " + wanted)
        .pollInterval(10, MILLISECONDS)
        .atMost(100, SECONDS)
        .until(() -> failure != null || answered.get() >= wanted);
    requireNoFailure();
  }

  private void requireNoFailure() {
    if (failure != null) {
      throw new AssertionError("a client failed", failure);
    }
  }

  /** Starts no more calls, and waits for those under way. */
  void end() throws InterruptedException {
    over = true;
    for (Thread thread : threads) {
      thread.join(60_000);
      if (thread.isAlive()) {
        throw new AssertionError("a call has not ended");
      }
    }
    requireNoFailure();
  }
}

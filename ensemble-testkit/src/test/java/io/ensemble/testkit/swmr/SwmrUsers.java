package io.ensemble.testkit.swmr;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.WriteOutcome;
import io.ensemble.WriterPresentException;
import io.ensemble.cache.Unwrapped;
import io.ensemble.cache.swmr.OpenSwmrCache;
import io.ensemble.schedule.Deadline;
import io.ensemble.testkit.history.HistoryRecorder;
import io.ensemble.testkit.history.HistoryRecorder.Pending;
import io.ensemble.testkit.history.LinearizabilityChecker;
import io.ensemble.testkit.history.LinearizabilityChecker.Options;
import io.ensemble.testkit.history.Verdict;
import io.ensemble.testkit.mwmr.MwmrCall;
import io.ensemble.testkit.mwmr.Values;
import io.ensemble.testkit.sim.SimClient;
import io.ensemble.testkit.sim.SimScheduler;
import java.time.Duration;
import java.util.SplittableRandom;

/** Processes at a few keys of an SWMR cache, all of whom want to write now and then. */
final class SwmrUsers {

  private static final int KEYS = 2;

  private final SwmrScene scene;
  private final HistoryRecorder recorder;
  private final int operations;
  private long lastValue;
  private int done;
  private int otherWriter;

  /**
   * @param operations how many each of them performs
   */
  SwmrUsers(SwmrScene scene, int operations) {
    this.scene = scene;
    this.operations = operations;
    recorder = HistoryRecorder.inMemory(scene.federation.scheduler()::nanos, 100_000);
  }

  Session session(SimClient client, OpenSwmrCache engine) {
    return new Session(client.scheduler(), engine, client.random().split());
  }

  Verdict verdict() {
    return LinearizabilityChecker.check(recorder.history(), Options.registers());
  }

  /** How many operations ended well. */
  int done() {
    return done;
  }

  /** How many writes were refused because another process was the writer. */
  int otherWriter() {
    return otherWriter;
  }

  /** Somebody new reads every key. */
  void readAll() {
    SimClient fresh = scene.federation.newClient();
    Session last = session(fresh, scene.open(fresh));
    last.left = 0;
    for (int key = 0; key < KEYS; key++) {
      String name = "k" + key;
      last.busy = true;
      last.timeout = Duration.ofMinutes(1);
      fresh.scheduler().execute(() -> last.perform(name, MwmrCall.read()));
      scene.federation.run(() -> !last.busy, SwmrScene.LONG);
    }
  }

  /** A user of one process. */
  final class Session {

    final SimScheduler scheduler;
    private final OpenSwmrCache engine;
    private final SplittableRandom own;
    private long number = recorder.newClient();
    private long seen;
    private Duration timeout = Duration.ofSeconds(3);
    int left = operations;
    boolean busy;

    Session(SimScheduler scheduler, OpenSwmrCache engine, SplittableRandom own) {
      this.scheduler = scheduler;
      this.engine = engine;
      this.own = own;
    }

    boolean isFinished() {
      return scheduler.isStopped() || (left == 0 && !busy);
    }

    void next() {
      if (left == 0) {
        return;
      }
      left--;
      busy = true;
      if (own.nextInt(10) == 0) {
        engine.resign();
      }
      boolean writes = own.nextInt(3) > 0;
      MwmrCall call = writes ? MwmrCall.random(own, ++lastValue, seen, 0) : MwmrCall.read();
      perform("k" + own.nextInt(KEYS), call);
    }

    void perform(String key, MwmrCall call) {
      Pending pending = recorder.begin(number, key, call.op(), call.in());
      call.ask()
          .of(engine, Values.key(key), Deadline.after(timeout, scheduler))
          .whenComplete((outcome, failure) -> ended(pending, outcome, failure));
    }

    private void ended(Pending pending, WriteOutcome<Object> outcome, Throwable failure) {
      Throwable why = failure == null ? null : Unwrapped.of(failure);
      if (outcome instanceof WriteOutcome.Applied<Object> applied) {
        done++;
        if (applied.result() instanceof Long value) {
          seen = value;
        }
        number = pending.ok(applied.result());
      } else if (outcome instanceof WriteOutcome.Unknown) {
        number = pending.unknown();
      } else if (outcome instanceof WriteOutcome.Refused
          || why instanceof QuorumUnavailableException) {
        number = pending.failed();
      } else if (why instanceof WriterPresentException) {
        otherWriter++;
        number = pending.failed();
      } else {
        throw new AssertionError("an operation failed", failure);
      }
      busy = false;
      scheduler.after(own.nextLong(1, 1_200_000_000), this::next);
    }
  }
}

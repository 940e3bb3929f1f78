package io.ensemble.testkit.mwmr;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CompletionCause;
import io.ensemble.schedule.Deadline;
import io.ensemble.testkit.history.HistoryRecorder.Pending;
import io.ensemble.testkit.mwmr.MwmrSimCache.Opened;
import io.ensemble.testkit.mwmr.MwmrWorkload.Shared;
import io.ensemble.testkit.sim.SimScheduler;
import java.time.Duration;
import java.util.SplittableRandom;

/** One user of one process, with one recorded operation after the other. */
final class MwmrSession {

  private final Opened opened;
  private final Shared shared;
  private final MwmrWorkload workload;
  private final SimScheduler scheduler;
  private final SplittableRandom random;
  private final long[] lastValue;
  private long number;
  private int left;
  private boolean busy;

  MwmrSession(Opened opened, Shared shared, MwmrWorkload workload, int operations) {
    this.opened = opened;
    this.shared = shared;
    this.workload = workload;
    scheduler = opened.client().scheduler();
    random = opened.client().random().split();
    lastValue = new long[workload.keys()];
    left = operations;
    number = shared.recorder().newClient();
  }

  /** Whether this session has done all its operations, or its process crashed. */
  boolean isFinished() {
    return scheduler.isStopped() || (left == 0 && !busy);
  }

  void start() {
    scheduler.execute(this::next);
  }

  void readOnce(int key) {
    busy = true;
    scheduler.execute(() -> perform(key, MwmrCall.read()));
  }

  private void next() {
    if (left == 0) {
      return;
    }
    left--;
    int key = random.nextInt(workload.keys());
    long fresh = ++shared.counters().lastValue;
    boolean expires = random.nextDouble() < workload.expiring();
    long end = expires ? scheduler.epochMicros() + random.nextLong(400_000) : 0;
    MwmrCall call = MwmrCall.random(random, fresh, lastValue[key], end);
    if (expires && call.in() != null && !call.op().equals("remove_if")) {
      shared
          .recorder()
          .begin(shared.recorder().newClient(), "k" + key, "remove_if", fresh)
          .unknown();
    }
    perform(key, call);
  }

  private void perform(int key, MwmrCall call) {
    busy = true;
    Pending pending = shared.recorder().begin(number, "k" + key, call.op(), call.in());
    Duration timeout = Duration.ofMillis(random.nextInt(8) == 0 ? 60 : 900);
    Deadline deadline = Deadline.after(timeout, scheduler);
    call.ask()
        .of(opened.engine(), HistoryPayloads.key("k" + key), deadline)
        .whenComplete(
            (outcome, failure) -> {
              shared.counters().latestNanos =
                  Math.max(shared.counters().latestNanos, -deadline.remainingNanos(scheduler));
              ended(key, pending, outcome, failure);
            });
  }

  private void ended(int key, Pending pending, WriteOutcome<Object> outcome, Throwable failure) {
    if (outcome instanceof WriteOutcome.Applied<Object> applied) {
      if (applied.wrote()) {
        shared.counters().wrote(applied.stamp());
      }
      if (applied.result() instanceof Long seen) {
        lastValue[key] = seen;
      }
      number = pending.ok(applied.result());
    } else if (outcome instanceof WriteOutcome.Unknown) {
      shared.counters().unknown++;
      number = pending.unknown();
    } else if (outcome instanceof WriteOutcome.Refused
        || CompletionCause.of(failure) instanceof QuorumUnavailableException) {
      shared.counters().refused++;
      number = pending.failed();
    } else {
      throw new AssertionError("an operation failed", failure);
    }
    busy = false;
    scheduler.after(random.nextLong(1, workload.gapNanos()), this::next);
  }
}

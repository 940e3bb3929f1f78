package io.ensemble.testkit.repartition;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CompletionCause;
import io.ensemble.schedule.Deadline;
import io.ensemble.testkit.history.HistoryRecorder;
import io.ensemble.testkit.history.HistoryRecorder.Pending;
import io.ensemble.testkit.mwmr.HistoryPayloads;
import io.ensemble.testkit.mwmr.MwmrCall;
import io.ensemble.testkit.sim.SimScheduler;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/** One user of a process, with one recorded operation after the other. */
final class RepartitionUser {

  /** The state that all users of a run share. */
  static final class Shared {
    final HistoryRecorder recorder;
    final List<String> keys;
    final AtomicLong values = new AtomicLong();
    boolean changing;
    boolean over;
    int answeredStaying;
    int answeredAfter;
    int refused;
    int unknown;

    Shared(HistoryRecorder recorder, List<String> keys) {
      this.recorder = recorder;
      this.keys = keys;
    }
  }

  private final RepartitionFixture.Process process;
  private final Shared shared;
  private final int moving;
  private final SplittableRandom random;
  private long number;
  private long last;
  private boolean busy;

  /**
   * @param moving how many of the first keys move
   */
  RepartitionUser(RepartitionFixture.Process process, Shared shared, int moving) {
    this.process = process;
    this.shared = shared;
    this.moving = moving;
    random = process.client.random().split();
    number = shared.recorder.newClient();
  }

  void start() {
    process.client.scheduler().execute(this::next);
  }

  /** Reads every key from {@code key} on, once. */
  void readAll(int key) {
    if (key < shared.keys.size()) {
      perform(key, MwmrCall.read(), () -> readAll(key + 1));
    }
  }

  boolean isFinished() {
    return process.client.scheduler().isStopped() || (shared.over && !busy);
  }

  boolean isIdle() {
    return !busy;
  }

  private void next() {
    if (shared.over) {
      return;
    }
    MwmrCall call = MwmrCall.random(random, shared.values.incrementAndGet(), last, 0);
    perform(
        random.nextInt(shared.keys.size()),
        call,
        () -> process.client.scheduler().after(random.nextLong(1, 60_000_000), this::next));
  }

  private void perform(int key, MwmrCall call, Runnable then) {
    busy = true;
    SimScheduler scheduler = process.client.scheduler();
    String name = shared.keys.get(key);
    Pending pending = shared.recorder.begin(number, name, call.op(), call.in());
    Deadline deadline =
        Deadline.after(Duration.ofMillis(random.nextInt(4) == 0 ? 700 : 6_000), scheduler);
    call.ask()
        .of(process.engine, HistoryPayloads.key(name), deadline)
        .whenComplete(
            (outcome, failure) -> {
              ended(pending, outcome, failure, key >= moving);
              busy = false;
              then.run();
            });
  }

  private void ended(
      Pending pending, WriteOutcome<Object> outcome, Throwable failure, boolean stays) {
    if (outcome instanceof WriteOutcome.Applied<Object> applied) {
      if (applied.result() instanceof Long seen) {
        last = seen;
      }
      shared.answeredStaying += shared.changing && stays ? 1 : 0;
      shared.answeredAfter += process.engine.dealt().generation() == 2 && !stays ? 1 : 0;
      number = pending.ok(applied.result());
    } else if (outcome instanceof WriteOutcome.Unknown) {
      shared.unknown++;
      number = pending.unknown();
    } else if (outcome instanceof WriteOutcome.Refused
        || (failure != null && CompletionCause.of(failure) instanceof QuorumUnavailableException)) {
      shared.refused++;
      number = pending.failed();
    } else {
      throw new AssertionError("an operation failed", failure);
    }
  }
}

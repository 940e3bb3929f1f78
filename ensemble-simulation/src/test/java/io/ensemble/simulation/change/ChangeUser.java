package io.ensemble.simulation.change;

import io.ensemble.Mode;
import io.ensemble.QuorumUnavailableException;
import io.ensemble.WriteOutcome;
import io.ensemble.WriterPresentException;
import io.ensemble.cache.CompletionCause;
import io.ensemble.migrate.ConfigurationFollower;
import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.SimClient;
import io.ensemble.simulation.SimScheduler;
import io.ensemble.testkit.history.HistoryRecorder;
import io.ensemble.testkit.history.HistoryRecorder.Pending;
import io.ensemble.testkit.mwmr.HistoryPayloads;
import io.ensemble.testkit.mwmr.MwmrCall;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One user of a process, with one recorded operation after the other. While the cache is WEAK, each
 * user only writes a key of its own, so that the history is one of registers. While it is SWMR, the
 * users of one process write, and all read.
 */
final class ChangeUser {

  /** The state that all users of a run share. */
  static final class Shared {
    final HistoryRecorder recorder;
    final AtomicLong values = new AtomicLong();
    int answeredBefore;
    int answeredAfter;
    int answeredDuringCutover;
    boolean cutover;
    int unknown;
    boolean over;

    /** The number of a configuration whose answers may be lost; 0 for none. */
    long lossy;

    /** Whether another configuration serves in its place. */
    boolean abandoned;

    int answeredWhileLossy;
    int answeredOnceAbandoned;

    Shared(HistoryRecorder recorder) {
      this.recorder = recorder;
    }
  }

  private final SimClient client;
  private final ConfigurationFollower cache;
  private final Shared shared;
  private final Mode mode;
  private final boolean writer;
  private final int own;
  private final int keys;
  private final SplittableRandom random;
  private long number;
  private long last;
  private boolean busy;

  /**
   * @param mode the mode of the cache at first
   * @param writer whether its process is then the writer, in SWMR
   * @param own the number of the key that only this user writes while the cache is WEAK
   */
  ChangeUser(
      SimClient client,
      ConfigurationFollower cache,
      Shared shared,
      Mode mode,
      boolean writer,
      int own,
      int keys) {
    this.client = client;
    this.cache = cache;
    this.shared = shared;
    this.mode = mode;
    this.writer = writer;
    this.own = own;
    this.keys = keys;
    random = client.random().split();
    number = shared.recorder.newClient();
  }

  void start() {
    client.scheduler().execute(this::next);
  }

  /** Reads every key from {@code key} on, once. */
  void readAll(int key) {
    if (key < keys) {
      perform(key, MwmrCall.read(), () -> readAll(key + 1));
    }
  }

  boolean isFinished() {
    return client.scheduler().isStopped() || (shared.over && !busy);
  }

  boolean isIdle() {
    return !busy;
  }

  private void next() {
    if (shared.over) {
      return;
    }
    boolean first = cache.engine().number() == 1;
    boolean writes = first && mode == Mode.WEAK;
    long fresh = shared.values.incrementAndGet();
    MwmrCall call = MwmrCall.random(random, fresh, last, 0);
    while (writes && !call.op().equals("write")) {
      call = MwmrCall.random(random, fresh, last, 0);
    }
    if (first && mode == Mode.SWMR && !writer) {
      call = MwmrCall.read();
    }
    perform(
        writes ? own : random.nextInt(keys),
        call,
        () -> client.scheduler().after(random.nextLong(1, 60_000_000), this::next));
  }

  private void perform(int key, MwmrCall call, Runnable then) {
    busy = true;
    SimScheduler scheduler = client.scheduler();
    Pending pending = shared.recorder.begin(number, "k" + key, call.op(), call.in());
    long before = cache.engine().number();
    Deadline deadline =
        Deadline.after(Duration.ofMillis(random.nextInt(4) == 0 ? 700 : 6_000), scheduler);
    call.ask()
        .of(cache.engine(), HistoryPayloads.key("k" + key), deadline)
        .whenComplete(
            (outcome, failure) -> {
              ended(pending, outcome, failure, before);
              busy = false;
              then.run();
            });
  }

  private void ended(
      Pending pending, WriteOutcome<Object> outcome, Throwable failure, long before) {
    if (outcome instanceof WriteOutcome.Applied<Object> applied) {
      if (applied.result() instanceof Long seen) {
        last = seen;
      }
      shared.answeredBefore += before == 1 ? 1 : 0;
      shared.answeredAfter += before == 2 ? 1 : 0;
      shared.answeredDuringCutover += before == 2 && shared.cutover ? 1 : 0;
      number =
          cache.engine().number() == shared.lossy ? lossy(pending) : pending.ok(applied.result());
    } else if (outcome instanceof WriteOutcome.Unknown
        || outcome instanceof WriteOutcome.Superseded) {
      shared.unknown++;
      number = pending.unknown();
    } else if (outcome instanceof WriteOutcome.Refused
        || (failure != null && isRefusal(CompletionCause.of(failure)))) {
      number = pending.failed();
    } else {
      throw new AssertionError("an operation failed", failure);
    }
  }

  /** Records the outcome as unknown: the configuration may be lost. */
  private long lossy(Pending pending) {
    shared.answeredWhileLossy++;
    shared.answeredOnceAbandoned += shared.abandoned ? 1 : 0;
    return pending.unknown();
  }

  private static boolean isRefusal(Throwable failure) {
    return failure instanceof QuorumUnavailableException
        || failure instanceof WriterPresentException;
  }
}

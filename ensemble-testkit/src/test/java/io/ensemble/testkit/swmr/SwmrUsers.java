package io.ensemble.testkit.swmr;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.WriteOutcome;
import io.ensemble.WriterPresentException;
import io.ensemble.cache.CompletionCause;
import io.ensemble.cache.swmr.FaultyVoterSetEnd;
import io.ensemble.cache.swmr.OpenSwmrCache;
import io.ensemble.primary.Term;
import io.ensemble.schedule.Deadline;
import io.ensemble.testkit.history.HistoryRecorder;
import io.ensemble.testkit.history.HistoryRecorder.Pending;
import io.ensemble.testkit.history.OperationHistory;
import io.ensemble.testkit.linearizability.LinearizabilityVerdict;
import io.ensemble.testkit.losses.FailoverLosses;
import io.ensemble.testkit.mwmr.HistoryPayloads;
import io.ensemble.testkit.mwmr.MwmrCall;
import io.ensemble.testkit.sim.SimClient;
import io.ensemble.testkit.sim.SimScheduler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/**
 * Processes at a few keys of an SWMR cache, all of which write at times. If only the primary
 * acknowledges, their history is judged with the bound of the window.
 */
final class SwmrUsers {

  private static final int KEYS = 2;

  private final SwmrSimCache scene;
  private final HistoryRecorder recorder;
  private final int operations;
  private long lastValue;
  private int done;
  private int otherWriter;
  private boolean heard = true;
  private final List<Session> sessions = new ArrayList<>();
  private final FailoverLosses losses = new FailoverLosses(SwmrSimCache.WINDOW.writes(), 0);

  /**
   * @param operations the number of operations of each user
   */
  SwmrUsers(SwmrSimCache scene, int operations) {
    this.scene = scene;
    this.operations = operations;
    recorder = HistoryRecorder.inMemory(scene.federation.scheduler()::nanos, 100_000);
  }

  Session session(SimClient client, OpenSwmrCache engine) {
    Session session =
        new Session(sessions.size(), client.scheduler(), engine, client.random().split());
    engine.listen(
        report -> {
          if (heard) {
            losses.report(session.index, report, nanos());
          }
        });
    sessions.add(session);
    return session;
  }

  /**
   * Records new epochs and crashed writers from now on, so that a fail-over may lose writes. Must
   * not be called if a majority acknowledges.
   */
  void watch() {
    watch(nanos());
  }

  private void watch(long beforeNanos) {
    losses.seen(epoch(term -> true), beforeNanos, nanos());
    losses.active(epoch(Term::active), nanos());
    losses.whole(epoch(Term::isWhole), nanos());
    sessions.stream()
        .filter(session -> session.scheduler.isStopped())
        .forEach(session -> losses.died(session.index));
    long now = nanos();
    scene.federation.scheduler().after(2_000_000, () -> watch(now));
  }

  private long epoch(Predicate<Term> which) {
    return sessions.stream()
        .flatMap(session -> FaultyVoterSetEnd.known(session.engine).stream())
        .filter(which)
        .mapToLong(Term::epoch)
        .max()
        .orElse(0);
  }

  private long nanos() {
    return scene.federation.scheduler().nanos();
  }

  OperationHistory history() {
    return recorder.history();
  }

  LinearizabilityVerdict verdict() {
    return losses.judge(recorder.history());
  }

  /** The errors in the reports of writes in doubt. */
  List<String> mistakes() {
    return losses.mistakes(recorder.history());
  }

  FailoverLosses losses() {
    return losses;
  }

  /** Discards reports of writes in doubt from now on. */
  void unheard() {
    heard = false;
  }

  /** The number of operations that were applied. */
  int done() {
    return done;
  }

  /** The number of writes that were refused because another process was the writer. */
  int otherWriter() {
    return otherWriter;
  }

  /** Reads every key in a new process. */
  void readAll() {
    SimClient fresh = scene.federation.newClient();
    Session last = session(fresh, scene.open(fresh));
    last.left = 0;
    for (int key = 0; key < KEYS; key++) {
      String name = "k" + key;
      last.busy = true;
      last.timeout = Duration.ofMinutes(1);
      fresh.scheduler().execute(() -> last.perform(name, MwmrCall.read()));
      scene.federation.run(() -> !last.busy, SwmrSimCache.LONG);
    }
  }

  /** A user of one process. */
  final class Session {

    final SimScheduler scheduler;
    private final int index;
    private final OpenSwmrCache engine;
    private final SplittableRandom own;
    private long number = recorder.newClient();
    private long seen;
    private Duration timeout = Duration.ofSeconds(3);
    int left = operations;
    boolean busy;

    Session(int index, SimScheduler scheduler, OpenSwmrCache engine, SplittableRandom own) {
      this.index = index;
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
      FailoverLosses.Write write =
          call.writes() ? losses.begin(index, key, call.written(), nanos()) : null;
      call.ask()
          .of(engine, HistoryPayloads.key(key), Deadline.after(timeout, scheduler))
          .whenComplete((outcome, failure) -> ended(pending, write, outcome, failure));
    }

    private void ended(
        Pending pending,
        FailoverLosses.Write write,
        WriteOutcome<Object> outcome,
        Throwable failure) {
      if (write != null) {
        losses.ended(write, outcome, nanos());
      }
      Throwable why = failure == null ? null : CompletionCause.of(failure);
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

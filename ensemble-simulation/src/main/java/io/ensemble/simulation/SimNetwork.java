package io.ensemble.simulation;

import io.ensemble.schedule.Deadline;
import io.ensemble.site.SiteException;
import io.ensemble.site.SiteException.Reason;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Carries requests to sites and replies back, as its {@link NetworkConditions} allow.
 *
 * <p>A cut drops messages sent while it lasts; a site that is down drops messages that arrive
 * meanwhile. A client detects a lost message at its deadline, or before it by a broken connection.
 * Deadlines run on the client's view, the rest on the simulation's, so that messages of a client
 * outlive it.
 */
final class SimNetwork {

  private final SimScheduler clock;
  private final NetworkConditions conditions;
  private final SimTrace trace;
  private final Map<String, Long> newestArrived = new HashMap<>();
  private final Map<String, Long> lastArrivals = new HashMap<>();
  private final boolean inOrder;
  private long calls;
  private long walks;

  /**
   * @param inOrder whether messages between a client and a site arrive in the order in which they
   *     were sent
   */
  SimNetwork(SimScheduler clock, NetworkConditions conditions, SimTrace trace, boolean inOrder) {
    this.inOrder = inOrder;
    this.clock = clock;
    this.conditions = conditions;
    this.trace = trace;
  }

  NetworkConditions conditions() {
    return conditions;
  }

  SimScheduler clock() {
    return clock;
  }

  /** A unique number for a walk over a store. */
  long newWalk() {
    return ++walks;
  }

  SimTrace trace() {
    return trace;
  }

  <T extends @Nullable Object> SimCall<T> call(
      SimScheduler client,
      SimSiteServer site,
      String what,
      Function<SimSiteServer, RequestResult<T>> action) {
    return new SimCall<>(++calls, client, site, what, action);
  }

  /** Sends a request; the stage completes on the client's view, at the deadline at the latest. */
  <T extends @Nullable Object> CompletionStage<T> send(SimCall<T> call, Deadline deadline) {
    call.startTimer(deadline, () -> timeOut(call));
    note(call, "> " + call.what());
    if (deadline.hasPassed(call.client())) {
      return call.stage();
    }
    dispatch(call);
    if (conditions.isDrawn(conditions.chances().duplicated())) {
      fault(SimFaultKind.REQUEST_DUPLICATED, call);
      dispatch(call);
    }
    return call.stage();
  }

  /** Fails a request that is not sent. */
  <T extends @Nullable Object> CompletionStage<T> refuse(
      SimCall<T> call, Reason reason, String why) {
    note(call, "> " + call.what() + " refused: " + reason);
    call.client().execute(() -> call.fail(reason, why));
    return call.stage();
  }

  void fault(SimFaultKind kind, SimCall<?> call) {
    trace.fault(kind, clock.nanos(), call.client().name(), call.site().name(), "#" + call.id());
  }

  private void note(SimCall<?> call, String what) {
    trace.add(
        clock.nanos(), call.client().name(), call.site().name(), "#" + call.id() + " " + what);
  }

  private void timeOut(SimCall<?> call) {
    if (!call.isOver()) {
      fault(SimFaultKind.TIMED_OUT, call);
      call.fail(Reason.TIMED_OUT, "no answer by the deadline");
    }
  }

  private void dispatch(SimCall<?> call) {
    if (conditions.cutsRequests(call.client().name(), call.site().name())) {
      lose(SimFaultKind.REQUEST_CUT, call);
    } else if (conditions.isDrawn(conditions.chances().requestLost())) {
      lose(SimFaultKind.REQUEST_LOST, call);
    } else {
      clock.after(delay(call, "to"), () -> arrive(call));
    }
  }

  private <T extends @Nullable Object> void arrive(SimCall<T> call) {
    SimSiteServer site = call.site();
    if (site.isPaused()) {
      fault(SimFaultKind.HELD, call);
      site.hold(() -> arrive(call));
    } else if (!site.isUp()) {
      lose(SimFaultKind.SITE_WAS_DOWN, call);
    } else {
      recordReordering(call, "to");
      if (call.isOver()) {
        fault(SimFaultKind.PERFORMED_LATE, call);
      }
      perform(call);
    }
  }

  private <T extends @Nullable Object> void perform(SimCall<T> call) {
    RequestResult<T> performed;
    try {
      performed = call.perform();
    } catch (SiteException e) {
      note(call, "= " + e.reason());
      reply(call, () -> call.fail(e), e.reason().toString());
      return;
    }
    note(call, "= " + performed.effect());
    T denial = performed.denial();
    if (denial != null && conditions.isDrawn(conditions.chances().denied())) {
      fault(SimFaultKind.DENIED, call);
      reply(call, () -> call.answer(denial), "no");
    } else {
      reply(call, () -> call.answer(performed.answer()), "");
    }
  }

  private void reply(SimCall<?> call, Runnable take, String text) {
    if (conditions.cutsReplies(call.client().name(), call.site().name())) {
      lose(SimFaultKind.REPLY_CUT, call);
    } else if (conditions.isDrawn(conditions.chances().replyLost())) {
      lose(SimFaultKind.REPLY_LOST, call);
    } else {
      call.client().after(delay(call, "from"), () -> deliver(call, take, text));
    }
  }

  private void deliver(SimCall<?> call, Runnable take, String text) {
    recordReordering(call, "from");
    note(call, call.isOver() ? "< too late" : text.isEmpty() ? "<" : "< " + text);
    if (!call.isOver()) {
      take.run();
    }
  }

  /** A message is lost; its client may see its connection break. */
  private void lose(SimFaultKind kind, SimCall<?> call) {
    fault(kind, call);
    if (conditions.isDrawn(conditions.chances().noticed())) {
      Runnable broken = () -> call.fail(Reason.UNREACHABLE, "the connection broke");
      call.client().after(delay(call, "from"), () -> deliver(call, broken, "broken"));
    }
  }

  private long delay(SimCall<?> call, String direction) {
    if (conditions.slowness(call.site().name()) > 1) {
      fault(SimFaultKind.SLOWED, call);
    }
    long nanos = conditions.delayNanos(call.site().name());
    if (!inOrder) {
      return nanos;
    }
    long arrival =
        lastArrivals.merge(
            link(call, direction),
            clock.nanos() + nanos,
            (last, earliest) -> Math.max(last + 1, earliest));
    return arrival - clock.nanos();
  }

  private static String link(SimCall<?> call, String direction) {
    return call.client().name() + direction + call.site().name();
  }

  private void recordReordering(SimCall<?> call, String direction) {
    long newest = newestArrived.merge(link(call, direction), call.id(), Math::max);
    if (newest > call.id()) {
      fault(SimFaultKind.REORDERED, call);
    }
  }
}

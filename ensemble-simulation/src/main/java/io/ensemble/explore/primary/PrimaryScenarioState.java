package io.ensemble.explore.primary;

import io.ensemble.explore.LinearizabilityMonitor;
import io.ensemble.explore.ScenarioCall;
import io.ensemble.explore.primary.PrimaryParticipant.AcknowledgedJob;
import io.ensemble.explore.primary.PrimaryParticipant.PrimaryJob;
import io.ensemble.explore.primary.PrimaryProtocol.Task;
import io.ensemble.primary.KnownCopies;
import io.ensemble.primary.LeasedTerm;
import io.ensemble.primary.PrimaryOperation;
import io.ensemble.primary.PrimaryOutcome;
import io.ensemble.primary.PrimaryRequest;
import io.ensemble.primary.SequenceGenerator;
import io.ensemble.primary.Term;
import io.ensemble.primary.TermContext;
import io.ensemble.primary.TermLeaseRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One global state of a {@link PrimaryScenario}. */
final class PrimaryScenarioState {

  /** A request in flight, of a job that may have ended or been dropped. */
  record RequestInFlight(int party, int job, PrimaryRequest<Integer> request) {}

  final PrimaryScenario scenario;
  final PrimaryProtocol protocol;
  final TermLeaseRules leases;
  final List<List<ScenarioCall>> scripts;
  final PrimaryCells cells;
  final List<PrimaryParticipant> parties = new ArrayList<>();
  final List<RequestInFlight> requestsInFlight = new ArrayList<>();
  Term record;

  /** Writes lost in earlier epochs never come back. */
  long decidedEpoch = 1;

  long now;
  int losses;
  int lies;
  int handovers;
  int ends;
  int learns;
  LinearizabilityMonitor monitor;

  PrimaryScenarioState(PrimaryScenario scenario, PrimaryProtocol protocol) {
    this.scenario = scenario;
    this.protocol = protocol;
    leases = protocol.leases(1, 0);
    scripts = scenario.parties();
    cells = new PrimaryCells(scenario.sites());
    losses = scenario.losses();
    lies = scenario.lies();
    handovers = scenario.handovers();
    ends = scenario.ends();
    learns = scenario.learns();
    List<ScenarioCall> calls = new ArrayList<>();
    for (List<ScenarioCall> script : scripts) {
      parties.add(new PrimaryParticipant(parties.size(), calls.size()));
      calls.addAll(script);
    }
    monitor = LinearizabilityMonitor.of(calls, null);
    record = Term.first("0", parties.get(0).id);
    parties.forEach(party -> readRecord(party.index));
  }

  private PrimaryScenarioState(PrimaryScenarioState other) {
    scenario = other.scenario;
    protocol = other.protocol;
    leases = other.leases;
    scripts = other.scripts;
    cells = new PrimaryCells(other.cells);
    other.parties.forEach(party -> parties.add(party.copy()));
    requestsInFlight.addAll(other.requestsInFlight);
    record = other.record;
    decidedEpoch = other.decidedEpoch;
    now = other.now;
    losses = other.losses;
    lies = other.lies;
    handovers = other.handovers;
    ends = other.ends;
    learns = other.learns;
    monitor = other.monitor;
  }

  PrimaryScenarioState copy() {
    return new PrimaryScenarioState(this);
  }

  /** A party reads the record. */
  void readRecord(int index) {
    PrimaryParticipant party = parties.get(index);
    boolean changed = !record.equals(party.seen);
    Term before = party.seen;
    boolean isSameStage =
        before != null && PrimaryParticipant.stage(before) == PrimaryParticipant.stage(record);
    party.stageSeenAt = isSameStage ? party.stageSeenAt : now;
    party.seen = record;
    party.seenAt = changed ? now : party.seenAt;
    party.leasedTerm = new LeasedTerm(record, now);
  }

  /** Replaces the record by another one. */
  void write(Term term) {
    boolean begins = term.active() && (!record.active() || term.epoch() > record.epoch());
    boolean becomesWhole = term.isWhole() && term.epoch() > decidedEpoch;
    record = term;
    decidedEpoch = becomesWhole ? term.epoch() : decidedEpoch;
    if (!scenario.copiesFirst()) {
      monitor = becomesWhole ? PrimaryLosses.decided(this) : monitor;
      monitor = begins ? PrimaryLosses.failedOver(this) : monitor;
    }
  }

  /** A party begins, or begins again, its next call under its present lease. */
  void begin(int index) {
    PrimaryParticipant party = parties.get(index);
    ScenarioCall call = scripts.get(index).get(party.next);
    boolean writes = call.kind() != 'g';
    LeasedTerm leasedTerm = Objects.requireNonNull(party.leasedTerm);
    boolean uncertain = party.uncertainEpoch == leasedTerm.term().epoch() && protocol.fences();
    Task task = !writes ? Task.READ : uncertain ? Task.FENCED_WRITE : Task.WRITE;
    long number = 10L * party.ids + 10;
    SequenceGenerator sequences =
        new SequenceGenerator(party.id, seen -> Math.max(seen, number) + 1);
    if (!party.called) {
      party.called = true;
      monitor = monitor.called(party.call());
    }
    TermContext setting = contextOf(leasedTerm);
    PrimaryOperation<Integer, Integer> operation =
        task == Task.WRITE
            ? protocol.write(setting, call, sequences, party.known)
            : protocol.operation(task, setting, call, sequences);
    party.known = task == Task.WRITE ? KnownCopies.nothing() : party.known;
    start(party, party.call(), leasedTerm, operation, 0);
  }

  /** A party reads the present copy of a site. */
  void learn(int index, int site) {
    parties.get(index).learn(site, cells.show(site), scenario.sites());
    learns--;
  }

  void recover(int index) {
    PrimaryParticipant party = parties.get(index);
    LeasedTerm leasedTerm = Objects.requireNonNull(party.leasedTerm);
    SequenceGenerator none = new SequenceGenerator(party.id, seen -> seen + 1);
    start(
        party,
        PrimaryParticipant.RECOVERY,
        leasedTerm,
        protocol.operation(Task.RECOVER, contextOf(leasedTerm), ScenarioCall.parse("g"), none),
        0);
  }

  private TermContext contextOf(LeasedTerm leasedTerm) {
    return leasedTerm.term().setting(scenario.siteNames(), scenario.copiesFirst());
  }

  private void start(
      PrimaryParticipant party,
      int call,
      LeasedTerm leasedTerm,
      PrimaryOperation<Integer, Integer> operation,
      int value) {
    PrimaryJob job = new PrimaryJob(party.ids++, call, operation, leasedTerm, value);
    party.jobs.add(job);
    send(party, job, operation.start());
  }

  private void send(
      PrimaryParticipant party, PrimaryJob job, List<PrimaryRequest<Integer>> requests) {
    requests.forEach(
        request -> requestsInFlight.add(new RequestInFlight(party.index, job.id(), request)));
    if (!party.endedJobs.contains(job)) {
      end(party, job);
    }
  }

  void resume(int index, int id) {
    PrimaryParticipant party = parties.get(index);
    PrimaryJob job = Objects.requireNonNull(party.job(id));
    if (!isTooLate(party, job)) {
      send(party, job, job.operation().resume());
    }
  }

  void expire(int index, int id) {
    PrimaryParticipant party = parties.get(index);
    PrimaryJob job = Objects.requireNonNull(party.job(id));
    ends--;
    job.operation().expire();
    end(party, job);
  }

  /** The fate of a request. */
  enum RequestFate {
    ANSWERED,
    DENIED,
    ANSWER_LOST,
    TIMED_OUT
  }

  /** A request is performed and answered, or not, by its fate. */
  void deliver(int number, RequestFate fate) {
    RequestInFlight flight = requestsInFlight.get(number);
    PrimaryRequest<Integer> request = flight.request();
    PrimaryParticipant party = parties.get(flight.party());
    PrimaryJob job = awaiting(flight);
    boolean swap = request instanceof PrimaryRequest.Swap;
    if (fate != RequestFate.TIMED_OUT || !swap) {
      requestsInFlight.remove(number);
    }
    boolean done = fate != RequestFate.TIMED_OUT && cells.perform(request);
    losses -= fate == RequestFate.TIMED_OUT || fate == RequestFate.ANSWER_LOST ? 1 : 0;
    lies -= fate == RequestFate.DENIED ? 1 : 0;
    if (job == null) {
      return;
    }
    if (isTooLate(party, job)) {
      return;
    }
    int site = request.site();
    PrimaryOperation<Integer, Integer> operation = job.operation();
    List<PrimaryRequest<Integer>> next;
    if (fate == RequestFate.TIMED_OUT || fate == RequestFate.ANSWER_LOST) {
      next = operation.onLost(site, request.tag());
    } else if (swap) {
      next = operation.onSwap(site, request.tag(), done && fate != RequestFate.DENIED);
    } else {
      next = operation.onRead(site, request.tag(), cells.show(site));
    }
    send(party, job, next);
  }

  /**
   * Ends a job that may not continue with the recovery of the key; the call that it was for begins
   * again.
   */
  private boolean isTooLate(PrimaryParticipant party, PrimaryJob job) {
    boolean may = scenario.copiesFirst() || leases.mayRecover(currentLease(party, job), now);
    if (may || !job.operation().recovers()) {
      return false;
    }
    job.operation().expire();
    party.jobs.remove(job);
    party.endedJobs.add(job);
    return true;
  }

  /**
   * Drops requests that can have no effect any more and whose response no party awaits, and jobs
   * that are over and expect no response.
   */
  void dropDead() {
    requestsInFlight.removeIf(
        flight ->
            awaiting(flight) == null
                && !(flight.request() instanceof PrimaryRequest.Swap<Integer> swap
                    && cells.takes(swap)));
    for (PrimaryParticipant party : parties) {
      party.endedJobs.removeIf(
          job -> requestsInFlight.stream().noneMatch(flight -> job.equals(awaiting(flight))));
    }
  }

  /** The job that awaits the response, under way or over. */
  @Nullable PrimaryJob awaiting(RequestInFlight flight) {
    PrimaryJob job = parties.get(flight.party()).job(flight.job());
    return job != null && job.operation().awaits(flight.request()) ? job : null;
  }

  private void end(PrimaryParticipant party, PrimaryJob job) {
    PrimaryOutcome<Integer, Integer> outcome = job.operation().outcome().orElse(null);
    if (outcome == null) {
      return;
    }
    party.jobs.remove(job);
    party.endedJobs.add(job);
    if (job.call() >= 0) {
      ended(party, job, outcome);
    } else if (!(outcome instanceof PrimaryOutcome.Done)) {
      return;
    } else if (job.call() == PrimaryParticipant.COPYING) {
      party.window.removeIf(write -> write.value() == job.value());
    } else if (PrimaryParticipant.stage(record) == PrimaryParticipant.stage(job.leasedTerm().term())
        && record.active()) {
      boolean closes = !scenario.copiesFirst() && !record.isRecovered();
      write(closes ? record.recoveredFirst() : record.recovered());
    }
  }

  private void ended(
      PrimaryParticipant party, PrimaryJob job, PrimaryOutcome<Integer, Integer> outcome) {
    boolean writes = scripts.get(party.index).get(party.next).kind() != 'g';
    if (outcome instanceof PrimaryOutcome.Done<Integer, Integer> done) {
      boolean holds =
          writes
              ? leases.mayAcknowledge(currentLease(party, job), now)
              : leases.mayAnswer(currentLease(party, job), now);
      if (holds) {
        monitor = monitor.returned(party.call(), done.result());
        acknowledged(party, job, done);
        next(party);
      } else if (writes && done.wrote()) {
        endUncertain(party, job);
      } // else it is sent again under another lease
    } else if (outcome instanceof PrimaryOutcome.Unknown) {
      endUncertain(party, job);
    } else if (outcome instanceof PrimaryOutcome.Refused) {
      monitor = monitor.refused(party.call());
      next(party);
    }
  }

  /** The lease of the job's epoch, renewed meanwhile. */
  private static LeasedTerm currentLease(PrimaryParticipant party, PrimaryJob job) {
    LeasedTerm renewed = party.leasedTerm;
    return renewed != null
            && renewed.term().active()
            && renewed.term().epoch() == job.leasedTerm().term().epoch()
        ? renewed
        : job.leasedTerm();
  }

  private void acknowledged(
      PrimaryParticipant party, PrimaryJob job, PrimaryOutcome.Done<Integer, Integer> done) {
    if (!done.wrote() || scenario.copiesFirst()) {
      return;
    }
    Integer value = Objects.requireNonNull(done.copy().value());
    party.acknowledged.add(value);
    if (protocol.reportsWindow()) {
      party.window.add(new AcknowledgedJob(party.call(), value, job.leasedTerm().term().epoch()));
    }
    if (!scenario.cutOff()) {
      start(
          party,
          PrimaryParticipant.COPYING,
          job.leasedTerm(),
          protocol.copying(contextOf(job.leasedTerm()), done.copy()),
          value);
    }
  }

  private void endUncertain(PrimaryParticipant party, PrimaryJob job) {
    party.uncertainEpoch = job.leasedTerm().term().epoch();
    next(party);
  }

  private void next(PrimaryParticipant party) {
    party.next++;
    party.called = false;
  }

  long digest() {
    return PrimaryDigest.of(this);
  }
}

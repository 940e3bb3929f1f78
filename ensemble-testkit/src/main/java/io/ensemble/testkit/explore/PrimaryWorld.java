package io.ensemble.testkit.explore;

import io.ensemble.primary.Known;
import io.ensemble.primary.Leases;
import io.ensemble.primary.Operation;
import io.ensemble.primary.Outcome;
import io.ensemble.primary.Request;
import io.ensemble.primary.Sequences;
import io.ensemble.primary.Setting;
import io.ensemble.primary.Term;
import io.ensemble.primary.Trust;
import io.ensemble.testkit.explore.PrimaryParty.Acknowledged;
import io.ensemble.testkit.explore.PrimaryParty.Job;
import io.ensemble.testkit.explore.PrimaryProtocol.Task;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One global state of a {@link PrimaryScenario}. */
final class PrimaryWorld {

  /** A request on its way, of a job that may have ended, or be forgotten. */
  record Flight(int party, int job, Request<Integer> request) {}

  final PrimaryScenario scenario;
  final PrimaryProtocol protocol;
  final Leases leases;
  final List<List<Call>> scripts;
  final PrimaryCells cells;
  final List<PrimaryParty> parties = new ArrayList<>();
  final List<Flight> flights = new ArrayList<>();
  Term record;

  /** What earlier epochs lost never comes back. */
  long decidedEpoch = 1;

  long now;
  int losses;
  int lies;
  int handovers;
  int ends;
  int learns;
  Judge judge;

  PrimaryWorld(PrimaryScenario scenario, PrimaryProtocol protocol) {
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
    List<Call> calls = new ArrayList<>();
    for (List<Call> script : scripts) {
      parties.add(new PrimaryParty(parties.size(), calls.size()));
      calls.addAll(script);
    }
    judge = Judge.of(calls, null);
    record = Term.first("0", parties.get(0).id);
    parties.forEach(party -> look(party.index));
  }

  private PrimaryWorld(PrimaryWorld other) {
    scenario = other.scenario;
    protocol = other.protocol;
    leases = other.leases;
    scripts = other.scripts;
    cells = new PrimaryCells(other.cells);
    other.parties.forEach(party -> parties.add(party.copy()));
    flights.addAll(other.flights);
    record = other.record;
    decidedEpoch = other.decidedEpoch;
    now = other.now;
    losses = other.losses;
    lies = other.lies;
    handovers = other.handovers;
    ends = other.ends;
    learns = other.learns;
    judge = other.judge;
  }

  PrimaryWorld copy() {
    return new PrimaryWorld(this);
  }

  /** A party reads the record. */
  void look(int index) {
    PrimaryParty party = parties.get(index);
    boolean changed = !record.equals(party.seen);
    Term before = party.seen;
    boolean isSameStage =
        before != null && PrimaryParty.stage(before) == PrimaryParty.stage(record);
    party.stageSeenAt = isSameStage ? party.stageSeenAt : now;
    party.seen = record;
    party.seenAt = changed ? now : party.seenAt;
    party.trust = new Trust(record, now);
  }

  /** Puts another record in the place of this one. */
  void write(Term term) {
    boolean begins = term.active() && (!record.active() || term.epoch() > record.epoch());
    boolean becomesWhole = term.isWhole() && term.epoch() > decidedEpoch;
    record = term;
    decidedEpoch = becomesWhole ? term.epoch() : decidedEpoch;
    if (!scenario.copiesFirst()) {
      judge = becomesWhole ? PrimaryLosses.decided(this) : judge;
      judge = begins ? PrimaryLosses.failedOver(this) : judge;
    }
  }

  /** A party begins, or begins again, its next call under what it trusts. */
  void begin(int index) {
    PrimaryParty party = parties.get(index);
    Call call = scripts.get(index).get(party.next);
    boolean writes = call.kind() != 'g';
    Trust trust = Objects.requireNonNull(party.trust);
    boolean uncertain = party.uncertainEpoch == trust.term().epoch() && protocol.fences();
    Task task = !writes ? Task.READ : uncertain ? Task.FENCED_WRITE : Task.WRITE;
    long number = 10L * party.ids + 10;
    Sequences sequences = new Sequences(party.id, seen -> Math.max(seen, number) + 1);
    if (!party.called) {
      party.called = true;
      judge = judge.called(party.call());
    }
    Setting setting = setting(trust);
    Operation<Integer, Integer> operation =
        task == Task.WRITE
            ? protocol.write(setting, call, sequences, party.known)
            : protocol.operation(task, setting, call, sequences);
    party.known = task == Task.WRITE ? Known.nothing() : party.known;
    start(party, party.call(), trust, operation, 0);
  }

  /** A party learns what a site shows now. */
  void learn(int index, int site) {
    parties.get(index).learn(site, cells.show(site), scenario.sites());
    learns--;
  }

  void recover(int index) {
    PrimaryParty party = parties.get(index);
    Trust trust = Objects.requireNonNull(party.trust);
    Sequences none = new Sequences(party.id, seen -> seen + 1);
    start(
        party,
        PrimaryParty.RECOVERY,
        trust,
        protocol.operation(Task.RECOVER, setting(trust), Call.parse("g"), none),
        0);
  }

  private Setting setting(Trust trust) {
    return trust.term().setting(scenario.siteNames(), scenario.copiesFirst());
  }

  private void start(
      PrimaryParty party, int call, Trust trust, Operation<Integer, Integer> operation, int value) {
    Job job = new Job(party.ids++, call, operation, trust, value);
    party.jobs.add(job);
    send(party, job, operation.start());
  }

  private void send(PrimaryParty party, Job job, List<Request<Integer>> requests) {
    requests.forEach(request -> flights.add(new Flight(party.index, job.id(), request)));
    if (!party.over.contains(job)) {
      end(party, job);
    }
  }

  void resume(int index, int id) {
    PrimaryParty party = parties.get(index);
    Job job = Objects.requireNonNull(party.job(id));
    if (!isTooLate(party, job)) {
      send(party, job, job.operation().resume());
    }
  }

  void expire(int index, int id) {
    PrimaryParty party = parties.get(index);
    Job job = Objects.requireNonNull(party.job(id));
    ends--;
    job.operation().expire();
    end(party, job);
  }

  /** How a request ends. */
  enum Fate {
    ANSWERED,
    DENIED,
    ANSWER_LOST,
    GIVEN_UP
  }

  /** A request is performed and answered, or not. */
  void deliver(int number, Fate fate) {
    Flight flight = flights.get(number);
    Request<Integer> request = flight.request();
    PrimaryParty party = parties.get(flight.party());
    Job job = awaiting(flight);
    boolean swap = request instanceof Request.Swap;
    if (fate != Fate.GIVEN_UP || !swap) {
      flights.remove(number);
    }
    boolean done = fate != Fate.GIVEN_UP && cells.perform(request);
    losses -= fate == Fate.GIVEN_UP || fate == Fate.ANSWER_LOST ? 1 : 0;
    lies -= fate == Fate.DENIED ? 1 : 0;
    if (job == null) {
      return;
    }
    if (isTooLate(party, job)) {
      return;
    }
    int site = request.site();
    Operation<Integer, Integer> operation = job.operation();
    List<Request<Integer>> next;
    if (fate == Fate.GIVEN_UP || fate == Fate.ANSWER_LOST) {
      next = operation.onLost(site, request.tag());
    } else if (swap) {
      next = operation.onSwap(site, request.tag(), done && fate != Fate.DENIED);
    } else {
      next = operation.onRead(site, request.tag(), cells.show(site));
    }
    send(party, job, next);
  }

  /** Ends a job that may not go on with recovering the key; what it was for is begun again. */
  private boolean isTooLate(PrimaryParty party, Job job) {
    boolean may = scenario.copiesFirst() || leases.mayRecover(current(party, job), now);
    if (may || !job.operation().recovers()) {
      return false;
    }
    job.operation().expire();
    party.jobs.remove(job);
    party.over.add(job);
    return true;
  }

  /**
   * What can have no effect any more, and whose answer nobody waits for; and jobs that are over and
   * owed nothing.
   */
  void dropDead() {
    flights.removeIf(
        flight ->
            awaiting(flight) == null
                && !(flight.request() instanceof Request.Swap<Integer> swap && cells.takes(swap)));
    for (PrimaryParty party : parties) {
      party.over.removeIf(
          job -> flights.stream().noneMatch(flight -> job.equals(awaiting(flight))));
    }
  }

  /** The job that waits for the answer, under way or over. */
  @Nullable Job awaiting(Flight flight) {
    Job job = parties.get(flight.party()).job(flight.job());
    return job != null && job.operation().awaits(flight.request()) ? job : null;
  }

  private void end(PrimaryParty party, Job job) {
    Outcome<Integer, Integer> outcome = job.operation().outcome().orElse(null);
    if (outcome == null) {
      return;
    }
    party.jobs.remove(job);
    party.over.add(job);
    if (job.call() >= 0) {
      ended(party, job, outcome);
    } else if (!(outcome instanceof Outcome.Done)) {
      return;
    } else if (job.call() == PrimaryParty.COPYING) {
      party.window.removeIf(write -> write.value() == job.value());
    } else if (PrimaryParty.stage(record) == PrimaryParty.stage(job.trust().term())
        && record.active()) {
      boolean closes = !scenario.copiesFirst() && !record.isRecovered();
      write(closes ? record.recoveredFirst() : record.recovered());
    }
  }

  private void ended(PrimaryParty party, Job job, Outcome<Integer, Integer> outcome) {
    boolean writes = scripts.get(party.index).get(party.next).kind() != 'g';
    if (outcome instanceof Outcome.Done<Integer, Integer> done) {
      boolean holds =
          writes
              ? leases.mayAcknowledge(current(party, job), now)
              : leases.mayAnswer(current(party, job), now);
      if (holds) {
        judge = judge.returned(party.call(), done.result());
        acknowledged(party, job, done);
        next(party);
      } else if (writes && done.wrote()) {
        uncertain(party, job);
      } // else it is asked again under another lease
    } else if (outcome instanceof Outcome.Unknown) {
      uncertain(party, job);
    } else if (outcome instanceof Outcome.Refused) {
      judge = judge.refused(party.call());
      next(party);
    }
  }

  /** The trust of the job's epoch, renewed meanwhile. */
  private static Trust current(PrimaryParty party, Job job) {
    Trust renewed = party.trust;
    return renewed != null
            && renewed.term().active()
            && renewed.term().epoch() == job.trust().term().epoch()
        ? renewed
        : job.trust();
  }

  private void acknowledged(PrimaryParty party, Job job, Outcome.Done<Integer, Integer> done) {
    if (!done.wrote() || scenario.copiesFirst()) {
      return;
    }
    Integer value = Objects.requireNonNull(done.copy().value());
    party.acknowledged.add(value);
    if (protocol.reportsWindow()) {
      party.window.add(new Acknowledged(party.call(), value, job.trust().term().epoch()));
    }
    if (!scenario.cutOff()) {
      start(
          party,
          PrimaryParty.COPYING,
          job.trust(),
          protocol.copying(setting(job.trust()), done.copy()),
          value);
    }
  }

  private void uncertain(PrimaryParty party, Job job) {
    party.uncertainEpoch = job.trust().term().epoch();
    next(party);
  }

  private void next(PrimaryParty party) {
    party.next++;
    party.called = false;
  }

  long digest() {
    return PrimaryDigest.of(this);
  }
}

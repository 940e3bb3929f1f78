package io.ensemble.explore.primary;

import io.ensemble.explore.ScenarioCall;
import io.ensemble.explore.Transition;
import io.ensemble.explore.primary.PrimaryParticipant.PrimaryJob;
import io.ensemble.explore.primary.PrimaryScenarioState.RequestFate;
import io.ensemble.explore.primary.PrimaryScenarioState.RequestInFlight;
import io.ensemble.primary.LeasedTerm;
import io.ensemble.primary.PrimaryRequest;
import io.ensemble.primary.Term;
import io.ensemble.stamp.WriterId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The possible next steps in a {@link PrimaryScenarioState}. */
final class PrimarySteps {

  private final PrimaryScenarioState state;
  private final List<Transition<PrimaryScenarioState>> steps = new ArrayList<>();

  private PrimarySteps(PrimaryScenarioState state) {
    this.state = state;
  }

  static List<Transition<PrimaryScenarioState>> from(PrimaryScenarioState state) {
    PrimarySteps steps = new PrimarySteps(state);
    if (!steps.isOver()) {
      state.parties.forEach(steps::of);
      steps.messages();
      if (state.now < state.scenario.ticks()) {
        steps.add("a tick", next -> next.now++);
      }
    }
    return steps.steps;
  }

  /** Whether no call can return any more. */
  private boolean isOver() {
    return state.parties.stream()
        .allMatch(party -> party.next == state.scripts.get(party.index).size());
  }

  private void add(String what, Consumer<PrimaryScenarioState> change) {
    add(() -> what, change);
  }

  private void add(Supplier<String> name, Consumer<PrimaryScenarioState> change) {
    steps.add(Transition.of(name, state::copy, change.andThen(PrimaryScenarioState::dropDead)));
  }

  private void of(PrimaryParticipant party) {
    int index = party.index;
    LeasedTerm trust = Objects.requireNonNull(party.leasedTerm);
    boolean trusts = state.leases.holds(trust, state.now);
    boolean more = party.next < state.scripts.get(index).size();
    boolean writer = trusts && trust.term().writer().equals(party.id);
    if (trusts && more && !party.isBusy()) {
      ScenarioCall call = state.scripts.get(index).get(party.next);
      if (writer || call.kind() == 'g') {
        add("party " + index + " calls " + call, next -> next.begin(index));
      }
    }
    boolean recovers =
        party.jobs.stream().anyMatch(job -> job.call() == PrimaryParticipant.RECOVERY);
    boolean may =
        trusts
            && trust.term().equals(state.record)
            && (state.record.isRecovered()
                ? state.leases.mayClose(party.stageSeenAt, state.now)
                : state.leases.mayRecoverAll(party.stageSeenAt, state.now));
    if (may && !trust.term().isWhole() && !recovers && index == state.parties.size() - 1) {
      String does = state.record.isRecovered() ? " closes the term" : " recovers all";
      add("party " + index + does, next -> next.recover(index));
    }
    for (PrimaryJob job : party.jobs) {
      if (job.operation().isPaused()) {
        add("party " + index + " tries again", next -> next.resume(index, job.id()));
      }
      if (job.call() >= 0 && state.ends > 0) {
        add("party " + index + " times out", next -> next.expire(index, job.id()));
      }
    }
    if (!state.record.equals(trust.term()) || trust.sinceNanos() < state.now) {
      add("party " + index + " looks", next -> next.readRecord(index));
    }
    boolean writes =
        state.scripts.get(index).stream().skip(party.next).anyMatch(call -> call.kind() != 'g');
    for (int site = 0; state.learns > 0 && writes && site < state.scenario.sites(); site++) {
      int which = site;
      add("party " + index + " learns of " + site, next -> next.learn(index, which));
    }
    terms(party);
  }

  private void terms(PrimaryParticipant party) {
    int index = party.index;
    Term seen = party.seen;
    Term record = state.record;
    if (!record.equals(seen)) {
      return; // a compare-and-set from another record fails
    }
    if (!record.active()) {
      if (state.leases.hasOutwaited(party.seenAt, state.now)) {
        write("party " + index + " activates", index, record.activated());
      }
      return;
    }
    if (record.epoch() < state.scenario.epochs()) {
      String other = record.primary().equals("0") ? "1" : "0";
      boolean last = index == state.parties.size() - 1;
      write(
          "party " + index + " moves the primary to " + other,
          index,
          state.protocol.next(record, other, last ? record.writer() : party.id));
      if (record.writer().equals(WriterId.NONE)) {
        write("party " + index + " goes on as the writer", index, record.handedOver(party.id));
      } else if (!record.writer().equals(party.id)) {
        write(
            "party " + index + " takes over",
            index,
            state.protocol.next(record, record.primary(), party.id));
      }
    }
    if (record.writer().equals(party.id) && state.handovers > 0 && party.jobs.isEmpty()) {
      add(
          "party " + index + " releases its term",
          next -> {
            next.handovers--;
            next.write(record.released());
            next.readRecord(index);
          });
    }
  }

  private void write(String what, int index, Term term) {
    add(
        what,
        next -> {
          next.write(term);
          next.readRecord(index);
        });
  }

  private void messages() {
    for (int i = 0; i < state.requestsInFlight.size(); i++) {
      int number = i;
      RequestInFlight flight = state.requestsInFlight.get(i);
      PrimaryRequest<Integer> request = flight.request();
      boolean swap = request instanceof PrimaryRequest.Swap;
      boolean awaited = state.awaiting(flight) != null;
      if (!swap && !awaited) {
        continue;
      }
      Supplier<String> what = () -> "party " + flight.party() + " " + request;
      add(what, next -> next.deliver(number, RequestFate.ANSWERED));
      if (awaited && state.losses > 0) {
        add(() -> "timed out: " + what.get(), next -> next.deliver(number, RequestFate.TIMED_OUT));
        if (swap) {
          add(
              () -> "answer lost: " + what.get(),
              next -> next.deliver(number, RequestFate.ANSWER_LOST));
        }
      }
      if (awaited && swap && state.lies > 0) {
        add(() -> "denied: " + what.get(), next -> next.deliver(number, RequestFate.DENIED));
      }
    }
  }
}

package io.ensemble.explore.primary;

import io.ensemble.explore.ScenarioCall;
import io.ensemble.explore.Transition;
import io.ensemble.explore.primary.PrimaryParticipant.Job;
import io.ensemble.explore.primary.PrimaryScenarioState.Fate;
import io.ensemble.explore.primary.PrimaryScenarioState.Flight;
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

  private final PrimaryScenarioState world;
  private final List<Transition<PrimaryScenarioState>> steps = new ArrayList<>();

  private PrimarySteps(PrimaryScenarioState world) {
    this.world = world;
  }

  static List<Transition<PrimaryScenarioState>> from(PrimaryScenarioState world) {
    PrimarySteps steps = new PrimarySteps(world);
    if (!steps.isOver()) {
      world.parties.forEach(steps::of);
      steps.messages();
      if (world.now < world.scenario.ticks()) {
        steps.add("a tick", next -> next.now++);
      }
    }
    return steps.steps;
  }

  /** Whether no call can return any more. */
  private boolean isOver() {
    return world.parties.stream()
        .allMatch(party -> party.next == world.scripts.get(party.index).size());
  }

  private void add(String what, Consumer<PrimaryScenarioState> change) {
    add(() -> what, change);
  }

  private void add(Supplier<String> name, Consumer<PrimaryScenarioState> change) {
    steps.add(Transition.of(name, world::copy, change.andThen(PrimaryScenarioState::dropDead)));
  }

  private void of(PrimaryParticipant party) {
    int index = party.index;
    LeasedTerm trust = Objects.requireNonNull(party.trust);
    boolean trusts = world.leases.holds(trust, world.now);
    boolean more = party.next < world.scripts.get(index).size();
    boolean writer = trusts && trust.term().writer().equals(party.id);
    if (trusts && more && !party.isBusy()) {
      ScenarioCall call = world.scripts.get(index).get(party.next);
      if (writer || call.kind() == 'g') {
        add("party " + index + " calls " + call, next -> next.begin(index));
      }
    }
    boolean recovers =
        party.jobs.stream().anyMatch(job -> job.call() == PrimaryParticipant.RECOVERY);
    boolean may =
        trusts
            && trust.term().equals(world.record)
            && (world.record.isRecovered()
                ? world.leases.mayClose(party.stageSeenAt, world.now)
                : world.leases.mayRecoverAll(party.stageSeenAt, world.now));
    if (may && !trust.term().isWhole() && !recovers && index == world.parties.size() - 1) {
      String does = world.record.isRecovered() ? " closes the term" : " recovers all";
      add("party " + index + does, next -> next.recover(index));
    }
    for (Job job : party.jobs) {
      if (job.operation().isPaused()) {
        add("party " + index + " tries again", next -> next.resume(index, job.id()));
      }
      if (job.call() >= 0 && world.ends > 0) {
        add("party " + index + " times out", next -> next.expire(index, job.id()));
      }
    }
    if (!world.record.equals(trust.term()) || trust.sinceNanos() < world.now) {
      add("party " + index + " looks", next -> next.look(index));
    }
    boolean writes =
        world.scripts.get(index).stream().skip(party.next).anyMatch(call -> call.kind() != 'g');
    for (int site = 0; world.learns > 0 && writes && site < world.scenario.sites(); site++) {
      int which = site;
      add("party " + index + " learns of " + site, next -> next.learn(index, which));
    }
    terms(party);
  }

  private void terms(PrimaryParticipant party) {
    int index = party.index;
    Term seen = party.seen;
    Term record = world.record;
    if (!record.equals(seen)) {
      return; // a compare-and-set from another record fails
    }
    if (!record.active()) {
      if (world.leases.hasOutwaited(party.seenAt, world.now)) {
        write("party " + index + " activates", index, record.activated());
      }
      return;
    }
    if (record.epoch() < world.scenario.epochs()) {
      String other = record.primary().equals("0") ? "1" : "0";
      boolean last = index == world.parties.size() - 1;
      write(
          "party " + index + " moves the primary to " + other,
          index,
          world.protocol.next(record, other, last ? record.writer() : party.id));
      if (record.writer().equals(WriterId.NONE)) {
        write("party " + index + " goes on as the writer", index, record.handedOver(party.id));
      } else if (!record.writer().equals(party.id)) {
        write(
            "party " + index + " takes over",
            index,
            world.protocol.next(record, record.primary(), party.id));
      }
    }
    if (record.writer().equals(party.id) && world.handovers > 0 && party.jobs.isEmpty()) {
      add(
          "party " + index + " releases its term",
          next -> {
            next.handovers--;
            next.write(record.released());
            next.look(index);
          });
    }
  }

  private void write(String what, int index, Term term) {
    add(
        what,
        next -> {
          next.write(term);
          next.look(index);
        });
  }

  private void messages() {
    for (int i = 0; i < world.flights.size(); i++) {
      int number = i;
      Flight flight = world.flights.get(i);
      PrimaryRequest<Integer> request = flight.request();
      boolean swap = request instanceof PrimaryRequest.Swap;
      boolean awaited = world.awaiting(flight) != null;
      if (!swap && !awaited) {
        continue;
      }
      Supplier<String> what = () -> "party " + flight.party() + " " + request;
      add(what, next -> next.deliver(number, Fate.ANSWERED));
      if (awaited && world.losses > 0) {
        add(() -> "timed out: " + what.get(), next -> next.deliver(number, Fate.TIMED_OUT));
        if (swap) {
          add(() -> "answer lost: " + what.get(), next -> next.deliver(number, Fate.ANSWER_LOST));
        }
      }
      if (awaited && swap && world.lies > 0) {
        add(() -> "denied: " + what.get(), next -> next.deliver(number, Fate.DENIED));
      }
    }
  }
}

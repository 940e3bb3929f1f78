package io.ensemble.explore.change;

import io.ensemble.change.ChangeAction;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.change.ObsoleteStore;
import io.ensemble.explore.change.ChangeParticipants.SimulatedMover;
import io.ensemble.explore.change.ChangeScenarioState.DraftRequest;
import io.ensemble.quorum.Quorum;
import io.ensemble.register.Ballot;
import io.ensemble.register.BallotGenerator;
import io.ensemble.register.Cell;
import io.ensemble.register.RegisterOperation;
import io.ensemble.register.RegisterOutcome;
import io.ensemble.register.RivalPolicy;
import io.ensemble.register.Update;
import io.ensemble.stamp.WriterId;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/** The possible next steps of movers. */
final class MoverSteps {

  /** Records a step. */
  interface StepRecorder {
    void add(String what, Consumer<ChangeScenarioState> step);
  }

  private final ChangeScenarioState state;
  private final ConfigurationChange change;
  private final StepRecorder steps;

  private MoverSteps(ChangeScenarioState state, ConfigurationChange change, StepRecorder steps) {
    this.state = state;
    this.change = change;
    this.steps = steps;
  }

  static void add(ChangeScenarioState state, StepRecorder steps) {
    ConfigurationChange change = state.change;
    if (change == null) {
      return;
    }
    MoverSteps all = new MoverSteps(state, change, steps);
    if (state.takeovers > 0) {
      steps.add("another mover takes over", next -> takeOver(next, change));
    }
    if (state.mayRestart(change)) {
      steps.add("the change is restarted", next -> restart(next, change));
    }
    if (state.aborts > 0 && state.protocol.changeRules().canCancel(change.step())) {
      steps.add("the change is cancelled", next -> cancel(next, change));
    }
    state.carriers.forEach(all::addLateTakeover);
    // The next compare-and-set of the former owner fails. Its requests in flight continue.
    SimulatedMover owner = state.carriers.get(state.carriers.size() - 1);
    all.addOwnerSteps(owner.index, owner);
  }

  private static void takeOver(ChangeScenarioState next, ConfigurationChange change) {
    next.takeovers--;
    for (int i = 0; i < next.carriers.size(); i++) {
      next.copyMover(i).isDead = true;
    }
    boolean others = next.protocol.changeRules().takesOtherStores(change.step());
    Set<ObsoleteStore> former = new TreeSet<>();
    int generation = next.namedGeneration;
    if (others) {
      former.add(new ObsoleteStore("fresh", "" + next.namedGeneration));
      generation = ++next.namedGeneration;
      if (change.isInCutover()) { // Clients that look for stores find existing ones.
        next.stores.put(generation, Collections.nCopies(next.scenario.fresh(), Cell.absent()));
      }
    }
    int mover = next.carriers.size();
    next.change =
        change.takenOver(
            ChangeScenarioState.owner(mover),
            others ? next.lives(generation) : change.incarnations(),
            former);
    next.carriers.add(next.carrier(mover, generation));
  }

  private static void restart(ChangeScenarioState next, ConfigurationChange change) {
    int lost = next.namedGeneration;
    for (int i = 0; i < next.carriers.size(); i++) {
      next.copyMover(i).isDead = true;
    }
    next.abandoned = lost;
    int generation = ++next.namedGeneration;
    int mover = next.carriers.size();
    next.change =
        change.restarted(
            ChangeScenarioState.owner(mover),
            next.lives(generation),
            Set.of(new ObsoleteStore("fresh", "" + lost)));
    next.carriers.add(next.carrier(mover, generation));
  }

  /** Ends the abandoned stores that are there, and checks that the others are gone. */
  private static void fence(ChangeScenarioState next, int mover) {
    next.freshEnded |= next.sitesWithStores(next.abandoned);
    next.copyMover(mover).stateMachine.fenced(next.now);
  }

  private static void salvage(ChangeScenarioState next, int mover) {
    SimulatedMover carrier = next.copyMover(mover);
    int back = next.sitesWithStores(next.abandoned) & ~next.freshEnded;
    if (back != 0 && !next.protocol.changeRules().mayServeAgain(false)) {
      carrier.stateMachine.unfenced();
      return;
    }
    next.sealed = next.possibleValues(next.abandoned);
    Cell<Integer> top = next.lastAccepted(next.abandoned);
    if (top != null && !next.protocol.ignoresAbandonedStores()) {
      LazyMigrationSteps.perform(
          next,
          carrier.stores,
          80L + mover,
          next.protocol.takeover().takeover(top.content().value()));
    }
    carrier.stateMachine.salvaged();
  }

  private static void cancel(ChangeScenarioState next, ConfigurationChange change) {
    next.aborts--;
    next.switched = false;
    next.change =
        change.ending(
            ChangePhase.ABORTING, Set.of(new ObsoleteStore("fresh", "" + next.namedGeneration)));
  }

  private void addOwnerSteps(int mover, SimulatedMover carrier) {
    if (state.protocol.closesByRemoval() && change.step() == ChangePhase.SEALING) {
      addRemovalSteps(mover, carrier);
      return;
    }
    ChangeAction action = carrier.stateMachine.next(change, state.now);
    if (action instanceof ChangeAction.Make) {
      steps.add("the mover makes stores", next -> make(next, mover));
    } else if (action instanceof ChangeAction.Copy copy) {
      copy(mover, carrier, copy.last());
    } else if (action instanceof ChangeAction.TakeOver) {
      takeOver(mover, carrier);
    } else if (action instanceof ChangeAction.Seal seal) {
      for (int site : seal.sites()) {
        if (state.reaches(site)) {
          steps.add("the mover ends site " + site, next -> end(next, mover, site));
        }
      }
    } else if (action instanceof ChangeAction.Advance advance) {
      steps.add("the mover goes to " + advance.step(), next -> advance(next, advance.step()));
    } else if (action instanceof ChangeAction.Fence) {
      steps.add("the mover fences what is abandoned", next -> fence(next, mover));
    } else if (action instanceof ChangeAction.Salvage) {
      steps.add("the mover salvages what is left", next -> salvage(next, mover));
    } else if (action instanceof ChangeAction.Remove remove) {
      steps.add("the mover removes stores", next -> remove(next, mover, remove.remains()));
    } else if (action instanceof ChangeAction.Finish) {
      steps.add("the mover finishes", next -> next.change = null);
    }
  }

  private static void make(ChangeScenarioState next, int mover) {
    SimulatedMover carrier = next.copyMover(mover);
    next.stores.putIfAbsent(
        carrier.stores, Collections.nCopies(next.scenario.fresh(), Cell.absent()));
    carrier.stateMachine.made();
  }

  private static void end(ChangeScenarioState next, int mover, int site) {
    next.ended[site] = true;
    next.copyMover(mover).stateMachine.ended(site, next.now);
  }

  private static void advance(ChangeScenarioState next, ChangePhase step) {
    ConfigurationChange change = next.change;
    if (change == null) {
      throw new AssertionError("a step of a change");
    }
    if (step == ChangePhase.CLOSING) {
      next.switched = true;
      next.change =
          change.ending(ChangePhase.CLOSING, Set.of(new ObsoleteStore("former", "former")));
    } else {
      if (step == ChangePhase.CUTOVER && change.restarts() > 0) {
        next.monitor =
            next.monitor.mayReturnTo(next.sealed); // No client receives results from elsewhere now.
      }
      next.change = change.at(step);
    }
  }

  private static void remove(ChangeScenarioState next, int mover, Set<ObsoleteStore> remains) {
    for (ObsoleteStore one : remains) {
      if (one.site().equals("fresh")) {
        next.stores.remove(Integer.valueOf(one.store()));
        next.drafts.removeIf(draft -> draft.stores() == Integer.parseInt(one.store()));
      } else {
        for (int site = 0; site < next.removedFormer.length; site++) {
          next.removedFormer[site] |= next.reaches(site);
        }
      }
    }
    next.copyMover(mover).stateMachine.removed(remains);
  }

  /**
   * Reads the value of the cache, then writes it to each store that lacks it. The copy is complete
   * then.
   */
  private void copy(int mover, SimulatedMover carrier, boolean last) {
    if (carrier.hasReadValue) {
      put(mover, carrier, last);
    } else {
      addReads(mover, false);
    }
  }

  private void takeOver(int mover, SimulatedMover carrier) {
    if (carrier.hasReadValue) {
      steps.add("the mover takes over", next -> performTakeover(next, mover));
    } else {
      addReads(mover, true);
    }
  }

  private static void performTakeover(ChangeScenarioState next, int mover) {
    SimulatedMover carrier = next.copyMover(mover);
    Boolean done =
        LazyMigrationSteps.perform(
            next, carrier.stores, 70L + mover, next.protocol.takeover().takeover(carrier.value));
    if (done == null && !carrier.isDead && next.scenario.losses() > 0) {
      return; // It retries while it lives.
    }
    carrier.hasReadValue = false;
    carrier.joins = false;
    carrier.value = null;
    carrier.stateMachine.tookOver();
  }

  /**
   * A mover whose turn is over, or that wakes after the end, may still send the value that it has
   * read.
   */
  private void addLateTakeover(SimulatedMover carrier) {
    if (carrier.isDead && carrier.joins) {
      steps.add("a former mover takes over", next -> performTakeover(next, carrier.index));
    }
  }

  private void addReads(int mover, boolean joins) {
    for (int sites = 1; sites < 1 << state.scenario.sites(); sites++) {
      if (Integer.bitCount(sites) >= state.majority() && reachesAll(sites)) {
        int chosen = sites;
        steps.add(
            "the mover reads sites " + Integer.toBinaryString(chosen),
            next -> read(next, mover, chosen, joins));
      }
    }
  }

  private boolean reachesAll(int sites) {
    for (int site = 0; site < state.scenario.sites(); site++) {
      if ((sites >> site & 1) == 1 && !state.reaches(site)) {
        return false;
      }
    }
    return true;
  }

  private static void read(ChangeScenarioState next, int mover, int sites, boolean joins) {
    BallotGenerator ballots = new BallotGenerator(new WriterId(0, 40L + mover), round -> round + 1);
    boolean[] reached = new boolean[next.scenario.sites()];
    for (int site = 0; site < reached.length; site++) {
      reached[site] = (sites >> site & 1) == 1;
    }
    RegisterOperation<Integer, Integer> read =
        RegisterOperation.of(
            new Quorum(next.scenario.sites()),
            ballots,
            Update.read(),
            Ballot.ZERO,
            Optional.empty(),
            RivalPolicy.IMMEDIATE);
    if (ChangeScenarioState.drive(read, next.former, reached)
        instanceof RegisterOutcome.Done<Integer, Integer> done) {
      SimulatedMover carrier = next.copyMover(mover);
      carrier.hasReadValue = true;
      carrier.joins = joins;
      carrier.value = done.result();
    }
  }

  private void put(int mover, SimulatedMover carrier, boolean last) {
    List<Cell<Integer>> cells = state.stores.get(carrier.stores);
    if (cells == null) {
      return;
    }
    boolean done = true;
    for (int site = 0; site < cells.size(); site++) {
      Cell<Integer> there = cells.get(site);
      boolean right =
          carrier.value == null
              ? there.content().value() == null
              : there.equals(ChangeScenarioState.seedCell(carrier.value));
      done &= right;
      DraftRequest draft =
          new DraftRequest(
              mover, carrier.stores, site, there, ChangeScenarioState.seedCell(carrier.value));
      if (!right && state.drafts.stream().noneMatch(draft::equals)) {
        steps.add("the mover sends a draft", next -> next.drafts.add(draft));
      }
    }
    if (done && state.drafts.stream().noneMatch(one -> one.mover() == mover)) {
      steps.add(
          "the mover has copied",
          next -> {
            SimulatedMover own = next.copyMover(mover);
            own.hasReadValue = false;
            own.value = null;
            own.stateMachine.copied(last);
          });
    }
  }

  /** The rest is copied after each removal. */
  private void addRemovalSteps(int mover, SimulatedMover carrier) {
    int left = 0;
    for (boolean gone : state.removedFormer) {
      left += gone ? 0 : 1;
    }
    if (carrier.hasReadValue) {
      put(mover, carrier, true);
    } else if (carrier.removals == 1) {
      steps.add("the mover sweeps", next -> sweep(next, mover));
    } else if (left < state.majority()) {
      steps.add("the mover goes to CLOSING", next -> advance(next, ChangePhase.CLOSING));
    } else {
      for (int site = 0; site < state.removedFormer.length; site++) {
        int chosenSite = site;
        if (state.reaches(site)) {
          steps.add(
              "the mover removes site " + site,
              next -> {
                next.removedFormer[chosenSite] = true;
                next.copyMover(mover).removals = 1;
              });
        }
      }
    }
  }

  private static void sweep(ChangeScenarioState next, int mover) {
    SimulatedMover carrier = next.copyMover(mover);
    carrier.removals = 2;
    Cell<Integer> top = Cell.absent();
    boolean any = false;
    for (int site = 0; site < next.removedFormer.length; site++) {
      if (next.reaches(site)) {
        any = true;
        Cell<Integer> cell = next.former.get(site);
        top = cell.accepted().compareTo(top.accepted()) > 0 ? cell : top;
      }
    }
    carrier.hasReadValue = any;
    carrier.value = any ? top.content().value() : null;
  }
}

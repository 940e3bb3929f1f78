package io.ensemble.explore.change;

import io.ensemble.change.ChangeAction;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.change.ObsoleteStore;
import io.ensemble.explore.change.ChangeParticipants.Carrier;
import io.ensemble.explore.change.ChangeScenarioState.Draft;
import io.ensemble.quorum.Quorum;
import io.ensemble.register.Ballot;
import io.ensemble.register.BallotGenerator;
import io.ensemble.register.Cell;
import io.ensemble.register.RegisterOperation;
import io.ensemble.register.RegisterOutcome;
import io.ensemble.register.Update;
import io.ensemble.stamp.WriterId;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/** The possible next steps of movers. */
final class MoverSteps {

  /** Records a step. */
  interface Steps {
    void add(String what, Consumer<ChangeScenarioState> step);
  }

  private final ChangeScenarioState world;
  private final ConfigurationChange change;
  private final Steps steps;

  private MoverSteps(ChangeScenarioState world, ConfigurationChange change, Steps steps) {
    this.world = world;
    this.change = change;
    this.steps = steps;
  }

  static void add(ChangeScenarioState world, Steps steps) {
    ConfigurationChange change = world.change;
    if (change == null) {
      return;
    }
    MoverSteps all = new MoverSteps(world, change, steps);
    if (world.takeovers > 0) {
      steps.add("another mover takes over", next -> takeOver(next, change));
    }
    if (world.mayRestart(change)) {
      steps.add("the change is restarted", next -> restart(next, change));
    }
    if (world.aborts > 0 && world.protocol.change().canCancel(change.step())) {
      steps.add("the change is cancelled", next -> cancel(next, change));
    }
    world.carriers.forEach(all::late);
    // The next compare-and-set of the former owner fails. Its requests in flight continue.
    Carrier owner = world.carriers.get(world.carriers.size() - 1);
    all.owner(owner.index, owner);
  }

  private static void takeOver(ChangeScenarioState next, ConfigurationChange change) {
    next.takeovers--;
    for (int i = 0; i < next.carriers.size(); i++) {
      next.ownCarrier(i).dead = true;
    }
    boolean others = next.protocol.change().takesOtherStores(change.step());
    Set<ObsoleteStore> former = new TreeSet<>();
    int generation = next.named;
    if (others) {
      former.add(new ObsoleteStore("fresh", "" + next.named));
      generation = ++next.named;
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
    int lost = next.named;
    for (int i = 0; i < next.carriers.size(); i++) {
      next.ownCarrier(i).dead = true;
    }
    next.abandoned = lost;
    int generation = ++next.named;
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
    next.freshEnded |= next.there(next.abandoned);
    next.ownCarrier(mover).course.fenced(next.now);
  }

  private static void salvage(ChangeScenarioState next, int mover) {
    Carrier carrier = next.ownCarrier(mover);
    int back = next.there(next.abandoned) & ~next.freshEnded;
    if (back != 0 && !next.protocol.change().mayServeAgain(false)) {
      carrier.course.unfenced();
      return;
    }
    next.sealed = next.left(next.abandoned);
    Cell<Integer> top = next.top(next.abandoned);
    if (top != null && !next.protocol.salvagesNothing()) {
      LazyMigrationSteps.perform(
          next,
          carrier.stores,
          80L + mover,
          next.protocol.takeover().takeover(top.content().value()));
    }
    carrier.course.salvaged();
  }

  private static void cancel(ChangeScenarioState next, ConfigurationChange change) {
    next.aborts--;
    next.switched = false;
    next.change =
        change.ending(ChangePhase.ABORTING, Set.of(new ObsoleteStore("fresh", "" + next.named)));
  }

  private void owner(int mover, Carrier carrier) {
    if (world.protocol.closesByRemoval() && change.step() == ChangePhase.SEALING) {
      byRemoval(mover, carrier);
      return;
    }
    ChangeAction errand = carrier.course.next(change, world.now);
    if (errand instanceof ChangeAction.Make) {
      steps.add("the mover makes stores", next -> make(next, mover));
    } else if (errand instanceof ChangeAction.Copy copy) {
      copy(mover, carrier, copy.last());
    } else if (errand instanceof ChangeAction.TakeOver) {
      takeOver(mover, carrier);
    } else if (errand instanceof ChangeAction.Seal seal) {
      for (int site : seal.sites()) {
        if (world.reaches(site)) {
          steps.add("the mover ends site " + site, next -> end(next, mover, site));
        }
      }
    } else if (errand instanceof ChangeAction.Advance advance) {
      steps.add("the mover goes to " + advance.step(), next -> advance(next, advance.step()));
    } else if (errand instanceof ChangeAction.Fence) {
      steps.add("the mover fences what is abandoned", next -> fence(next, mover));
    } else if (errand instanceof ChangeAction.Salvage) {
      steps.add("the mover salvages what is left", next -> salvage(next, mover));
    } else if (errand instanceof ChangeAction.Remove remove) {
      steps.add("the mover removes stores", next -> remove(next, mover, remove.remains()));
    } else if (errand instanceof ChangeAction.Finish) {
      steps.add("the mover finishes", next -> next.change = null);
    }
  }

  private static void make(ChangeScenarioState next, int mover) {
    Carrier carrier = next.ownCarrier(mover);
    next.stores.putIfAbsent(
        carrier.stores, Collections.nCopies(next.scenario.fresh(), Cell.absent()));
    carrier.course.made();
  }

  private static void end(ChangeScenarioState next, int mover, int site) {
    next.ended[site] = true;
    next.ownCarrier(mover).course.ended(site, next.now);
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
        next.judge =
            next.judge.mayReturnTo(next.sealed); // No client receives results from elsewhere now.
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
        for (int site = 0; site < next.gone.length; site++) {
          next.gone[site] |= next.reaches(site);
        }
      }
    }
    next.ownCarrier(mover).course.removed(remains);
  }

  /**
   * Reads the value of the cache, then writes it to each store that lacks it. The copy is complete
   * then.
   */
  private void copy(int mover, Carrier carrier, boolean last) {
    if (carrier.carries) {
      put(mover, carrier, last);
    } else {
      readSome(mover, false);
    }
  }

  private void takeOver(int mover, Carrier carrier) {
    if (carrier.carries) {
      steps.add("the mover takes over", next -> takenOver(next, mover));
    } else {
      readSome(mover, true);
    }
  }

  private static void takenOver(ChangeScenarioState next, int mover) {
    Carrier carrier = next.ownCarrier(mover);
    Boolean done =
        LazyMigrationSteps.perform(
            next, carrier.stores, 70L + mover, next.protocol.takeover().takeover(carrier.value));
    if (done == null && !carrier.dead && next.scenario.losses() > 0) {
      return; // It retries while it lives.
    }
    carrier.carries = false;
    carrier.joins = false;
    carrier.value = null;
    carrier.course.tookOver();
  }

  /**
   * A mover whose turn is over, or that wakes after the end, may still send the value that it has
   * read.
   */
  private void late(Carrier carrier) {
    if (carrier.dead && carrier.joins) {
      steps.add("a former mover takes over", next -> takenOver(next, carrier.index));
    }
  }

  private void readSome(int mover, boolean joins) {
    for (int sites = 1; sites < 1 << world.scenario.sites(); sites++) {
      if (Integer.bitCount(sites) >= world.majority() && reachesAll(sites)) {
        int chosen = sites;
        steps.add(
            "the mover reads sites " + Integer.toBinaryString(chosen),
            next -> read(next, mover, chosen, joins));
      }
    }
  }

  private boolean reachesAll(int sites) {
    for (int site = 0; site < world.scenario.sites(); site++) {
      if ((sites >> site & 1) == 1 && !world.reaches(site)) {
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
            new Quorum(next.scenario.sites()), ballots, Update.read(), Ballot.ZERO);
    if (ChangeScenarioState.drive(read, next.former, reached)
        instanceof RegisterOutcome.Done<Integer, Integer> done) {
      Carrier carrier = next.ownCarrier(mover);
      carrier.carries = true;
      carrier.joins = joins;
      carrier.value = done.result();
    }
  }

  private void put(int mover, Carrier carrier, boolean last) {
    List<Cell<Integer>> cells = world.stores.get(carrier.stores);
    if (cells == null) {
      return;
    }
    boolean done = true;
    for (int site = 0; site < cells.size(); site++) {
      Cell<Integer> there = cells.get(site);
      boolean right =
          carrier.value == null
              ? there.content().value() == null
              : there.equals(ChangeScenarioState.draft(carrier.value));
      done &= right;
      Draft draft =
          new Draft(mover, carrier.stores, site, there, ChangeScenarioState.draft(carrier.value));
      if (!right && world.drafts.stream().noneMatch(draft::equals)) {
        steps.add("the mover sends a draft", next -> next.drafts.add(draft));
      }
    }
    if (done && world.drafts.stream().noneMatch(one -> one.mover() == mover)) {
      steps.add(
          "the mover has copied",
          next -> {
            Carrier own = next.ownCarrier(mover);
            own.carries = false;
            own.value = null;
            own.course.copied(last);
          });
    }
  }

  /** The rest is copied after each removal. */
  private void byRemoval(int mover, Carrier carrier) {
    int left = 0;
    for (boolean gone : world.gone) {
      left += gone ? 0 : 1;
    }
    if (carrier.carries) {
      put(mover, carrier, true);
    } else if (carrier.removals == 1) {
      steps.add("the mover sweeps", next -> sweep(next, mover));
    } else if (left < world.majority()) {
      steps.add("the mover goes to CLOSING", next -> advance(next, ChangePhase.CLOSING));
    } else {
      for (int site = 0; site < world.gone.length; site++) {
        int which = site;
        if (world.reaches(site)) {
          steps.add(
              "the mover removes site " + site,
              next -> {
                next.gone[which] = true;
                next.ownCarrier(mover).removals = 1;
              });
        }
      }
    }
  }

  private static void sweep(ChangeScenarioState next, int mover) {
    Carrier carrier = next.ownCarrier(mover);
    carrier.removals = 2;
    Cell<Integer> top = Cell.absent();
    boolean any = false;
    for (int site = 0; site < next.gone.length; site++) {
      if (next.reaches(site)) {
        any = true;
        Cell<Integer> cell = next.former.get(site);
        top = cell.accepted().compareTo(top.accepted()) > 0 ? cell : top;
      }
    }
    carrier.carries = any;
    carrier.value = any ? top.content().value() : null;
  }
}

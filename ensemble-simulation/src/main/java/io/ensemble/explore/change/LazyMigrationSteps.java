package io.ensemble.explore.change;

import io.ensemble.explore.change.ChangeParticipants.ChangeClient;
import io.ensemble.explore.change.ChangeParticipants.TakeoverStep;
import io.ensemble.explore.change.MoverSteps.StepRecorder;
import io.ensemble.quorum.Quorum;
import io.ensemble.register.Ballot;
import io.ensemble.register.BallotGenerator;
import io.ensemble.register.Cell;
import io.ensemble.register.RegisterOperation;
import io.ensemble.register.RegisterOutcome;
import io.ensemble.register.RivalPolicy;
import io.ensemble.register.Update;
import io.ensemble.stamp.WriterId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The possible next steps of a client in a configuration that takes keys over: ask whether the key
 * was taken over, read it in the former configuration, take it over, and call. Between any two
 * steps the client may sleep, and the new configuration may have come to serve alone. Operations of
 * the new configuration are those of a register like any other, and need no interleaving.
 */
final class LazyMigrationSteps {

  private final ChangeScenarioState state;
  private final ChangeClient user;
  private final StepRecorder steps;

  private LazyMigrationSteps(ChangeScenarioState state, ChangeClient user, StepRecorder steps) {
    this.state = state;
    this.user = user;
    this.steps = steps;
  }

  static void add(ChangeScenarioState state, ChangeClient user, String name, StepRecorder steps) {
    new LazyMigrationSteps(state, user, steps).add(name);
  }

  private void add(String name) {
    int index = user.index;
    if (state.scenario.losses() > 0 && user.stores != state.namedGeneration) {
      boolean serves = state.switched || (state.change != null && state.change.isInCutover());
      if (serves) {
        steps.add(
            name + " learns of the restart",
            next -> ChangeSteps.followAgain(next, next.copyUser(index)));
      }
      if (!state.stores.containsKey(user.stores)) {
        return;
      }
    } else if (state.switched) {
      steps.add(name + " learns that all are taken over", next -> readRecord(next.copyUser(index)));
    }
    List<Cell<Integer>> cells = state.stores.get(user.stores);
    if (cells == null) {
      steps.add(
          name + " looks for other stores",
          next -> next.copyUser(index).stores = next.namedGeneration);
      return;
    }
    addPurge(cells.get(0));
    switch (user.takeover) {
      case NONE -> {
        if (user.next < state.scripts.get(index).size()) {
          steps.add(
              name + " begins " + state.call(user), next -> begin(next, next.copyUser(index)));
        }
      }
      case READS_FORMER -> addFormerReads(name);
      case TAKES_OVER ->
          steps.add(name + " takes over", next -> takeOver(next, next.copyUser(index)));
      case CALLS -> steps.add(name + " calls", next -> perform(next, next.copyUser(index)));
      case ANSWERS -> {
        if (state.protocol.leaseRules().mayAnswer(user.lease, state.now)) {
          steps.add(name + " answers", next -> answer(next, next.copyUser(index)));
        }
        steps.add(name + " drops its answer", next -> dropAnswer(next.copyUser(index)));
      }
    }
  }

  private static void answer(ChangeScenarioState next, ChangeClient user) {
    end(next, user, user.answer);
  }

  private static void dropAnswer(ChangeClient user) {
    user.former = null;
    user.answer = null;
    user.takeover = TakeoverStep.NONE;
    user.next++;
  }

  private static void readRecord(ChangeClient user) {
    user.joinsCutover = user.takeover != TakeoverStep.NONE;
    if (user.joinsCutover && user.takeover != TakeoverStep.ANSWERS) {
      user.takeover = TakeoverStep.CALLS;
      user.former = null;
    }
  }

  private static void begin(ChangeScenarioState next, ChangeClient user) {
    next.monitor = next.monitor.called(user.call());
    boolean taken =
        Boolean.TRUE.equals(
            perform(next, user.stores, 60L + user.index, next.protocol.takeover().question()));
    user.takeover = taken ? TakeoverStep.CALLS : TakeoverStep.READS_FORMER;
  }

  private void addFormerReads(String name) {
    int index = user.index;
    for (int sites = 1; sites < 1 << state.scenario.sites(); sites++) {
      if (Integer.bitCount(sites) == state.majority() && haveStores(sites)) {
        int chosen = sites;
        steps.add(
            name + " reads former sites " + Integer.toBinaryString(chosen),
            next -> read(next, next.copyUser(index), chosen));
      }
    }
  }

  private boolean haveStores(int sites) {
    for (int site = 0; site < state.removedFormer.length; site++) {
      if ((sites >> site & 1) == 1 && state.removedFormer[site]) {
        return false;
      }
    }
    return true;
  }

  private static void read(ChangeScenarioState next, ChangeClient user, int sites) {
    boolean[] reached = new boolean[next.scenario.sites()];
    for (int site = 0; site < reached.length; site++) {
      reached[site] = (sites >> site & 1) == 1;
    }
    BallotGenerator ballots =
        new BallotGenerator(new WriterId(0, 60L + user.index), round -> round + 1);
    RegisterOperation<Integer, Integer> read =
        RegisterOperation.of(
            new Quorum(reached.length),
            ballots,
            Update.read(),
            Ballot.ZERO,
            Optional.empty(),
            RivalPolicy.IMMEDIATE);
    if (ChangeScenarioState.drive(read, next.former, reached)
        instanceof RegisterOutcome.Done<Integer, Integer> done) {
      user.former = done.result();
      user.takeover = TakeoverStep.TAKES_OVER;
      if (next.protocol.readsWithoutTakeover() && next.call(user).kind() == 'g') {
        end(next, user, done.result());
      }
    }
  }

  private static void takeOver(ChangeScenarioState next, ChangeClient user) {
    Boolean done =
        perform(
            next, user.stores, 60L + user.index, next.protocol.takeover().takeover(user.former));
    if (done == null && user.leasesFresh) {
      return; // Too few sites: it retries.
    }
    user.former = null;
    user.takeover = TakeoverStep.CALLS;
  }

  /** Performs the call that the client has begun, in the new configuration. */
  static void perform(ChangeScenarioState next, ChangeClient user) {
    List<Cell<Integer>> cells = new ArrayList<>(next.stores.get(user.stores));
    RegisterOutcome<Integer, Integer> outcome =
        ChangeScenarioState.drive(
            next.operation(user, cells.size()), cells, reached(next, user.stores, cells.size()));
    next.stores.put(user.stores, cells);
    if (user.leasesFresh && user.joinsCutover) {
      if (outcome instanceof RegisterOutcome.Done<Integer, Integer> done
          && !next.protocol.leaseRules().mayAnswer(user.lease, next.now)) {
        user.answer = done.result();
        user.takeover = TakeoverStep.ANSWERS;
        return;
      }
    }
    if (outcome instanceof RegisterOutcome.Done<Integer, Integer> done) {
      end(next, user, done.result());
    }
  }

  private static void end(ChangeScenarioState next, ChangeClient user, @Nullable Integer result) {
    next.monitor = next.monitor.returned(user.call(), result);
    user.former = null;
    user.answer = null;
    user.takeover = TakeoverStep.NONE;
    user.next++;
  }

  /** Performs one step of a register in new stores, for a client or a mover. */
  static <R> @Nullable R perform(
      ChangeScenarioState next, int stores, long writer, Update<Integer, R> update) {
    List<Cell<Integer>> there = next.stores.get(stores);
    if (there == null) {
      return null;
    }
    List<Cell<Integer>> cells = new ArrayList<>(there);
    BallotGenerator ballots =
        new BallotGenerator(new WriterId(0, writer), round -> round + 20 + writer);
    RegisterOperation<Integer, R> operation =
        RegisterOperation.of(
            new Quorum(cells.size()),
            ballots,
            update,
            Ballot.ZERO,
            Optional.empty(),
            RivalPolicy.IMMEDIATE);
    R result =
        ChangeScenarioState.drive(operation, cells, reached(next, stores, cells.size()))
                instanceof RegisterOutcome.Done<Integer, R> done
            ? done.result()
            : null;
    next.stores.put(stores, cells);
    return result;
  }

  private static boolean[] reached(ChangeScenarioState state, int generation, int sites) {
    int there = state.sitesWithStores(generation);
    boolean[] reached = new boolean[sites];
    for (int site = 0; site < sites; site++) {
      reached[site] = (there >> site & 1) == 1;
    }
    return reached;
  }

  private void addPurge(Cell<Integer> first) {
    if (state.protocol.purgesDuringCutover()
        && state.protocol.takeover().isTaken(first.content())
        && first.content().value() == null) {
      int stores = user.stores;
      steps.add(
          "the new stores forget a removed key",
          next ->
              next.stores.put(stores, Collections.nCopies(next.scenario.fresh(), Cell.absent())));
    }
  }
}

package io.ensemble.explore.change;

import io.ensemble.explore.change.ChangeParticipants.Takeover;
import io.ensemble.explore.change.ChangeParticipants.User;
import io.ensemble.explore.change.MoverSteps.Steps;
import io.ensemble.quorum.Quorum;
import io.ensemble.register.Ballot;
import io.ensemble.register.BallotGenerator;
import io.ensemble.register.Cell;
import io.ensemble.register.RegisterOperation;
import io.ensemble.register.RegisterOutcome;
import io.ensemble.register.Update;
import io.ensemble.stamp.WriterId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The possible next steps of a client in a configuration that takes keys over: ask whether the key
 * was taken over, read it in the former configuration, take it over, and call. Between any two
 * steps the client may sleep, and the new configuration may have come to serve alone. Operations of
 * the new configuration are those of a register like any other, and need no interleaving.
 */
final class LazyMigrationSteps {

  private final ChangeScenarioState world;
  private final User user;
  private final Steps steps;

  private LazyMigrationSteps(ChangeScenarioState world, User user, Steps steps) {
    this.world = world;
    this.user = user;
    this.steps = steps;
  }

  static void add(ChangeScenarioState world, User user, String who, Steps steps) {
    new LazyMigrationSteps(world, user, steps).add(who);
  }

  private void add(String who) {
    int index = user.index;
    if (world.scenario.losses() > 0 && user.stores != world.named) {
      boolean serves = world.switched || (world.change != null && world.change.isInCutover());
      if (serves) {
        steps.add(
            who + " learns of the restart", next -> ChangeSteps.followAgain(next, next.own(index)));
      }
      if (!world.stores.containsKey(user.stores)) {
        return;
      }
    } else if (world.switched) {
      steps.add(who + " learns that all are taken over", next -> learn(next.own(index)));
    }
    List<Cell<Integer>> cells = world.stores.get(user.stores);
    if (cells == null) {
      steps.add(who + " looks for other stores", next -> next.own(index).stores = next.named);
      return;
    }
    forget(cells.get(0));
    switch (user.takeover) {
      case NONE -> {
        if (user.next < world.scripts.get(index).size()) {
          steps.add(who + " begins " + world.call(user), next -> begin(next, next.own(index)));
        }
      }
      case READS_FORMER -> readSome(who);
      case TAKES_OVER -> steps.add(who + " takes over", next -> takeOver(next, next.own(index)));
      case CALLS -> steps.add(who + " calls", next -> perform(next, next.own(index)));
      case ANSWERS -> {
        if (world.protocol.trust().mayAnswer(user.trust, world.now)) {
          steps.add(who + " answers", next -> answer(next, next.own(index)));
        }
        steps.add(who + " drops its answer", next -> dropAnswer(next.own(index)));
      }
    }
  }

  private static void answer(ChangeScenarioState next, User user) {
    end(next, user, user.answer);
  }

  private static void dropAnswer(User user) {
    user.former = null;
    user.answer = null;
    user.takeover = Takeover.NONE;
    user.next++;
  }

  private static void learn(User user) {
    user.joins = user.takeover != Takeover.NONE;
    if (user.joins && user.takeover != Takeover.ANSWERS) {
      user.takeover = Takeover.CALLS;
      user.former = null;
    }
  }

  private static void begin(ChangeScenarioState next, User user) {
    next.judge = next.judge.called(user.call());
    boolean taken =
        Boolean.TRUE.equals(
            perform(next, user.stores, 60L + user.index, next.protocol.takeover().question()));
    user.takeover = taken ? Takeover.CALLS : Takeover.READS_FORMER;
  }

  private void readSome(String who) {
    int index = user.index;
    for (int sites = 1; sites < 1 << world.scenario.sites(); sites++) {
      if (Integer.bitCount(sites) == world.majority() && areThere(sites)) {
        int chosen = sites;
        steps.add(
            who + " reads former sites " + Integer.toBinaryString(chosen),
            next -> read(next, next.own(index), chosen));
      }
    }
  }

  private boolean areThere(int sites) {
    for (int site = 0; site < world.gone.length; site++) {
      if ((sites >> site & 1) == 1 && world.gone[site]) {
        return false;
      }
    }
    return true;
  }

  private static void read(ChangeScenarioState next, User user, int sites) {
    boolean[] reached = new boolean[next.scenario.sites()];
    for (int site = 0; site < reached.length; site++) {
      reached[site] = (sites >> site & 1) == 1;
    }
    BallotGenerator ballots =
        new BallotGenerator(new WriterId(0, 60L + user.index), round -> round + 1);
    RegisterOperation<Integer, Integer> read =
        RegisterOperation.of(new Quorum(reached.length), ballots, Update.read(), Ballot.ZERO);
    if (ChangeScenarioState.drive(read, next.former, reached)
        instanceof RegisterOutcome.Done<Integer, Integer> done) {
      user.former = done.result();
      user.takeover = Takeover.TAKES_OVER;
      if (next.protocol.readsInPassing() && next.call(user).kind() == 'g') {
        end(next, user, done.result());
      }
    }
  }

  private static void takeOver(ChangeScenarioState next, User user) {
    Boolean done =
        perform(
            next, user.stores, 60L + user.index, next.protocol.takeover().takeover(user.former));
    if (done == null && user.trustsFresh) {
      return; // Too few sites: it retries.
    }
    user.former = null;
    user.takeover = Takeover.CALLS;
  }

  /** Performs the call that the client has begun, in the new configuration. */
  static void perform(ChangeScenarioState next, User user) {
    List<Cell<Integer>> cells = new ArrayList<>(next.stores.get(user.stores));
    RegisterOutcome<Integer, Integer> outcome =
        ChangeScenarioState.drive(
            next.operation(user, cells.size()), cells, reached(next, user.stores, cells.size()));
    next.stores.put(user.stores, cells);
    if (user.trustsFresh && user.joins) {
      if (outcome instanceof RegisterOutcome.Done<Integer, Integer> done
          && !next.protocol.trust().mayAnswer(user.trust, next.now)) {
        user.answer = done.result();
        user.takeover = Takeover.ANSWERS;
        return;
      }
    }
    if (outcome instanceof RegisterOutcome.Done<Integer, Integer> done) {
      end(next, user, done.result());
    }
  }

  private static void end(ChangeScenarioState next, User user, @Nullable Integer result) {
    next.judge = next.judge.returned(user.call(), result);
    user.former = null;
    user.answer = null;
    user.takeover = Takeover.NONE;
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
        RegisterOperation.of(new Quorum(cells.size()), ballots, update, Ballot.ZERO);
    R result =
        ChangeScenarioState.drive(operation, cells, reached(next, stores, cells.size()))
                instanceof RegisterOutcome.Done<Integer, R> done
            ? done.result()
            : null;
    next.stores.put(stores, cells);
    return result;
  }

  private static boolean[] reached(ChangeScenarioState world, int generation, int sites) {
    int there = world.there(generation);
    boolean[] reached = new boolean[sites];
    for (int site = 0; site < sites; site++) {
      reached[site] = (there >> site & 1) == 1;
    }
    return reached;
  }

  private void forget(Cell<Integer> first) {
    if (world.protocol.forgetsDuringCutover()
        && world.protocol.takeover().isTaken(first.content())
        && first.content().value() == null) {
      int stores = user.stores;
      steps.add(
          "the new stores forget a removed key",
          next ->
              next.stores.put(stores, Collections.nCopies(next.scenario.fresh(), Cell.absent())));
    }
  }
}

package io.ensemble.explore.change;

import io.ensemble.explore.Message;
import io.ensemble.explore.Transition;
import io.ensemble.explore.change.ChangeParticipants.User;
import io.ensemble.explore.change.ChangeScenarioState.Draft;
import io.ensemble.register.Cell;
import io.ensemble.register.RegisterOperation;
import io.ensemble.register.RegisterRequest;
import io.ensemble.register.VersionedCell;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The possible next steps in a change: one request of a client is performed and answered, a
 * question is asked or its response received, a draft is performed, a mover takes a step, or the
 * clock ticks.
 */
final class ChangeSteps {

  private final ChangeScenarioState world;
  private final List<Transition<ChangeScenarioState>> steps = new ArrayList<>();

  private ChangeSteps(ChangeScenarioState world) {
    this.world = world;
  }

  static List<Transition<ChangeScenarioState>> from(ChangeScenarioState world) {
    ChangeSteps steps = new ChangeSteps(world);
    if (world.now < world.scenario.ticks()) {
      steps.add("tick", next -> next.now++);
    }
    world.users.forEach(steps::user);
    steps.messages();
    steps.drafts();
    steps.losses();
    MoverSteps.add(world, steps::add);
    return steps.steps;
  }

  private void add(String what, Consumer<ChangeScenarioState> change) {
    add(() -> what, change);
  }

  private void add(Supplier<String> name, Consumer<ChangeScenarioState> change) {
    steps.add(Transition.of(name, world::copy, change));
  }

  private void user(User user) {
    int index = user.index;
    String who = "client " + index;
    if (!user.follows) {
      ask(user, who);
    } else if (user.trustsFresh && user.joins) {
      askFresh(user, who);
    }
    RegisterOperation<Integer, Integer> operation = user.operation;
    if (operation == null) {
      idle(user, who);
      return;
    }
    if (operation.outcome().isPresent()) {
      // The outcome is there, and may not be returned unless the next response allows it.
      add(who + " drops its answer", next -> next.finish(next.own(index)));
      return;
    }
    if (!world.protocol.trust().mayAnswer(user.trust, world.now)) {
      add(who + " times out", next -> timeOut(next, index));
    }
    if (operation.canHurry() && operation.heard() >= world.majority()) {
      add(who + " waits no longer", next -> drive(next, index, RegisterOperation::onHurry));
    }
  }

  private void ask(User user, String who) {
    int index = user.index;
    if (user.heard != null) {
      add(who + " hears of ends", next -> hear(next, index));
    } else if (user.asks > 0) {
      add(
          who + " asks for ends",
          next -> {
            User own = next.own(index);
            own.asks--;
            own.asked = next.now;
            own.heard = shown(next);
          });
    }
  }

  private void askFresh(User user, String who) {
    int index = user.index;
    if (user.heard != null) {
      add(who + " hears of ends in new stores", next -> hearFresh(next, next.own(index)));
    } else if (user.asks > 0) {
      add(
          who + " asks for ends in new stores",
          next -> {
            User own = next.own(index);
            own.asks--;
            own.asked = next.now;
            int shown = next.there(own.stores);
            shown &= own.stores == next.abandoned ? ~next.freshEnded : -1;
            own.heard = new boolean[next.scenario.fresh()];
            for (int site = 0; site < own.heard.length; site++) {
              own.heard[site] = (shown >> site & 1) == 1;
            }
          });
    }
  }

  private static void hearFresh(ChangeScenarioState next, User own) {
    boolean[] heard = own.heard;
    if (heard == null) {
      throw new AssertionError("an answer was asked for; client=" + own.index);
    }
    boolean named = next.protocol.trustsWithoutTheRecord() || own.stores == next.named;
    for (int site = 0; site < heard.length; site++) {
      if (heard[site] && (named || own.trust.holds(site, next.now))) {
        own.trust.showedNoEnd(site, own.asked, next.now);
      }
    }
    own.heard = null;
    own.asked = 0;
  }

  /** New stores are lost while keys are taken over, and may come back as they were. */
  private void losses() {
    if (world.missing != 0) {
      add("lost stores come back", next -> next.missing = 0);
    }
    if (world.losses == 0 || world.change == null || !world.change.isInCutover()) {
      return;
    }
    for (int sites = 1; sites < 1 << world.scenario.fresh(); sites++) {
      int gone = sites;
      if (!world.hasMajority(world.there(world.named) & ~gone)) {
        add(
            "new sites " + Integer.toBinaryString(gone) + " lose their stores",
            next -> {
              next.losses--;
              next.missing = gone;
              next.lost = next.named;
            });
      }
    }
  }

  /** The sites that are there and have no end. */
  private static boolean[] shown(ChangeScenarioState world) {
    boolean[] shown = new boolean[world.scenario.sites()];
    for (int site = 0; site < shown.length; site++) {
      shown[site] = !world.ended[site] && !world.gone[site];
    }
    return shown;
  }

  private static void hear(ChangeScenarioState next, int index) {
    User own = next.own(index);
    boolean[] heard = own.heard;
    if (heard == null) {
      throw new AssertionError("an answer was asked for; client=" + index);
    }
    for (int site = 0; site < heard.length; site++) {
      if (heard[site]) {
        own.trust.showedNoEnd(site, own.asked, next.now);
      } else {
        own.trust.showedEnd(site);
      }
    }
    own.heard = null;
    own.asked = 0;
    next.settle(own);
  }

  private void idle(User user, String who) {
    int index = user.index;
    boolean cutover = world.change != null && world.change.isInCutover();
    if (!user.follows && (world.switched || cutover)) {
      add(who + " follows", next -> follow(next, next.own(index)));
    }
    if (user.joins) {
      LazyMigrationSteps.add(world, user, who, this::add);
      return;
    }
    if (user.next >= world.scripts.get(index).size()) {
      return;
    }
    String what = who + " calls " + world.call(user);
    if (user.follows) {
      if (world.stores.containsKey(user.stores)) {
        add(what + " in the new configuration", next -> callFresh(next, index));
      }
    } else if (world.protocol.trust().mayBegin(user.trust, world.now)) {
      add(what, next -> call(next, index));
    }
  }

  private static void follow(ChangeScenarioState next, User user) {
    user.follows = true;
    user.stores = next.named;
    user.joins = !next.switched;
    user.heard = null;
    user.asked = 0;
    user.asks = 0;
    if (next.scenario.losses() > 0 && user.joins) {
      user.asks = next.scenario.asks();
      user.trust = next.freshTrust();
      user.trustsFresh = true;
    }
  }

  /** The client reads that its new configuration was abandoned; its operation there is over. */
  static void followAgain(ChangeScenarioState next, User user) {
    if (user.takeover != ChangeParticipants.Takeover.NONE) {
      user.takeover = ChangeParticipants.Takeover.NONE;
      user.former = null;
      user.answer = null;
      user.next++;
    }
    follow(next, user);
  }

  private static void call(ChangeScenarioState next, int index) {
    User user = next.own(index);
    RegisterOperation<Integer, Integer> operation = next.operation(user, next.scenario.sites());
    user.operation = operation;
    next.judge = next.judge.called(user.call());
    next.send(index, operation.start());
    next.settle(user);
  }

  /** The new configuration is a register like any other, so its calls need no interleaving. */
  private static void callFresh(ChangeScenarioState next, int index) {
    User user = next.own(index);
    next.judge = next.judge.called(user.call());
    LazyMigrationSteps.perform(next, user);
  }

  private static void timeOut(ChangeScenarioState next, int index) {
    drive(
        next,
        index,
        operation -> {
          operation.expire();
          return List.of();
        });
  }

  private static void drive(
      ChangeScenarioState next,
      int index,
      Function<RegisterOperation<Integer, Integer>, List<RegisterRequest<Integer>>> input) {
    User user = next.own(index);
    RegisterOperation<Integer, Integer> operation = user.operation;
    if (operation != null) {
      next.send(index, input.apply(operation));
      next.settle(user);
    }
  }

  private void messages() {
    for (int i = 0; i < world.messages.size(); i++) {
      Message message = world.messages.get(i);
      RegisterRequest<Integer> request = message.request();
      int at = i;
      if (world.gone[message.site()]) {
        add(() -> message + " fails", next -> deliver(next, at, op -> lost(op, request)));
      } else if (request instanceof RegisterRequest.Swap<Integer> swap) {
        add(message::toString, next -> swap(next, at, swap));
      } else {
        add(
            message::toString,
            next -> {
              VersionedCell<Integer> seen = new VersionedCell<>(next.former.get(request.site()), 0);
              deliver(next, at, op -> op.onRead(request.site(), request.tag(), seen));
            });
      }
    }
  }

  private static List<RegisterRequest<Integer>> lost(
      RegisterOperation<Integer, Integer> operation, RegisterRequest<Integer> request) {
    return operation.onLost(request.site(), request.tag());
  }

  private static void swap(ChangeScenarioState next, int at, RegisterRequest.Swap<Integer> swap) {
    boolean takes = next.former.get(swap.site()).equals(swap.expected().cell());
    if (takes) {
      next.former.set(swap.site(), swap.cell());
    }
    deliver(next, at, operation -> operation.onSwap(swap.site(), swap.tag(), takes));
  }

  private static void deliver(
      ChangeScenarioState next,
      int at,
      Function<RegisterOperation<Integer, Integer>, List<RegisterRequest<Integer>>> answer) {
    Message message = next.messages.remove(at);
    if (!message.abandoned()) {
      drive(next, message.client(), answer);
    }
  }

  /** A draft takes effect, from any mover and of any age, if its store holds the expected cell. */
  private void drafts() {
    for (int i = 0; i < world.drafts.size(); i++) {
      Draft draft = world.drafts.get(i);
      int at = i;
      add("a draft lands at new site " + draft.site(), next -> land(next, draft, at));
    }
  }

  private static void land(ChangeScenarioState next, Draft draft, int at) {
    next.drafts.remove(at);
    List<Cell<Integer>> there = next.stores.get(draft.stores());
    if (there != null && there.get(draft.site()).equals(draft.expected())) {
      List<Cell<Integer>> cells = new ArrayList<>(there);
      cells.set(draft.site(), draft.cell());
      next.stores.put(draft.stores(), cells);
    }
  }
}

package io.ensemble.explore.change;

import io.ensemble.explore.Message;
import io.ensemble.explore.Transition;
import io.ensemble.explore.change.ChangeParticipants.ChangeClient;
import io.ensemble.explore.change.ChangeScenarioState.DraftRequest;
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

  private final ChangeScenarioState state;
  private final List<Transition<ChangeScenarioState>> steps = new ArrayList<>();

  private ChangeSteps(ChangeScenarioState state) {
    this.state = state;
  }

  static List<Transition<ChangeScenarioState>> from(ChangeScenarioState state) {
    ChangeSteps steps = new ChangeSteps(state);
    if (state.now < state.scenario.ticks()) {
      steps.add("tick", next -> next.now++);
    }
    state.users.forEach(steps::user);
    steps.messages();
    steps.drafts();
    steps.losses();
    MoverSteps.add(state, steps::add);
    return steps.steps;
  }

  private void add(String what, Consumer<ChangeScenarioState> change) {
    add(() -> what, change);
  }

  private void add(Supplier<String> name, Consumer<ChangeScenarioState> change) {
    steps.add(Transition.of(name, state::copy, change));
  }

  private void user(ChangeClient user) {
    int index = user.index;
    String name = "client " + index;
    if (!user.followsChange) {
      addRenewal(user, name);
    } else if (user.leasesFresh && user.joinsCutover) {
      addFreshRenewal(user, name);
    }
    RegisterOperation<Integer, Integer> operation = user.operation;
    if (operation == null) {
      addIdleSteps(user, name);
      return;
    }
    if (operation.outcome().isPresent()) {
      // The outcome is there, and may not be returned unless the next response allows it.
      add(name + " drops its answer", next -> next.finish(next.copyUser(index)));
      return;
    }
    if (!state.protocol.leaseRules().mayAnswer(user.lease, state.now)) {
      add(name + " times out", next -> timeOut(next, index));
    }
    if (operation.canHurry() && operation.heard() >= state.majority()) {
      add(name + " waits no longer", next -> drive(next, index, RegisterOperation::onHurry));
    }
  }

  private void addRenewal(ChangeClient user, String name) {
    int index = user.index;
    if (user.responseBySite != null) {
      add(name + " hears of ends", next -> receiveRenewal(next, index));
    } else if (user.remainingRenewals > 0) {
      add(
          name + " asks for ends",
          next -> {
            ChangeClient own = next.copyUser(index);
            own.remainingRenewals--;
            own.requestTick = next.now;
            own.responseBySite = sitesWithoutEnd(next);
          });
    }
  }

  private void addFreshRenewal(ChangeClient user, String name) {
    int index = user.index;
    if (user.responseBySite != null) {
      add(
          name + " hears of ends in new stores",
          next -> receiveFreshRenewal(next, next.copyUser(index)));
    } else if (user.remainingRenewals > 0) {
      add(
          name + " asks for ends in new stores",
          next -> {
            ChangeClient own = next.copyUser(index);
            own.remainingRenewals--;
            own.requestTick = next.now;
            int shown = next.sitesWithStores(own.stores);
            shown &= own.stores == next.abandoned ? ~next.freshEnded : -1;
            own.responseBySite = new boolean[next.scenario.fresh()];
            for (int site = 0; site < own.responseBySite.length; site++) {
              own.responseBySite[site] = (shown >> site & 1) == 1;
            }
          });
    }
  }

  private static void receiveFreshRenewal(ChangeScenarioState next, ChangeClient own) {
    boolean[] responseBySite = own.responseBySite;
    if (responseBySite == null) {
      throw new AssertionError("an answer was asked for; client=" + own.index);
    }
    boolean named = next.protocol.renewsWithoutRecord() || own.stores == next.namedGeneration;
    for (int site = 0; site < responseBySite.length; site++) {
      if (responseBySite[site] && (named || own.lease.holds(site, next.now))) {
        own.lease.showedNoEnd(site, own.requestTick, next.now);
      }
    }
    own.responseBySite = null;
    own.requestTick = 0;
  }

  /** New stores are lost while keys are taken over, and may come back as they were. */
  private void losses() {
    if (state.missingSites != 0) {
      add("lost stores come back", next -> next.missingSites = 0);
    }
    if (state.losses == 0 || state.change == null || !state.change.isInCutover()) {
      return;
    }
    for (int sites = 1; sites < 1 << state.scenario.fresh(); sites++) {
      int gone = sites;
      if (!state.hasMajority(state.sitesWithStores(state.namedGeneration) & ~gone)) {
        add(
            "new sites " + Integer.toBinaryString(gone) + " lose their stores",
            next -> {
              next.losses--;
              next.missingSites = gone;
              next.lostGeneration = next.namedGeneration;
            });
      }
    }
  }

  /** The sites that are there and have no end. */
  private static boolean[] sitesWithoutEnd(ChangeScenarioState state) {
    boolean[] withoutEnd = new boolean[state.scenario.sites()];
    for (int site = 0; site < withoutEnd.length; site++) {
      withoutEnd[site] = !state.ended[site] && !state.removedFormer[site];
    }
    return withoutEnd;
  }

  private static void receiveRenewal(ChangeScenarioState next, int index) {
    ChangeClient own = next.copyUser(index);
    boolean[] responseBySite = own.responseBySite;
    if (responseBySite == null) {
      throw new AssertionError("an answer was asked for; client=" + index);
    }
    for (int site = 0; site < responseBySite.length; site++) {
      if (responseBySite[site]) {
        own.lease.showedNoEnd(site, own.requestTick, next.now);
      } else {
        own.lease.showedEnd(site);
      }
    }
    own.responseBySite = null;
    own.requestTick = 0;
    next.settle(own);
  }

  private void addIdleSteps(ChangeClient user, String name) {
    int index = user.index;
    boolean cutover = state.change != null && state.change.isInCutover();
    if (!user.followsChange && (state.switched || cutover)) {
      add(name + " follows", next -> follow(next, next.copyUser(index)));
    }
    if (user.joinsCutover) {
      LazyMigrationSteps.add(state, user, name, this::add);
      return;
    }
    if (user.next >= state.scripts.get(index).size()) {
      return;
    }
    String what = name + " calls " + state.call(user);
    if (user.followsChange) {
      if (state.stores.containsKey(user.stores)) {
        add(what + " in the new configuration", next -> callFresh(next, index));
      }
    } else if (state.protocol.leaseRules().mayBegin(user.lease, state.now)) {
      add(what, next -> call(next, index));
    }
  }

  private static void follow(ChangeScenarioState next, ChangeClient user) {
    user.followsChange = true;
    user.stores = next.namedGeneration;
    user.joinsCutover = !next.switched;
    user.responseBySite = null;
    user.requestTick = 0;
    user.remainingRenewals = 0;
    if (next.scenario.losses() > 0 && user.joinsCutover) {
      user.remainingRenewals = next.scenario.asks();
      user.lease = next.newFreshLease();
      user.leasesFresh = true;
    }
  }

  /** The client reads that its new configuration was abandoned; its operation there is over. */
  static void followAgain(ChangeScenarioState next, ChangeClient user) {
    if (user.takeover != ChangeParticipants.TakeoverStep.NONE) {
      user.takeover = ChangeParticipants.TakeoverStep.NONE;
      user.former = null;
      user.answer = null;
      user.next++;
    }
    follow(next, user);
  }

  private static void call(ChangeScenarioState next, int index) {
    ChangeClient user = next.copyUser(index);
    RegisterOperation<Integer, Integer> operation = next.operation(user, next.scenario.sites());
    user.operation = operation;
    next.monitor = next.monitor.called(user.call());
    next.send(index, operation.start());
    next.settle(user);
  }

  /** The new configuration is a register like any other, so its calls need no interleaving. */
  private static void callFresh(ChangeScenarioState next, int index) {
    ChangeClient user = next.copyUser(index);
    next.monitor = next.monitor.called(user.call());
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
    ChangeClient user = next.copyUser(index);
    RegisterOperation<Integer, Integer> operation = user.operation;
    if (operation != null) {
      next.send(index, input.apply(operation));
      next.settle(user);
    }
  }

  private void messages() {
    for (int i = 0; i < state.messages.size(); i++) {
      Message message = state.messages.get(i);
      RegisterRequest<Integer> request = message.request();
      int at = i;
      if (state.removedFormer[message.site()]) {
        add(() -> message + " fails", next -> deliver(next, at, op -> loseResponse(op, request)));
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

  private static List<RegisterRequest<Integer>> loseResponse(
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
    for (int i = 0; i < state.drafts.size(); i++) {
      DraftRequest draft = state.drafts.get(i);
      int at = i;
      add("a draft lands at new site " + draft.site(), next -> deliverDraft(next, draft, at));
    }
  }

  private static void deliverDraft(ChangeScenarioState next, DraftRequest draft, int at) {
    next.drafts.remove(at);
    List<Cell<Integer>> there = next.stores.get(draft.stores());
    if (there != null && there.get(draft.site()).equals(draft.expected())) {
      List<Cell<Integer>> cells = new ArrayList<>(there);
      cells.set(draft.site(), draft.cell());
      next.stores.put(draft.stores(), cells);
    }
  }
}

package io.ensemble.explore.register;

import io.ensemble.explore.Message;
import io.ensemble.explore.Transition;
import io.ensemble.explore.register.RegisterScenarioState.MemoryState;
import io.ensemble.quorum.Quorum;
import io.ensemble.register.Ballot;
import io.ensemble.register.BallotGenerator;
import io.ensemble.register.Cell;
import io.ensemble.register.RegisterOperation;
import io.ensemble.register.RegisterOutcome;
import io.ensemble.register.RegisterRequest;
import io.ensemble.register.VersionedCell;
import io.ensemble.stamp.WriterId;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The possible next steps in a world. Each step is one request performed and answered, one call, or
 * one fault.
 */
final class RegisterSteps {

  private final RegisterScenarioState registerScenarioState;
  private final List<Transition<RegisterScenarioState>> steps = new ArrayList<>();

  private RegisterSteps(RegisterScenarioState registerScenarioState) {
    this.registerScenarioState = registerScenarioState;
  }

  static List<Transition<RegisterScenarioState>> from(RegisterScenarioState registerScenarioState) {
    RegisterSteps steps = new RegisterSteps(registerScenarioState);
    steps.callsAndPauses();
    steps.messages();
    steps.faults();
    steps.refill();
    steps.purge();
    return steps.steps;
  }

  private void add(String what, Consumer<RegisterScenarioState> change) {
    add(() -> what, change);
  }

  private void add(Supplier<String> name, Consumer<RegisterScenarioState> change) {
    steps.add(Transition.of(name, registerScenarioState::copy, change));
  }

  private void callsAndPauses() {
    for (ScenarioClient client : registerScenarioState.clients) {
      int index = client.index;
      if (client.crashed) {
        continue;
      }
      if (!client.isBusy()) {
        if (client.next < registerScenarioState.scripts.get(index).size()) {
          String what =
              "client "
                  + index
                  + " calls "
                  + registerScenarioState.scripts.get(index).get(client.next);
          add(what, next -> next.begin(index, client.seesRefilled));
          if (registerScenarioState.isRefilled() && !client.seesRefilled) {
            add(what + " on the new configuration", next -> next.begin(index, true));
          }
        }
        continue;
      }
      if (registerScenarioState.ends > 0) {
        add("client " + index + " times out", next -> timeOut(next, index));
      }
      RegisterOperation<Integer, Integer> operation = operation(client);
      if (operation.isPaused()) {
        add(
            "client " + index + " tries again",
            next -> drive(next, index, RegisterOperation::resume));
      } else if (operation.canHurry() && operation.heard() >= majority()) {
        hurry(index, operation);
      }
    }
  }

  private void hurry(int index, RegisterOperation<Integer, Integer> operation) {
    boolean voting =
        registerScenarioState.messages.stream()
            .anyMatch(
                message ->
                    message.client() == index
                        && message.isSwap()
                        && operation.awaits(message.request()));
    if (!voting) {
      add(
          "client " + index + " waits no longer",
          next -> drive(next, index, RegisterOperation::onHurry));
    } else if (registerScenarioState.losses > 0) {
      add(
          "client " + index + " waits no longer for votes",
          next -> {
            next.losses--;
            drive(next, index, RegisterOperation::onHurry);
          });
    }
  }

  private int majority() {
    return new Quorum(registerScenarioState.scenario.sites()).majority();
  }

  private static RegisterOperation<Integer, Integer> operation(ScenarioClient client) {
    RegisterOperation<Integer, Integer> operation = client.operation;
    if (operation == null) {
      throw new AssertionError("a busy client has an operation; client=" + client.index);
    }
    return operation;
  }

  /** One input to a client's operation, such as a response. */
  interface Input {
    List<RegisterRequest<Integer>> to(RegisterOperation<Integer, Integer> operation);
  }

  private static void timeOut(RegisterScenarioState next, int index) {
    next.ends--;
    drive(
        next,
        index,
        operation -> {
          operation.expire();
          return List.of();
        });
  }

  private static void drive(RegisterScenarioState next, int index, Input input) {
    if (index == next.refiller()) {
      driveRefill(next, input);
      return;
    }
    ScenarioClient client = next.copyClient(index);
    boolean hadMessages = operation(client).outcome().isPresent();
    next.send(index, input.to(operation(client)));
    if (hadMessages) {
      next.abandonUnawaited(index, client.operation);
    } else {
      next.settle(client);
    }
  }

  private void messages() {
    for (int i = 0; i < registerScenarioState.messages.size(); i++) {
      Message message = registerScenarioState.messages.get(i);
      int at = i;
      if (!registerScenarioState.isServed(message)) {
        add(() -> message + " fails", next -> fail(next, at));
      } else if (message.request() instanceof RegisterRequest.Swap<Integer> swap) {
        swap(message, at, swap);
      } else {
        add(message::toString, next -> read(next, at));
        if (registerScenarioState.scenario.prepares()
            && registerScenarioState.losses > 0
            && !message.abandoned()) {
          add(
              () -> message + " loses its answer",
              next -> {
                next.losses--;
                fail(next, at);
              });
        }
      }
    }
  }

  private static void fail(RegisterScenarioState next, int at) {
    Message message = next.messages.remove(at);
    if (!message.abandoned()) {
      RegisterRequest<Integer> request = message.request();
      drive(next, message.client(), operation -> operation.onLost(request.site(), request.tag()));
    }
  }

  private static void read(RegisterScenarioState next, int at) {
    Message message = next.messages.remove(at);
    RegisterRequest<Integer> request = message.request();
    VersionedCell<Integer> seen = new VersionedCell<>(next.cells.get(request.site()), 0);
    drive(
        next, message.client(), operation -> operation.onRead(request.site(), request.tag(), seen));
  }

  private void swap(Message message, int at, RegisterRequest.Swap<Integer> swap) {
    boolean takes = registerScenarioState.matches(swap);
    add(() -> message + (takes ? "" : " is refused"), next -> perform(next, at, takes, takes));
    if (message.abandoned()) {
      return;
    }
    if (takes && registerScenarioState.lies > 0) {
      add(
          () -> message + " takes effect and answers no",
          next -> {
            next.lies--;
            perform(next, at, true, false);
          });
    }
    if (registerScenarioState.losses > 0) {
      add(
          () -> message + " loses its answer",
          next -> {
            next.losses--;
            if (takes) {
              next.setCell(swap.site(), swap.cell());
            }
            fail(next, at);
          });
      if (registerScenarioState.scenario.late() > 0) {
        add(
            () -> message + " is late",
            next -> {
              next.losses--;
              next.messages.set(at, message.abandon());
              drive(next, message.client(), operation -> operation.onLost(swap.site(), swap.tag()));
            });
      }
    }
  }

  private static void perform(RegisterScenarioState next, int at, boolean takes, boolean answer) {
    Message message = next.messages.remove(at);
    RegisterRequest.Swap<Integer> swap = (RegisterRequest.Swap<Integer>) message.request();
    if (takes) {
      next.setCell(swap.site(), swap.cell());
    }
    if (message.abandoned()) {
      return;
    }
    if (!answer && next.factory.returnsNoOfSite() && message.client() < next.refiller()) {
      ScenarioClient client = next.copyClient(message.client());
      if (client.isBusy()) {
        char kind = next.scripts.get(client.index).get(client.next).kind();
        next.monitor =
            kind == 'c' || kind == 'a'
                ? next.monitor.returned(client.call(), 0)
                : next.monitor.refused(client.call());
        client.operation = null;
        client.next++;
        next.abandonUnawaited(client.index, null);
      }
      return;
    }
    drive(next, message.client(), operation -> operation.onSwap(swap.site(), swap.tag(), answer));
  }

  private void faults() {
    if (registerScenarioState.crashes > 0) {
      for (ScenarioClient client : registerScenarioState.clients) {
        if (client.isBusy() && !client.crashed) {
          add("client " + client.index + " crashes", next -> crash(next, client.index));
        }
      }
    }
    for (int site = 0; site < registerScenarioState.scenario.sites(); site++) {
      int chosenSite = site;
      if (registerScenarioState.downs > 0
          && !registerScenarioState.down[site]
          && registerScenarioState.memory[site] == MemoryState.INTACT) {
        add(
            "site " + site + " goes down",
            next -> {
              next.downs--;
              next.down[chosenSite] = true;
            });
      }
      if (registerScenarioState.wipes > 0
          && !registerScenarioState.down[site]
          && registerScenarioState.memory[site] == MemoryState.INTACT) {
        add("site " + site + " loses its memory", next -> next.wipe(chosenSite));
      }
    }
  }

  private static void crash(RegisterScenarioState next, int index) {
    next.crashes--;
    ScenarioClient client = next.copyClient(index);
    client.crashed = true;
    client.operation = null;
    next.abandonUnawaited(index, null);
  }

  /**
   * A refill begins once every request that was sent before the loss has been answered, or is no
   * longer awaited. The operations that sent them may outlast the refill. The refill reads the
   * other sites one by one, and copies what they show or settles the key; it settles without reads
   * if reads fail.
   */
  private void refill() {
    boolean lost = List.of(registerScenarioState.memory).contains(MemoryState.LOST);
    if (!lost
        || !(registerScenarioState.hasWaitedSinceLoss()
            || registerScenarioState.factory.refillsImmediately())
        || registerScenarioState.refill != null
        || registerScenarioState.factory.countsWipedSites()) {
      return;
    }
    if (!registerScenarioState.isRefillReading()) {
      add("the refill begins", RegisterScenarioState::beginRefillReads);
      add("the refill settles", RegisterSteps::settle);
      return;
    }
    if (registerScenarioState.refillCells().size() == registerScenarioState.scenario.sites() - 1) {
      cellToCopy(registerScenarioState)
          .ifPresent(cell -> add("the refill copies", next -> next.refill(cell)));
      return;
    }
    for (int site = 0; site < registerScenarioState.scenario.sites(); site++) {
      int chosenSite = site;
      if (registerScenarioState.down[site]
          && registerScenarioState.memory[site] == MemoryState.INTACT) {
        add("the refill settles", RegisterSteps::settle);
      } else if (registerScenarioState.memory[site] == MemoryState.INTACT
          && !registerScenarioState.isReadByRefill(site)) {
        add(
            "the refill reads site " + site,
            next -> {
              next.readForRefill(chosenSite);
              if (next.refillCells().size() == next.scenario.sites() - 1
                  && cellToCopy(next).isEmpty()) {
                settle(next);
              }
            });
      }
    }
  }

  private static Optional<Cell<Integer>> cellToCopy(RegisterScenarioState state) {
    return state
        .factory
        .refillRule(new Quorum(state.scenario.sites()))
        .cellToCopy(state.refillCells());
  }

  private static void settle(RegisterScenarioState next) {
    BallotGenerator ballots = new BallotGenerator(new WriterId(0, 99), round -> round + 1);
    RegisterOperation<Integer, Integer> operation =
        RegisterOperation.settle(new Quorum(next.scenario.sites()), ballots);
    next.beginSettling(operation);
    next.send(next.refiller(), operation.start());
  }

  private static void driveRefill(RegisterScenarioState next, Input input) {
    RegisterOperation<Integer, Integer> operation = next.refill;
    if (operation == null || operation.outcome().isPresent()) {
      return;
    }
    next.send(next.refiller(), input.to(operation));
    if (operation.isPaused() && operation.attempt() < next.scenario.attempts() + 1) {
      next.send(next.refiller(), operation.resume());
    }
    if (operation.outcome().orElse(null) instanceof RegisterOutcome.Done<Integer, Integer> done) {
      Ballot ballot = done.ballot();
      next.refill(new Cell<>(ballot, ballot, ballot, done.content()));
    }
    next.abandonUnawaited(next.refiller(), operation);
  }

  /**
   * A tombstone that every site holds is dropped after a grace period, site by site. Ballots made
   * later are above it, because rounds are times.
   */
  private void purge() {
    Cell<Integer> first = registerScenarioState.cells.get(0);
    boolean everywhere =
        registerScenarioState.cells.stream().allMatch(first::equals)
            && first.promised().equals(first.accepted());
    boolean allowed =
        registerScenarioState.factory.purgesEarly()
            || (everywhere && registerScenarioState.isQuiet());
    if (registerScenarioState.purges > 0 && allowed) {
      for (Cell<Integer> cell : List.copyOf(new LinkedHashSet<>(registerScenarioState.cells))) {
        if (isTombstone(cell)) {
          add(
              "the purge begins",
              next -> {
                next.purges--;
                next.purging = cell;
                next.clock = Math.max(next.clock, cell.promised().round());
              });
        }
      }
    }
    for (int site = 0; site < registerScenarioState.scenario.sites(); site++) {
      int chosenSite = site;
      if (registerScenarioState.cells.get(site).equals(registerScenarioState.purging)) {
        add(
            "site " + site + " drops the tombstone",
            next -> next.setCell(chosenSite, Cell.absent()));
      }
    }
  }

  private static boolean isTombstone(Cell<Integer> cell) {
    return !cell.isAbsent() && cell.content().value() == null;
  }
}

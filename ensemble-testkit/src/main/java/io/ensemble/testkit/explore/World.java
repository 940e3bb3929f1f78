package io.ensemble.testkit.explore;

import io.ensemble.quorum.Quorum;
import io.ensemble.register.Ballots;
import io.ensemble.register.Cell;
import io.ensemble.register.Digest;
import io.ensemble.register.Operation;
import io.ensemble.register.Outcome;
import io.ensemble.register.Request;
import io.ensemble.register.Seen;
import io.ensemble.stamp.WriterId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One global state of a scenario: sites, clients, messages and what is left of the fault budgets.
 */
final class World {

  /** What became of a site's memory. */
  enum Memory {
    INTACT,
    LOST,
    REFILLED
  }

  /**
   * The first client's clock is ahead: its fast ballots may pass classic ones that began before.
   */
  private static final long AHEAD = 2;

  private static final int ORIGINAL = 0;
  private static final int REFILL = 1;

  final Scenario scenario;
  final OperationFactory factory;
  final List<List<Call>> scripts;
  final List<Cell<Integer>> cells;

  /** The fingerprint of each cell, which every state asks for and few steps change. */
  private final long[] cellDigests;

  final Memory[] memory;
  final boolean[] down;
  final List<Client> clients;
  final List<Message> messages;
  int crashes;
  int downs;
  int wipes;
  int lies;
  int losses;
  int purges;
  int ends;
  long clock;
  @Nullable Cell<Integer> purging;
  Judge judge;
  @Nullable Operation<Integer, Integer> refill;

  World(Scenario scenario, OperationFactory factory, List<Cell<Integer>> initial) {
    this.scenario = scenario;
    this.factory = factory;
    scripts = scenario.clients();
    cells = new ArrayList<>(initial);
    cellDigests = cells.stream().mapToLong(Digest::of).toArray();
    memory = new Memory[scenario.sites()];
    Arrays.fill(memory, Memory.INTACT);
    down = new boolean[scenario.sites()];
    clients = new ArrayList<>();
    messages = new ArrayList<>();
    crashes = scenario.crashes();
    downs = scenario.downs();
    wipes = scenario.wipes();
    lies = scenario.lies();
    losses = scenario.losses();
    purges = scenario.purges();
    ends = scenario.ends();
    List<Call> calls = new ArrayList<>();
    for (List<Call> script : scripts) {
      clients.add(new Client(clients.size(), calls.size()));
      calls.addAll(script);
    }
    judge = Judge.of(calls, Call.value(scenario.initial()));
  }

  private World(World other) {
    scenario = other.scenario;
    factory = other.factory;
    scripts = other.scripts;
    cells = new ArrayList<>(other.cells);
    cellDigests = other.cellDigests.clone();
    memory = other.memory.clone();
    down = other.down.clone();
    clients = new ArrayList<>(other.clients);
    messages = new ArrayList<>(other.messages);
    crashes = other.crashes;
    downs = other.downs;
    wipes = other.wipes;
    lies = other.lies;
    losses = other.losses;
    purges = other.purges;
    ends = other.ends;
    clock = other.clock;
    purging = other.purging;
    judge = other.judge;
    refill = other.refill == null ? null : other.refill.copy();
  }

  World copy() {
    return new World(this);
  }

  /** The client, copied so that this world may change it. */
  Client own(int index) {
    Client copy = clients.get(index).copy();
    clients.set(index, copy);
    return copy;
  }

  void setCell(int site, Cell<Integer> cell) {
    cells.set(site, cell);
    cellDigests[site] = Digest.of(cell);
  }

  int refiller() {
    return clients.size();
  }

  boolean isWiped() {
    return Arrays.stream(memory).anyMatch(one -> one != Memory.INTACT);
  }

  boolean isRefilled() {
    return Arrays.stream(memory).anyMatch(one -> one == Memory.REFILLED);
  }

  /** Begins the client's next call. */
  void begin(int index, boolean seesRefilled) {
    Client client = own(index);
    client.seesRefilled = seesRefilled;
    client.beganIntact = !isWiped();
    Call call = scripts.get(index).get(client.next);
    long step = index == 0 ? AHEAD : 1;
    long carried = Math.max(client.highestRound, clock);
    Ballots own = new Ballots(new WriterId(0, index + 1), round -> Math.max(round, carried) + step);
    Operation<Integer, Integer> operation =
        factory.operation(
            new Quorum(scenario.sites()),
            factory.ballots(own),
            call,
            client.known,
            Optional.ofNullable(client.prepared));
    if (!factory.keepsPreparedBallots()) {
      client.prepared = null;
    }
    client.operation = operation;
    judge = judge.called(client.call());
    List<Seen<Integer>> remembered = client.remembered;
    send(index, remembered == null ? operation.start() : operation.startFrom(remembered));
    settle(client);
  }

  /**
   * Whether everything that was called has ended and nothing is on its way: a grace period has
   * passed.
   */
  boolean isQuiet() {
    return messages.isEmpty()
        && clients.stream().noneMatch(client -> client.isBusy() && !client.crashed);
  }

  /** Puts requests on their way. */
  void send(int client, List<Request<Integer>> requests) {
    for (Request<Integer> request : requests) {
      boolean refilled =
          memory[request.site()] == Memory.REFILLED
              && client < clients.size()
              && clients.get(client).seesRefilled;
      messages.add(new Message(client, request, refilled ? REFILL : ORIGINAL));
    }
  }

  /** Whether the site answers this message. */
  boolean isServed(Message message) {
    int site = message.site();
    if (down[site]) {
      return false;
    }
    return switch (memory[site]) {
      case INTACT -> true;
      case LOST -> factory.countsWipedSites();
      case REFILLED -> message.incarnation() == REFILL || factory.countsWipedSites();
    };
  }

  /** Whether a compare-and-set at a site would succeed now. */
  boolean matches(Request.Swap<Integer> swap) {
    return cells.get(swap.site()).equals(swap.expected().cell());
  }

  /** Takes note of an outcome, keeps going or gives up, and abandons what nobody waits for. */
  void settle(Client client) {
    Operation<Integer, Integer> operation = client.operation;
    if (operation == null) {
      return;
    }
    client.highestRound = Math.max(client.highestRound, operation.highestRound());
    if (operation.outcome().isEmpty()
        && (operation.attempt() > scenario.attempts() || mustStop(operation))) {
      operation.expire();
    }
    if (operation.outcome().isPresent()) {
      record(client, operation.outcome().get());
    }
    abandonUnawaited(client.index, client.operation);
  }

  private boolean mustStop(Operation<Integer, Integer> operation) {
    return operation.isPaused() && operation.attempt() >= scenario.attempts();
  }

  private void record(Client client, Outcome<Integer, Integer> outcome) {
    int call = client.call();
    Operation<Integer, Integer> ended = client.operation;
    if (scenario.prepares() && ended != null && ended.prepared().isPresent()) {
      client.prepared = ended.prepared().get();
    }
    if (outcome instanceof Outcome.Done<Integer, Integer> done) {
      judge = judge.returned(call, done.result());
      if (scenario.memory()) {
        client.known = done.ballot();
        client.remembered = cells.stream().map(cell -> new Seen<>(cell, 0)).toList();
      }
    } else if (outcome instanceof Outcome.Refused) {
      judge = judge.refused(call);
    }
    finish(client);
  }

  /** The client goes on to its next call. */
  void finish(Client client) {
    client.next++;
    if (!scenario.lingers()) {
      client.operation = null;
    }
  }

  /** Drops reads and keeps a bounded number of compare-and-sets that nobody waits for. */
  void abandonUnawaited(int client, @Nullable Operation<Integer, Integer> operation) {
    int[] late = new int[scenario.sites()];
    for (Message message : messages) {
      late[message.site()] += message.abandoned() ? 1 : 0;
    }
    for (int i = messages.size() - 1; i >= 0; i--) {
      Message message = messages.get(i);
      boolean awaited = operation != null && operation.awaits(message.request());
      if (message.client() != client || message.abandoned() || awaited) {
        continue;
      }
      if (message.isSwap() && late[message.site()] < scenario.late()) {
        late[message.site()]++;
        messages.set(i, message.abandon());
      } else {
        messages.remove(i);
      }
    }
  }

  /** A fingerprint in which the sites have no names. */
  long digest() {
    long[] columns = new long[scenario.sites()];
    for (int site = 0; site < columns.length; site++) {
      long column =
          Digest.of(cellDigests[site], memory[site].ordinal() * 2L + (down[site] ? 1 : 0));
      for (Client client : clients) {
        column = Digest.of(column, client.digest(site));
      }
      columns[site] = Digest.of(column, refill == null ? 0 : refill.digest(site));
    }
    for (Message message : messages) {
      columns[message.site()] += Digest.mix(message.digest());
    }
    Arrays.sort(columns);
    long hash =
        Digest.of((((crashes * 8L + downs) * 8 + wipes) * 8 + lies) * 8 + losses, judge.digest());
    hash = Digest.of(hash, refill == null ? 0 : refill.digest());
    hash = Digest.of(hash, (ends * 16L + purges) * 1024L + clock);
    hash = Digest.of(hash, purging == null ? 0 : Digest.of(purging));
    for (Client client : clients) {
      hash = Digest.of(hash, client.digest());
    }
    for (long column : columns) {
      hash = Digest.of(hash, column);
    }
    return hash;
  }
}

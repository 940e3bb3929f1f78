package io.ensemble.explore.register;

import io.ensemble.explore.LinearizabilityMonitor;
import io.ensemble.explore.Message;
import io.ensemble.explore.ScenarioCall;
import io.ensemble.quorum.Quorum;
import io.ensemble.register.BallotGenerator;
import io.ensemble.register.Cell;
import io.ensemble.register.RegisterDigest;
import io.ensemble.register.RegisterOperation;
import io.ensemble.register.RegisterOutcome;
import io.ensemble.register.RegisterRequest;
import io.ensemble.register.VersionedCell;
import io.ensemble.stamp.WriterId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One global state of a scenario: sites, clients, messages and the remaining fault budgets. */
final class RegisterScenarioState {

  /** The state of a site's memory. */
  enum MemoryState {
    INTACT,
    LOST,
    REFILLED
  }

  private static final int ORIGINAL = 0;
  private static final int REFILL = 1;
  private static final long READING = 1;

  final RegisterScenario scenario;
  final OperationFactory factory;
  final List<List<ScenarioCall>> scripts;
  final List<Cell<Integer>> cells;

  /** The fingerprint of each cell, which every state needs and few steps change. */
  private final long[] cellDigests;

  final MemoryState[] memory;
  final boolean[] down;
  final List<ScenarioClient> clients;
  final List<Message> messages;

  /** The requests that clients waited for when a site lost its memory. */
  private List<Message> sentBeforeLoss = List.of();

  int crashes;
  int downs;
  int wipes;
  int lies;
  int losses;
  int purges;
  int ends;
  long clock;
  @Nullable Cell<Integer> purging;
  LinearizabilityMonitor monitor;

  /** The cells that the refill has read, one for each site; empty before it begins to read. */
  private List<Optional<Cell<Integer>>> refillReads = List.of();

  /** The ballot by which the refill settles the key. */
  @Nullable RegisterOperation<Integer, Integer> refill;

  RegisterScenarioState(
      RegisterScenario scenario, OperationFactory factory, List<Cell<Integer>> initial) {
    this.scenario = scenario;
    this.factory = factory;
    scripts = scenario.clients();
    cells = new ArrayList<>(initial);
    cellDigests = cells.stream().mapToLong(RegisterDigest::of).toArray();
    memory = new MemoryState[scenario.sites()];
    Arrays.fill(memory, MemoryState.INTACT);
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
    List<ScenarioCall> calls = new ArrayList<>();
    for (List<ScenarioCall> script : scripts) {
      clients.add(new ScenarioClient(clients.size(), calls.size()));
      calls.addAll(script);
    }
    monitor = LinearizabilityMonitor.of(calls, ScenarioCall.value(scenario.initial()));
  }

  private RegisterScenarioState(RegisterScenarioState other) {
    scenario = other.scenario;
    factory = other.factory;
    scripts = other.scripts;
    cells = new ArrayList<>(other.cells);
    cellDigests = other.cellDigests.clone();
    memory = other.memory.clone();
    down = other.down.clone();
    clients = new ArrayList<>(other.clients);
    messages = new ArrayList<>(other.messages);
    sentBeforeLoss = other.sentBeforeLoss;
    crashes = other.crashes;
    downs = other.downs;
    wipes = other.wipes;
    lies = other.lies;
    losses = other.losses;
    purges = other.purges;
    ends = other.ends;
    clock = other.clock;
    purging = other.purging;
    monitor = other.monitor;
    refillReads = other.refillReads;
    refill = other.refill == null ? null : other.refill.copy();
  }

  RegisterScenarioState copy() {
    return new RegisterScenarioState(this);
  }

  /** The client, copied so that this world may change it. */
  ScenarioClient copyClient(int index) {
    ScenarioClient copy = clients.get(index).copy();
    clients.set(index, copy);
    return copy;
  }

  void setCell(int site, Cell<Integer> cell) {
    cells.set(site, cell);
    cellDigests[site] = RegisterDigest.of(cell);
  }

  int refiller() {
    return clients.size();
  }

  /** A site loses its memory. */
  void wipe(int site) {
    wipes--;
    memory[site] = MemoryState.LOST;
    setCell(site, Cell.absent());
    sentBeforeLoss = messages.stream().filter(message -> !message.abandoned()).toList();
  }

  /**
   * Whether as much time as a request may take can have passed since the loss of memory. The
   * operations that had begun before it may still run.
   */
  boolean hasWaitedSinceLoss() {
    return messages.stream().noneMatch(sentBeforeLoss::contains);
  }

  boolean isRefillReading() {
    return !refillReads.isEmpty();
  }

  boolean isReadByRefill(int site) {
    return refillReads.get(site).isPresent();
  }

  void beginRefillReads() {
    refillReads = Collections.nCopies(scenario.sites(), Optional.empty());
  }

  void readForRefill(int site) {
    refillReads = new ArrayList<>(refillReads);
    refillReads.set(site, Optional.of(cells.get(site)));
  }

  /** The cells that the refill has read so far. */
  List<Cell<Integer>> refillCells() {
    return refillReads.stream().flatMap(Optional::stream).toList();
  }

  void beginSettling(RegisterOperation<Integer, Integer> operation) {
    refill = operation;
    refillReads = List.of();
  }

  /** The lost site counts again, under another incarnation, with this cell. */
  void refill(Cell<Integer> cell) {
    for (int site = 0; site < scenario.sites(); site++) {
      if (memory[site] == MemoryState.LOST) {
        setCell(site, cell);
        memory[site] = MemoryState.REFILLED;
      }
    }
    refillReads = List.of();
  }

  boolean isRefilled() {
    return Arrays.stream(memory).anyMatch(one -> one == MemoryState.REFILLED);
  }

  /** Begins the client's next call. */
  void begin(int index, boolean seesRefilled) {
    ScenarioClient client = copyClient(index);
    client.seesRefilled = seesRefilled;
    ScenarioCall call = scripts.get(index).get(client.next);
    long step = index == 0 ? scenario.ahead() : 1;
    long carried = Math.max(client.highestRound, clock);
    BallotGenerator own =
        new BallotGenerator(new WriterId(0, index + 1), round -> Math.max(round, carried) + step);
    RegisterOperation<Integer, Integer> operation =
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
    monitor = monitor.called(client.call());
    List<VersionedCell<Integer>> remembered = client.remembered;
    send(index, remembered == null ? operation.start() : operation.startFrom(remembered));
    settle(client);
  }

  /** Whether all calls have ended and no message is in flight: a grace period has passed. */
  boolean isQuiet() {
    return messages.isEmpty()
        && clients.stream().noneMatch(client -> client.isBusy() && !client.crashed);
  }

  /** Sends requests. */
  void send(int client, List<RegisterRequest<Integer>> requests) {
    for (RegisterRequest<Integer> request : requests) {
      boolean refilled =
          memory[request.site()] == MemoryState.REFILLED
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
  boolean matches(RegisterRequest.Swap<Integer> swap) {
    return cells.get(swap.site()).equals(swap.expected().cell());
  }

  /**
   * Records an outcome, continues or abandons the operation, and abandons the messages that no
   * client waits for.
   */
  void settle(ScenarioClient client) {
    RegisterOperation<Integer, Integer> operation = client.operation;
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

  private boolean mustStop(RegisterOperation<Integer, Integer> operation) {
    return operation.isPaused() && operation.attempt() >= scenario.attempts();
  }

  private void record(ScenarioClient client, RegisterOutcome<Integer, Integer> outcome) {
    int call = client.call();
    RegisterOperation<Integer, Integer> ended = client.operation;
    if (scenario.prepares() && ended != null && ended.prepared().isPresent()) {
      client.prepared = ended.prepared().get();
    }
    if (outcome instanceof RegisterOutcome.Done<Integer, Integer> done) {
      monitor = monitor.returned(call, done.result());
      if (scenario.memory()) {
        client.known = done.ballot();
        client.remembered = cells.stream().map(cell -> new VersionedCell<>(cell, 0)).toList();
      }
    } else if (outcome instanceof RegisterOutcome.Refused) {
      monitor = monitor.refused(call);
    }
    finish(client);
  }

  /** The client continues with its next call. */
  void finish(ScenarioClient client) {
    client.next++;
    if (!scenario.lingers()) {
      client.operation = null;
    }
  }

  /** Drops reads, and keeps a bounded number of compare-and-sets that no client waits for. */
  void abandonUnawaited(int client, @Nullable RegisterOperation<Integer, Integer> operation) {
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

  /** A fingerprint that is independent of the names of the sites. */
  long digest() {
    long[] columns = new long[scenario.sites()];
    for (int site = 0; site < columns.length; site++) {
      long column =
          RegisterDigest.of(cellDigests[site], memory[site].ordinal() * 2L + (down[site] ? 1 : 0));
      for (ScenarioClient client : clients) {
        column = RegisterDigest.of(column, client.digest(site));
      }
      if (isRefillReading()) {
        column =
            RegisterDigest.of(
                column, refillReads.get(site).map(RegisterDigest::of).orElse(READING));
      }
      columns[site] = RegisterDigest.of(column, refill == null ? 0 : refill.digest(site));
    }
    for (Message message : messages) {
      long old = sentBeforeLoss.contains(message) ? 1L << 32 : 0;
      columns[message.site()] += RegisterDigest.mix(message.digest() ^ old);
    }
    Arrays.sort(columns);
    long hash =
        RegisterDigest.of(
            (((crashes * 8L + downs) * 8 + wipes) * 8 + lies) * 8 + losses, monitor.digest());
    hash = RegisterDigest.of(hash, refill == null ? 0 : refill.digest());
    hash = RegisterDigest.of(hash, (ends * 16L + purges) * 1024L + clock);
    hash = RegisterDigest.of(hash, purging == null ? 0 : RegisterDigest.of(purging));
    for (ScenarioClient client : clients) {
      hash = RegisterDigest.of(hash, client.digest());
    }
    for (long column : columns) {
      hash = RegisterDigest.of(hash, column);
    }
    return hash;
  }
}

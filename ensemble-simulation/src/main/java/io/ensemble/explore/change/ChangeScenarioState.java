package io.ensemble.explore.change;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ChangeStateMachine;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.explore.LinearizabilityMonitor;
import io.ensemble.explore.Message;
import io.ensemble.explore.ScenarioCall;
import io.ensemble.explore.change.ChangeParticipants.ChangeClient;
import io.ensemble.explore.change.ChangeParticipants.SimulatedMover;
import io.ensemble.lease.ConfigurationLease;
import io.ensemble.quorum.Quorum;
import io.ensemble.register.Ballot;
import io.ensemble.register.BallotGenerator;
import io.ensemble.register.Cell;
import io.ensemble.register.RegisterDigest;
import io.ensemble.register.RegisterOperation;
import io.ensemble.register.RegisterOutcome;
import io.ensemble.register.RegisterRequest;
import io.ensemble.register.RivalPolicy;
import io.ensemble.register.VersionedCell;
import io.ensemble.stamp.WriterId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** One global state of a change: sites of both configurations, clients, movers, and the record. */
final class ChangeScenarioState {

  /** A mover's draft in flight to a new store: a compare-and-set. */
  record DraftRequest(int mover, int stores, int site, Cell<Integer> expected, Cell<Integer> cell) {
    long digest() {
      return RegisterDigest.of(
          RegisterDigest.of(RegisterDigest.of(expected), RegisterDigest.of(cell)),
          (mover * 16L + stores) * 16L + site);
    }
  }

  /** The number of late compare-and-sets of each site that are kept in flight. */
  private static final int LATE = 1;

  final ChangeScenario scenario;
  final ChangeProtocol protocol;
  final List<List<ScenarioCall>> scripts;
  final List<Cell<Integer>> former;
  final boolean[] ended;
  final boolean[] removedFormer;
  final Map<Integer, List<Cell<Integer>>> stores;
  final List<ChangeClient> users;
  final List<SimulatedMover> carriers;
  final List<Message> messages;
  final List<DraftRequest> drafts;
  LinearizabilityMonitor monitor;
  @Nullable ConfigurationChange change;
  boolean switched;
  int namedGeneration = 1;
  int takeovers;
  int aborts;
  long now;

  /** How many more times new stores may be lost. */
  int losses;

  /** The new sites that have no stores of the generation {@link #lostGeneration} now, as bits. */
  int missingSites;

  int lostGeneration;

  /** The generation of stores that a restarted change has abandoned; 0 for none. */
  int abandoned;

  /** The sites where the abandoned stores have ends, as bits. */
  int freshEnded;

  /** The possible values when keys began to be taken over; after a salvage, the values kept. */
  Set<@Nullable Integer> sealed = Set.of();

  ChangeScenarioState(ChangeScenario scenario, ChangeProtocol protocol) {
    this.scenario = scenario;
    this.protocol = protocol;
    scripts = scenario.clients();
    former = new ArrayList<>(Collections.nCopies(scenario.sites(), initial(scenario.initial())));
    ended = new boolean[scenario.sites()];
    removedFormer = new boolean[scenario.sites()];
    stores = new TreeMap<>();
    users = new ArrayList<>();
    carriers = new ArrayList<>();
    messages = new ArrayList<>();
    drafts = new ArrayList<>();
    takeovers = scenario.takeovers();
    aborts = scenario.aborts();
    losses = scenario.losses();
    List<ScenarioCall> calls = new ArrayList<>();
    for (List<ScenarioCall> script : scripts) {
      ConfigurationLease lease =
          new ConfigurationLease(protocol.leaseRules(), scenario.sites(), majority());
      users.add(new ChangeClient(users.size(), calls.size(), scenario.asks(), lease));
      calls.addAll(script);
    }
    monitor = LinearizabilityMonitor.of(calls, ScenarioCall.value(scenario.initial()));
    change = ConfigurationChange.begun(target(), lives(1), owner(0), new TreeSet<>());
    carriers.add(carrier(0, 1));
    if (losses > 0) {
      beginCutover();
    }
  }

  /**
   * The former configuration has ended. All clients are in the new one, which has drafts, and hold
   * leases on it.
   */
  private void beginCutover() {
    change =
        ConfigurationChange.begun(target(), lives(1), owner(0), new TreeSet<>())
            .at(ChangePhase.CUTOVER);
    Arrays.fill(ended, true);
    stores.put(1, Collections.nCopies(scenario.fresh(), initial(scenario.initial())));
    sealed = monitor.values();
    for (ChangeClient user : users) {
      user.followsChange = true;
      user.stores = 1;
      user.joinsCutover = true;
      user.leasesFresh = true;
      user.lease = newFreshLease();
      user.remainingRenewals = scenario.asks();
      for (int site = 0; site < scenario.fresh(); site++) {
        user.lease.showedNoEnd(site, now, now);
      }
    }
  }

  private ChangeScenarioState(ChangeScenarioState other) {
    scenario = other.scenario;
    protocol = other.protocol;
    scripts = other.scripts;
    former = new ArrayList<>(other.former);
    ended = other.ended.clone();
    removedFormer = other.removedFormer.clone();
    stores = new TreeMap<>(other.stores);
    users = new ArrayList<>(other.users);
    carriers = new ArrayList<>(other.carriers);
    messages = new ArrayList<>(other.messages);
    drafts = new ArrayList<>(other.drafts);
    monitor = other.monitor;
    change = other.change;
    switched = other.switched;
    namedGeneration = other.namedGeneration;
    takeovers = other.takeovers;
    aborts = other.aborts;
    now = other.now;
    losses = other.losses;
    missingSites = other.missingSites;
    lostGeneration = other.lostGeneration;
    abandoned = other.abandoned;
    freshEnded = other.freshEnded;
    sealed = other.sealed;
  }

  ChangeScenarioState copy() {
    return new ChangeScenarioState(this);
  }

  private static Cell<Integer> initial(int value) {
    return value == 0 ? Cell.absent() : seedCell(value);
  }

  /** The cell that a mover puts: the same at every site, below any cell that clients will write. */
  static Cell<Integer> seedCell(@Nullable Integer value) {
    return io.ensemble.register.SeedCell.of(new WriterId(0, 50), value);
  }

  CacheDefinition target() {
    List<String> sites = new ArrayList<>();
    for (int site = 0; site < scenario.fresh(); site++) {
      sites.add("n" + site);
    }
    return CacheDefinition.of("c", scenario.cutover() ? Mode.MWMR : Mode.SWMR).sites(sites).build();
  }

  Map<String, String> lives(int generation) {
    Map<String, String> lives = new TreeMap<>();
    target().sites().forEach(site -> lives.put(site, "%08x".formatted(generation)));
    return lives;
  }

  static String owner(int mover) {
    return "mover" + mover;
  }

  SimulatedMover carrier(int index, int generation) {
    SimulatedMover carrier =
        new SimulatedMover(
            index, new ChangeStateMachine(protocol.changeRules(), scenario.sites(), false));
    carrier.stores = generation;
    return carrier;
  }

  int majority() {
    return new Quorum(scenario.sites()).majority();
  }

  private int freshMajority() {
    return new Quorum(scenario.fresh()).majority();
  }

  /** The lease of a client on a new configuration whose stores may be lost. */
  ConfigurationLease newFreshLease() {
    return new ConfigurationLease(protocol.leaseRules(), scenario.fresh(), freshMajority());
  }

  /** The sites that have stores of a generation, as bits. */
  int sitesWithStores(int generation) {
    int all = (1 << scenario.fresh()) - 1;
    return !stores.containsKey(generation)
        ? 0
        : generation == lostGeneration ? all & ~missingSites : all;
  }

  boolean hasMajority(int sites) {
    return Integer.bitCount(sites) >= freshMajority();
  }

  /** Whether the change is stuck, because too many of its new stores are lost. */
  boolean mayRestart(ConfigurationChange under) {
    return abandoned == 0
        && scenario.losses() > 0
        && protocol.changeRules().mayRestart(under.step())
        && stores.containsKey(namedGeneration)
        && !hasMajority(sitesWithStores(namedGeneration));
  }

  /** The last accepted cell in the stores of a generation that are there; null for none. */
  @Nullable Cell<Integer> lastAccepted(int generation) {
    Cell<Integer> top = null;
    int there = sitesWithStores(generation);
    List<Cell<Integer>> cells = stores.getOrDefault(generation, List.of());
    for (int site = 0; site < cells.size(); site++) {
      if ((there >> site & 1) == 1) {
        Cell<Integer> cell = cells.get(site);
        if (protocol.takeover().isTaken(cell.content())
            && (top == null || cell.accepted().compareTo(top.accepted()) > 0)) {
          top = cell;
        }
      }
    }
    return top;
  }

  /**
   * The possible values after the loss: the remaining stores hold the value, or else the former
   * stores do.
   */
  Set<@Nullable Integer> possibleValues(int generation) {
    Cell<Integer> top = lastAccepted(generation);
    return top == null ? sealed : Collections.singleton(top.content().value());
  }

  ChangeClient copyUser(int index) {
    ChangeClient copy = users.get(index).copy();
    users.set(index, copy);
    return copy;
  }

  SimulatedMover copyMover(int index) {
    SimulatedMover copy = carriers.get(index).copy();
    carriers.set(index, copy);
    return copy;
  }

  /** Whether a mover reaches a site that is there. */
  boolean reaches(int site) {
    return !removedFormer[site] && !(scenario.unreachable() && site == 0);
  }

  ScenarioCall call(ChangeClient user) {
    return scripts.get(user.index).get(user.next);
  }

  RegisterOperation<Integer, Integer> operation(ChangeClient user, int sites) {
    long step = user.index + 2L;
    BallotGenerator ballots =
        new BallotGenerator(new WriterId(0, user.index + 1), round -> round + step);
    return RegisterOperation.of(
        new Quorum(sites),
        ballots,
        call(user),
        Ballot.ZERO,
        Optional.empty(),
        RivalPolicy.IMMEDIATE);
  }

  /** Sends a client's requests to the former sites. */
  void send(int user, List<RegisterRequest<Integer>> requests) {
    requests.forEach(request -> messages.add(new Message(user, request, 0)));
  }

  /** Returns an outcome while that is allowed. */
  void settle(ChangeClient user) {
    RegisterOperation<Integer, Integer> operation = user.operation;
    if (operation == null) {
      return;
    }
    if (operation.outcome().isEmpty() && (operation.attempt() > 1 || operation.isPaused())) {
      operation.expire();
    }
    if (operation.outcome().isPresent()) {
      RegisterOutcome<Integer, Integer> outcome = operation.outcome().get();
      if (!(outcome instanceof RegisterOutcome.Done<Integer, Integer> done)) {
        monitor =
            outcome instanceof RegisterOutcome.Refused ? monitor.refused(user.call()) : monitor;
        finish(user);
      } else if (protocol.leaseRules().mayAnswer(user.lease, now)) {
        monitor = monitor.returned(user.call(), done.result());
        finish(user);
      }
    }
    abandonUnawaited(user.index, user.operation);
  }

  /** The client continues. The outcome of its call stays unknown unless the call has returned. */
  void finish(ChangeClient user) {
    user.next++;
    user.operation = null;
    abandonUnawaited(user.index, null);
  }

  private void abandonUnawaited(int user, @Nullable RegisterOperation<Integer, Integer> operation) {
    int[] late = new int[scenario.sites()];
    for (Message message : messages) {
      late[message.site()] += message.abandoned() ? 1 : 0;
    }
    for (int i = messages.size() - 1; i >= 0; i--) {
      Message message = messages.get(i);
      boolean awaited = operation != null && operation.awaits(message.request());
      if (message.client() != user || message.abandoned() || awaited) {
        continue;
      }
      if (message.isSwap() && late[message.site()] < LATE) {
        late[message.site()]++;
        messages.set(i, message.abandon());
      } else {
        messages.remove(i);
      }
    }
  }

  /**
   * Drives {@code operation} to its end in one step, among the cells of the {@code reached} sites.
   */
  static <R> @Nullable RegisterOutcome<Integer, R> drive(
      RegisterOperation<Integer, R> operation, List<Cell<Integer>> cells, boolean[] reached) {
    List<RegisterRequest<Integer>> requests = new ArrayList<>(operation.start());
    while (operation.outcome().isEmpty()) {
      if (requests.isEmpty()) {
        if (!operation.canHurry()) {
          return null;
        }
        requests.addAll(operation.onHurry());
        continue;
      }
      RegisterRequest<Integer> request = requests.remove(0);
      int site = request.site();
      if (!reached[site]) {
        requests.addAll(operation.onLost(site, request.tag()));
      } else if (request instanceof RegisterRequest.Swap<Integer> swap) {
        boolean takes = cells.get(site).equals(swap.expected().cell());
        if (takes) {
          cells.set(site, swap.cell());
        }
        requests.addAll(operation.onSwap(site, request.tag(), takes));
      } else {
        requests.addAll(
            operation.onRead(site, request.tag(), new VersionedCell<>(cells.get(site), 0)));
      }
    }
    return operation.outcome().get();
  }

  /**
   * Whether a process without a change under way, or one that aborts a change, has a configuration
   * that can serve.
   */
  boolean isServable() {
    if (switched) {
      return stores.containsKey(namedGeneration);
    }
    if (change != null && change.isInCutover()) {
      return stores.containsKey(namedGeneration);
    }
    if (change != null && change.isSealing()) {
      return true;
    }
    int trusted = 0;
    for (int site = 0; site < scenario.sites(); site++) {
      trusted += ended[site] || removedFormer[site] ? 0 : 1;
    }
    return trusted >= majority();
  }

  boolean isRight() {
    return monitor.isExplained() && isServable();
  }

  /** A fingerprint that is independent of the names of the former sites. */
  long digest() {
    long[] columns = new long[scenario.sites()];
    for (int site = 0; site < columns.length; site++) {
      long flags = (ended[site] ? 1 : 0) + (removedFormer[site] ? 2 : 0);
      flags += scenario.unreachable() && site == 0 ? 4 : 0;
      long column = RegisterDigest.of(RegisterDigest.of(former.get(site)), flags);
      for (ChangeClient user : users) {
        column = RegisterDigest.of(column, user.digest(site, now));
      }
      for (SimulatedMover carrier : carriers) {
        column = RegisterDigest.of(column, carrier.stateMachine.knowsEnd(site) ? 1 : 0);
      }
      columns[site] = column;
    }
    for (Message message : messages) {
      columns[message.site()] += RegisterDigest.mix(message.digest());
    }
    Arrays.sort(columns);
    long hash =
        RegisterDigest.of(
            monitor.digest(), ((now * 8 + takeovers) * 8 + aborts) * 8 + namedGeneration);
    if (scenario.losses() > 0) {
      hash =
          RegisterDigest.of(
              hash, ((losses * 64L + missingSites) * 64 + freshEnded) * 64 + lostGeneration);
      hash = RegisterDigest.of(hash, abandoned * 1_000_003L + sealed.hashCode());
    }
    hash =
        RegisterDigest.of(hash, (switched ? 1 : 0) + (change == null ? 0 : change.hashCode() * 2L));
    for (ChangeClient user : users) {
      hash = RegisterDigest.of(hash, user.digest(now));
    }
    for (SimulatedMover carrier : carriers) {
      hash = RegisterDigest.of(hash, carrier.digest(now));
    }
    for (Map.Entry<Integer, List<Cell<Integer>>> made : stores.entrySet()) {
      hash = RegisterDigest.of(hash, made.getKey());
      for (Cell<Integer> cell : made.getValue()) {
        hash = RegisterDigest.of(hash, RegisterDigest.of(cell));
      }
    }
    long late = 0;
    for (DraftRequest draft : drafts) {
      late += RegisterDigest.mix(draft.digest());
    }
    hash = RegisterDigest.of(hash, late);
    for (long column : columns) {
      hash = RegisterDigest.of(hash, column);
    }
    return hash;
  }
}

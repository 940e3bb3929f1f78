package io.ensemble.zoofence.queue.executor;

import io.ensemble.zoofence.flattening.FlatteningEpoch;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.link.InstanceServers;
import io.ensemble.zoofence.queue.CommandOutcome;
import io.ensemble.zoofence.queue.DedupSlot;
import io.ensemble.zoofence.queue.InstanceResult;
import io.ensemble.zoofence.queue.QueueCommand;
import io.ensemble.zoofence.queue.QueueExecution;
import io.ensemble.zoofence.queue.ResultAgreement;
import io.ensemble.zoofence.queue.plan.CommandPlan;
import io.ensemble.zoofence.queue.plan.CommandScheduler;
import io.ensemble.zoofence.queue.plan.LocalRefusal;
import io.ensemble.zoofence.queue.plan.OutcomeBuilder;
import io.ensemble.zoofence.queue.plan.OutcomeResolver;
import io.ensemble.zoofence.queue.plan.PlanInputReader;
import io.ensemble.zoofence.queue.plan.SequentialNumbering;
import io.ensemble.zoofence.queue.replica.QueueReplica;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes the commands of one queue while this process leads the queue. A {@link QueueExecution}
 * makes the decisions, and this class carries them out. Confined to the executor's thread.
 */
final class QueueLeader implements QueueExecution.Work, QueueReplica.Listener, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(QueueLeader.class);

  private final InstanceSet set;
  private final FlatteningEpoch flatteningEpoch;
  private final LeaderHost leaderHost;
  private final CommandNumbering commandNumbering;
  private final QueueExecution execution;
  private final QueueStore queueStore;
  private final Map<Integer, QueueReplica> replicas = new TreeMap<>();
  private final Map<Long, QueueCommand> commands = new ConcurrentHashMap<>();
  private final Map<Long, CommandPlan> plans = new HashMap<>();
  private final Map<Long, Set<Integer>> waitingInstances = new HashMap<>();
  private final SequentialNumbering numbering = new SequentialNumbering();
  private final PlanInputReader planInputReader;
  private final ZnodeOwners owners;
  private final LeaderView leaderView;
  private final CommandScheduler commandScheduler = new CommandScheduler();
  private final Procedures procedures;
  private final QueuePause queuePause;
  private final RelocationTask relocationTask;
  private final Consumer<Runnable> delayedExecutor;
  private final Executor executor;
  private final List<InstanceServers> servers;
  private final long term;
  private boolean areOwnersRead;
  private boolean closed;
  private volatile boolean isStopped;

  /**
   * @param term the term of this leader; later leaders have higher terms
   * @param delayedExecutor runs a task after a short delay, on the same thread
   * @param queueStore the source of commands and the destination of outcomes
   * @param flatteningEpoch the flattening epoch by which this leader leads
   */
  QueueLeader(
      InstanceSet set,
      List<InstanceServers> servers,
      FlatteningEpoch flatteningEpoch,
      long term,
      Executor executor,
      Consumer<Runnable> delayedExecutor,
      QueueStore queueStore,
      CommandNumbering commandNumbering,
      LeaderHost leaderHost) {
    this.set = set;
    this.commandNumbering = commandNumbering;
    this.delayedExecutor = delayedExecutor;
    this.flatteningEpoch = flatteningEpoch;
    this.executor = executor;
    this.queueStore = queueStore;
    this.owners = new ZnodeOwners(queueStore, commands::containsKey);
    this.leaderHost = leaderHost;
    this.execution = new QueueExecution(set, QueueReplica.SLOTS, this);
    this.procedures =
        new Procedures(
            set, flatteningEpoch::flattening, queueStore, execution, this::findReplica, executor);
    this.planInputReader =
        new PlanInputReader(
            numbering,
            credentials -> findReplica(set.canonical()).client(credentials),
            executor,
            this::retryIfOpen);
    this.leaderView =
        new LeaderView(numbering, owners, planInputReader, flatteningEpoch::flattening);
    this.queuePause =
        new QueuePause(
            set, flatteningEpoch.number(), queueStore, leaderHost, execution, this::rereadState);
    this.relocationTask =
        new RelocationTask(
            servers, set, queueStore, leaderHost, this::findReplica, executor, this::retryIfOpen);
    this.servers = servers;
    this.term = term;
  }

  /** Connects to the instances, after every command in the queue has arrived. */
  void open() {
    if (closed || !replicas.isEmpty()) {
      return;
    }
    for (int instance : set.numbers()) {
      replicas.put(
          instance,
          new QueueReplica(
              servers.get(instance), instance, set, term, executor, delayedExecutor, this));
    }
  }

  /** Takes a command that is in the queue. */
  void addCommand(long number, byte[] bytes) {
    if (closed || commands.containsKey(number)) {
      return;
    }
    try {
      QueueCommand command = QueueCommand.read(bytes);
      if (!CommandPlan.isPlannable(command)) {
        queueStore.finish(
            number, command, null, OutcomeBuilder.buildFailure(Code.UNIMPLEMENTED), () -> {});
        return;
      }
      if (command.flatteningEpoch() != QueueCommand.ANY
          && command.flatteningEpoch() > flatteningEpoch.number()) {
        leaderHost.restartLeader();
        return;
      }
      commands.put(number, command);
      execution.addCommand(
          number, commandScheduler.schedule(command, flatteningEpoch.flattening(), set));
    } catch (RuntimeException e) {
      log.warn("A command cannot be read; queue {}, command {}", set, number, e);
      commands.remove(number);
      queueStore.discard(number, bytes);
    }
  }

  /** The number of commands that are not finished. Thread-safe. */
  int countUnfinished() {
    return commands.size();
  }

  @Override
  public void handleReached(int instance, NavigableMap<Long, InstanceResult.Remembered> slots) {
    if (closed) {
      return;
    }
    if (instance == set.canonical() && !areOwnersRead) {
      readOwned(() -> addInstance(instance, slots));
    } else {
      addInstance(instance, slots);
    }
  }

  private void addInstance(int instance, NavigableMap<Long, InstanceResult.Remembered> slots) {
    execution.addInstance(instance, slots);
    procedures.handleReached();
  }

  private void readOwned(Runnable callback) {
    owners.read(
        findReplica(set.canonical()).client(),
        executor,
        () -> {
          if (!closed) {
            areOwnersRead = true;
            callback.run();
          }
        });
  }

  @Override
  public void handleLost(int instance) {
    procedures.handleLost(instance);
    relocationTask.handleLost(instance);
    waitingInstances.values().forEach(waiting -> waiting.remove(instance));
    execution.removeInstance(instance);
  }

  @Override
  public void handleSuperseded() {
    if (!closed) {
      leaderHost.endLeadership();
    }
  }

  @Override
  public void apply(int instance, long number) {
    CommandPlan plan = plans.get(number);
    QueueCommand command = findCommand(number);
    if (command.type() == QueueCommand.LOCK) {
      queuePause.begin(instance, number, command);
      return;
    }
    if (command.type() == QueueCommand.MOVE) {
      relocationTask.handleReady(instance, number, command);
      return;
    }
    if (plan != null) {
      applyPlan(instance, number, plan);
      return;
    }
    Set<Integer> waiting = waitingInstances.get(number);
    if (waiting != null) {
      waiting.add(instance);
      return;
    }
    boolean isBegun = execution.findUnanswered(number).size() < set.size();
    if (command.flatteningEpoch() < flatteningEpoch.number() && !isBegun) {
      InstanceResult rerouted = new InstanceResult.Refused(List.of(QueueCommand.AGAIN));
      set.numbers().forEach(target -> execution.recordResult(target, number, rerouted));
      return;
    }
    waitingInstances.put(number, new HashSet<>(Set.of(instance)));
    planInputReader.read(command, () -> prepareCommand(number));
  }

  /**
   * Reads state again that the larger set may have changed: parents, and owners of znodes that are
   * not permanent.
   */
  private void rereadState(Runnable callback) {
    numbering.clearAll();
    readOwned(callback);
  }

  /** Runs a retry unless the leader is closed. */
  private void retryIfOpen(Runnable retry) {
    if (!closed) {
      delayedExecutor.accept(retry);
    }
  }

  private void prepareCommand(long number) {
    QueueCommand command = commands.get(number);
    if (closed || command == null) {
      return;
    }
    if (execution.dispatchMode(number).covering()) {
      procedures.prepare(number, command, owners, () -> planCommand(number, command));
    } else {
      planCommand(number, command);
    }
  }

  private void planCommand(long number, QueueCommand command) {
    Set<Integer> waiting = waitingInstances.remove(number);
    if (closed || waiting == null) {
      return;
    }
    DedupSlot slot = execution.slot(number);
    numbering.recordNumbers(command, slot);
    CommandPlan plan = CommandPlan.of(command, leaderView, slot);
    numbering.clearAfterPlanning(command);
    planInputReader.clearUnreadable();
    plans.put(number, plan);
    waiting.forEach(instance -> applyPlan(instance, number, plan));
  }

  private void applyPlan(int instance, long number, CommandPlan plan) {
    QueueCommand command = findCommand(number);
    if (execution.dispatchMode(number).covering()) {
      procedures.handleReady(instance, number, command, plan, leaderView);
      return;
    }
    LocalRefusal refusal = plan.refusal(command, leaderView);
    if (refusal != null) {
      List<Op> precedingOperations = plan.operations().subList(0, refusal.index());
      findReplica(instance)
          .testOperations(
              command,
              precedingOperations,
              errors ->
                  execution.recordResult(
                      instance, number, new InstanceResult.Refused(refusal.errors(plan, errors))));
      return;
    }
    QueueReplica replica = findReplica(instance);
    List<Op> records = plan.recordOperations(number);
    DedupSlot slot = plan.createSlot(number);
    if (execution.dispatchMode(number).alone()) {
      replica.apply(
          number,
          command,
          plan.operations(),
          records,
          slot,
          result -> execution.recordResult(instance, number, result));
    } else {
      Set<String> exclusive = CommandPlan.exclusive(command, plan.operations());
      replica.applyBeside(number, command, exclusive, plan.operations(), records, slot);
    }
  }

  @Override
  public void handleResults(int instance, Map<Long, InstanceResult> results) {
    execution.recordResults(instance, results);
  }

  @Override
  public void finish(long number, Map<Integer, InstanceResult> results) {
    QueueCommand command = findCommand(number);
    commandScheduler.finishCommand(command);
    if (results.values().stream().anyMatch(ResultAgreement::tookEffect)) {
      recordEffect(number, command, results);
    }
    if (execution.dispatchMode(number).covering()) {
      procedures.end(
          number,
          command,
          plans.computeIfAbsent(number, key -> CommandPlan.NOTHING),
          leaderView,
          operationResults -> resolveOutcome(number, command, results, operationResults));
    } else {
      resolveOutcome(number, command, results, List.of());
    }
  }

  /** Records the owners and numbers that a command has changed: the next command is planned now. */
  private void recordEffect(
      long number, QueueCommand command, Map<Integer, InstanceResult> results) {
    CommandPlan plan =
        plans.computeIfAbsent(
            number, key -> CommandPlan.restorePlan(command, leaderView, results.values()));
    owners.applyPlan(plan, number);
    numbering.recordNumbers(command, plan.isBegun() ? plan.createSlot(number) : null);
  }

  private void resolveOutcome(
      long number,
      QueueCommand command,
      Map<Integer, InstanceResult> results,
      List<@Nullable OpResult> operationResults) {
    if (results.values().stream().noneMatch(ResultAgreement::tookEffect)) {
      numbering.returnNumbers(command, plans.getOrDefault(number, CommandPlan.NOTHING));
      sendOutcome(
          number,
          command,
          OutcomeBuilder.buildRefusal(command, set.numbers().stream().map(results::get).toList()));
      return;
    }
    CommandPlan plan = Objects.requireNonNull(plans.get(number), "an effect without a plan");
    new OutcomeResolver(
            command,
            plan,
            procedures.placeOperations(plan),
            set,
            results,
            operationResults,
            owners::findSession,
            OutcomeResolver.createReader(this::findReplica, command.credentials(), executor),
            this::retryIfOpen,
            outcome -> sendOutcome(number, command, outcome))
        .begin();
  }

  private void sendOutcome(long number, QueueCommand command, CommandOutcome outcome) {
    if (closed) {
      return;
    }
    queueStore.finish(
        number,
        command,
        plans.get(number),
        outcome,
        () -> {
          commands.remove(number);
          plans.remove(number);
          owners.finishCommand(number);
          execution.removeCommand(number);
          if (!closed && execution.size() == 0 && commandNumbering.isToRoll(number)) {
            leaderHost.rollQueue();
          }
        });
  }

  @Override
  public void reportDisagreement(long number, Map<Integer, InstanceResult> results) {
    isStopped = true;
    log.error(
        "Instances of one queue returned different results, so the queue stops; run 'ensemble"
            + " zoofence repair'; queue {}, command {}, results {}",
        set,
        number,
        results);
    leaderHost.restartLeaderLater();
  }

  /** Whether the queue has stopped because its instances differ. Thread-safe. */
  boolean isStopped() {
    return isStopped;
  }

  private QueueCommand findCommand(long number) {
    return Objects.requireNonNull(commands.get(number), "unknown command");
  }

  private QueueReplica findReplica(int instance) {
    return Objects.requireNonNull(
        replicas.get(instance), "an instance outside the set of the queue");
  }

  @Override
  public void close() {
    closed = true;
    queueStore.close();
    relocationTask.close();
    replicas.values().forEach(QueueReplica::close);
  }
}

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
  private final QueueExecution execution;
  private final QueueStore queueStore;
  private final Map<Integer, QueueReplica> replicas = new TreeMap<>();
  private final Map<Long, QueueCommand> commands = new HashMap<>();
  private final Map<Long, CommandPlan> plans = new HashMap<>();
  private final Map<Long, Set<Integer>> planning = new HashMap<>();
  private final SequentialNumbering numbering = new SequentialNumbering();
  private final PlanInputReader planInputReader;
  private final ZnodeOwners owners;
  private final LeaderView leaderView;
  private final CommandScheduler commandScheduler = new CommandScheduler();
  private final Procedures procedures;
  private final QueuePause queuePause;
  private final RelocationTask relocationTask;
  private final Consumer<Runnable> later;
  private final Executor thread;
  private final List<InstanceServers> servers;
  private final long term;
  private boolean ownedRead;
  private boolean closed;

  /**
   * @param term the term of this leader; later leaders have higher terms
   * @param later runs a task after a short delay, on the same thread
   * @param queueStore the source of commands and the destination of outcomes
   * @param flatteningEpoch the flattening epoch by which this leader leads
   */
  QueueLeader(
      InstanceSet set,
      List<InstanceServers> servers,
      FlatteningEpoch flatteningEpoch,
      long term,
      Executor thread,
      Consumer<Runnable> later,
      QueueStore queueStore,
      LeaderHost leaderHost) {
    this.set = set;
    this.later = later;
    this.flatteningEpoch = flatteningEpoch;
    this.thread = thread;
    this.queueStore = queueStore;
    this.owners = new ZnodeOwners(queueStore);
    this.leaderHost = leaderHost;
    this.execution = new QueueExecution(set, QueueReplica.SLOTS, this);
    this.procedures =
        new Procedures(
            set, flatteningEpoch::flattening, queueStore, execution, this::replica, thread);
    this.planInputReader =
        new PlanInputReader(
            numbering, () -> replica(set.canonical()).client(), thread, this::ifOpen);
    this.leaderView =
        new LeaderView(numbering, owners, planInputReader, flatteningEpoch::flattening);
    this.queuePause =
        new QueuePause(
            set, flatteningEpoch.number(), queueStore, leaderHost, execution, this::learn);
    this.relocationTask =
        new RelocationTask(
            servers, set, queueStore, leaderHost, this::replica, thread, this::ifOpen);
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
          new QueueReplica(servers.get(instance), instance, set, term, thread, later, this));
    }
  }

  /** Takes a command that is in the queue. */
  void arrived(long number, byte[] bytes) {
    if (closed || commands.containsKey(number)) {
      return;
    }
    try {
      QueueCommand command = QueueCommand.read(bytes);
      if (!CommandPlan.possible(command)) {
        queueStore.finish(
            number, command, null, OutcomeBuilder.failed(Code.UNIMPLEMENTED), () -> {});
        return;
      }
      if (command.flatteningEpoch() != QueueCommand.ANY
          && command.flatteningEpoch() > flatteningEpoch.number()) {
        leaderHost.anew();
        return;
      }
      commands.put(number, command);
      execution.arrived(number, commandScheduler.of(command, flatteningEpoch.flattening(), set));
    } catch (RuntimeException e) {
      log.warn("A command cannot be read; queue {}, command {}", set, number, e);
      commands.remove(number);
      queueStore.discard(number, bytes);
    }
  }

  @Override
  public void reached(int instance, NavigableMap<Long, InstanceResult.Remembered> slots) {
    if (closed) {
      return;
    }
    procedures.reached();
    if (instance == set.canonical() && !ownedRead) {
      readOwned(() -> execution.reached(instance, slots));
    } else {
      execution.reached(instance, slots);
    }
  }

  private void readOwned(Runnable then) {
    owners.read(
        replica(set.canonical()).client(),
        thread,
        () -> {
          if (!closed) {
            ownedRead = true;
            then.run();
          }
        });
  }

  @Override
  public void lost(int instance) {
    procedures.lost(instance);
    relocationTask.lost(instance);
    planning.values().forEach(waiting -> waiting.remove(instance));
    execution.lost(instance);
  }

  @Override
  public void superseded() {
    if (!closed) {
      leaderHost.superseded();
    }
  }

  @Override
  public void apply(int instance, long number) {
    CommandPlan plan = plans.get(number);
    QueueCommand command = command(number);
    if (command.type() == QueueCommand.LOCK) {
      queuePause.begin(instance, number, command);
      return;
    }
    if (command.type() == QueueCommand.MOVE) {
      relocationTask.ready(instance, number, command);
      return;
    }
    if (plan != null) {
      apply(instance, number, plan);
      return;
    }
    Set<Integer> waiting = planning.get(number);
    if (waiting != null) {
      waiting.add(instance);
      return;
    }
    boolean begun = execution.unanswered(number).size() < set.size();
    if (command.flatteningEpoch() < flatteningEpoch.number() && !begun) {
      InstanceResult again = new InstanceResult.Refused(List.of(QueueCommand.AGAIN));
      set.numbers().forEach(each -> execution.answered(each, number, again));
      return;
    }
    planning.put(number, new HashSet<>(Set.of(instance)));
    planInputReader.ask(command, () -> settle(number));
  }

  /**
   * Reads state again that the larger set may have changed: parents, and owners of znodes that are
   * not permanent.
   */
  private void learn(Runnable then) {
    numbering.forget();
    readOwned(then);
  }

  /** Runs a retry unless the leader is closed. */
  private void ifOpen(Runnable again) {
    if (!closed) {
      later.accept(again);
    }
  }

  private void settle(long number) {
    QueueCommand command = commands.get(number);
    if (closed || command == null) {
      return;
    }
    if (execution.way(number).covering()) {
      procedures.prepare(number, command, owners, () -> plan(number, command));
    } else {
      plan(number, command);
    }
  }

  private void plan(long number, QueueCommand command) {
    Set<Integer> waiting = planning.remove(number);
    if (closed || waiting == null) {
      return;
    }
    DedupSlot slot = execution.slot(number);
    numbering.learn(command, slot);
    CommandPlan plan = CommandPlan.of(command, leaderView, slot);
    numbering.planned(command);
    plans.put(number, plan);
    waiting.forEach(instance -> apply(instance, number, plan));
  }

  private void apply(int instance, long number, CommandPlan plan) {
    QueueCommand command = command(number);
    if (execution.way(number).covering()) {
      procedures.ready(instance, number, command, plan, leaderView);
      return;
    }
    LocalRefusal refusal = plan.refusal(command, leaderView);
    if (refusal != null) {
      List<Op> before = plan.operations().subList(0, refusal.place());
      replica(instance)
          .tryOut(
              command,
              before,
              found ->
                  execution.answered(
                      instance, number, new InstanceResult.Refused(refusal.errors(plan, found))));
      return;
    }
    replica(instance)
        .apply(
            number,
            command,
            plan.operations(),
            plan.records(number),
            plan.slot(number),
            result -> execution.answered(instance, number, result));
  }

  @Override
  public void finish(long number, Map<Integer, InstanceResult> results) {
    QueueCommand command = command(number);
    commandScheduler.ended(command);
    if (execution.way(number).covering()) {
      boolean effect = results.values().stream().anyMatch(ResultAgreement::tookEffect);
      CommandPlan plan =
          plans.computeIfAbsent(
              number,
              key ->
                  effect
                      ? CommandPlan.remembered(command, leaderView, results.values())
                      : CommandPlan.NOTHING);
      procedures.end(
          number, command, plan, leaderView, composed -> ended(number, command, results, composed));
    } else {
      ended(number, command, results, List.of());
    }
  }

  private void ended(
      long number,
      QueueCommand command,
      Map<Integer, InstanceResult> results,
      List<@Nullable OpResult> composed) {
    if (results.values().stream().noneMatch(ResultAgreement::tookEffect)) {
      numbering.refused(command, plans.getOrDefault(number, CommandPlan.NOTHING));
      tell(
          number,
          command,
          OutcomeBuilder.refused(command, set.numbers().stream().map(results::get).toList()));
      return;
    }
    CommandPlan plan =
        plans.computeIfAbsent(
            number, key -> CommandPlan.remembered(command, leaderView, results.values()));
    owners.changed(plan, number);
    numbering.learn(command, plan.begun() ? plan.slot(number) : null);
    new OutcomeResolver(
            command,
            plan,
            procedures.placed(plan),
            set,
            results,
            composed,
            owners::session,
            OutcomeResolver.asking(this::replica, thread),
            this::ifOpen,
            outcome -> tell(number, command, outcome))
        .begin();
  }

  private void tell(long number, QueueCommand command, CommandOutcome outcome) {
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
          execution.forgotten(number);
        });
  }

  @Override
  public void disagreed(long number, Map<Integer, InstanceResult> results) {
    log.error(
        "Instances of one queue returned different results, so the queue stops; queue {}, command "
            + "{}, results {}",
        set,
        number,
        results);
  }

  private QueueCommand command(long number) {
    return Objects.requireNonNull(commands.get(number), "unknown command");
  }

  private QueueReplica replica(int instance) {
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

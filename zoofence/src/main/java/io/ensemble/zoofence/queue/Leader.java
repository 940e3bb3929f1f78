package io.ensemble.zoofence.queue;

import io.ensemble.zoofence.flattening.Edition;
import io.ensemble.zoofence.flattening.InstanceSet;
import io.ensemble.zoofence.link.Servers;
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
 * Carries out the commands of one queue while this process leads it. What is decided is decided by
 * an {@link Execution}; here it is done. Confined to the executor's thread.
 */
final class Leader implements Execution.Work, Replica.Listener, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Leader.class);

  private final InstanceSet set;
  private final Edition edition;
  private final Office office;
  private final Execution execution;
  private final Desk desk;
  private final Map<Integer, Replica> replicas = new TreeMap<>();
  private final Map<Long, Command> commands = new HashMap<>();
  private final Map<Long, Plan> plans = new HashMap<>();
  private final Map<Long, Set<Integer>> planning = new HashMap<>();
  private final Numbering numbering = new Numbering();
  private final Counting counting;
  private final Owners owners;
  private final Known known;
  private final Turns turns = new Turns();
  private final Procedures procedures;
  private final Standing standing;
  private final Relocating relocating;
  private final Consumer<Runnable> later;
  private final Executor thread;
  private final List<Servers> servers;
  private final long term;
  private boolean ownedRead;
  private boolean closed;

  /**
   * @param term of this leader: later leaders have higher ones
   * @param later runs something after a moment, on the same thread
   * @param desk where commands come from, and outcomes go
   * @param edition of the flattening, by which it leads
   */
  Leader(
      InstanceSet set,
      List<Servers> servers,
      Edition edition,
      long term,
      Executor thread,
      Consumer<Runnable> later,
      Desk desk,
      Office office) {
    this.set = set;
    this.later = later;
    this.edition = edition;
    this.thread = thread;
    this.desk = desk;
    this.owners = new Owners(desk);
    this.office = office;
    this.execution = new Execution(set, Replica.SLOTS, this);
    this.procedures =
        new Procedures(set, edition::flattening, desk, execution, this::replica, thread);
    this.counting =
        new Counting(numbering, () -> replica(set.canonical()).client(), thread, this::ifOpen);
    this.known = new Known(numbering, owners, counting, edition::flattening);
    this.standing = new Standing(set, edition.number(), desk, office, execution, this::learn);
    this.relocating =
        new Relocating(servers, set, desk, office, this::replica, thread, this::ifOpen);
    this.servers = servers;
    this.term = term;
  }

  /** Goes to the instances; every command that stood in the queue has arrived. */
  void open() {
    if (closed || !replicas.isEmpty()) {
      return;
    }
    for (int instance : set.numbers()) {
      replicas.put(
          instance, new Replica(servers.get(instance), instance, set, term, thread, later, this));
    }
  }

  /** A command stands in the queue. */
  void arrived(long number, byte[] bytes) {
    if (closed || commands.containsKey(number)) {
      return;
    }
    try {
      Command command = Command.read(bytes);
      if (!Plan.possible(command)) {
        desk.finish(number, command, null, Replying.failed(Code.UNIMPLEMENTED), () -> {});
        return;
      }
      if (command.edition() != Command.ANY && command.edition() > edition.number()) {
        office.anew();
        return;
      }
      commands.put(number, command);
      execution.arrived(number, turns.of(command, edition.flattening(), set));
    } catch (RuntimeException e) {
      log.warn("A command cannot be read; queue {}, command {}", set, number, e);
      commands.remove(number);
      desk.discard(number, bytes);
    }
  }

  @Override
  public void reached(int instance, NavigableMap<Long, Result.Remembered> slots) {
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
    relocating.lost(instance);
    planning.values().forEach(waiting -> waiting.remove(instance));
    execution.lost(instance);
  }

  @Override
  public void superseded() {
    if (!closed) {
      office.superseded();
    }
  }

  @Override
  public void apply(int instance, long number) {
    Plan plan = plans.get(number);
    Command command = command(number);
    if (command.type() == Command.LOCK) {
      standing.begin(instance, number, command);
      return;
    }
    if (command.type() == Command.MOVE) {
      relocating.ready(instance, number, command);
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
    if (command.edition() < edition.number() && !begun) {
      Result again = new Result.Refused(List.of(Command.AGAIN));
      set.numbers().forEach(each -> execution.answered(each, number, again));
      return;
    }
    planning.put(number, new HashSet<>(Set.of(instance)));
    counting.ask(command, () -> settle(number));
  }

  /** The larger set may have made or removed parents, and what goes of itself. */
  private void learn(Runnable then) {
    numbering.forget();
    readOwned(then);
  }

  /** What is tried again ends with the leader. */
  private void ifOpen(Runnable again) {
    if (!closed) {
      later.accept(again);
    }
  }

  private void settle(long number) {
    Command command = commands.get(number);
    if (closed || command == null) {
      return;
    }
    if (execution.way(number).covering()) {
      procedures.prepare(number, command, owners, () -> plan(number, command));
    } else {
      plan(number, command);
    }
  }

  private void plan(long number, Command command) {
    Set<Integer> waiting = planning.remove(number);
    if (closed || waiting == null) {
      return;
    }
    Slot slot = execution.slot(number);
    numbering.learn(command, slot);
    Plan plan = Plan.of(command, known, slot);
    numbering.planned(command);
    plans.put(number, plan);
    waiting.forEach(instance -> apply(instance, number, plan));
  }

  private void apply(int instance, long number, Plan plan) {
    Command command = command(number);
    if (execution.way(number).covering()) {
      procedures.ready(instance, number, command, plan, known);
      return;
    }
    LocalRefusal refusal = plan.refusal(command, known);
    if (refusal != null) {
      List<Op> before = plan.operations().subList(0, refusal.place());
      replica(instance)
          .tryOut(
              command,
              before,
              found ->
                  execution.answered(
                      instance, number, new Result.Refused(refusal.errors(plan, found))));
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
  public void finish(long number, Map<Integer, Result> results) {
    Command command = command(number);
    turns.ended(command);
    if (execution.way(number).covering()) {
      boolean effect = results.values().stream().anyMatch(Agreement::tookEffect);
      Plan plan =
          plans.computeIfAbsent(
              number,
              key -> effect ? Plan.remembered(command, known, results.values()) : Plan.NOTHING);
      procedures.end(
          number, command, plan, known, composed -> ended(number, command, results, composed));
    } else {
      ended(number, command, results, List.of());
    }
  }

  private void ended(
      long number,
      Command command,
      Map<Integer, Result> results,
      List<@Nullable OpResult> composed) {
    if (results.values().stream().noneMatch(Agreement::tookEffect)) {
      numbering.refused(command, plans.getOrDefault(number, Plan.NOTHING));
      tell(
          number,
          command,
          Replying.refused(command, set.numbers().stream().map(results::get).toList()));
      return;
    }
    Plan plan =
        plans.computeIfAbsent(number, key -> Plan.remembered(command, known, results.values()));
    owners.changed(plan, number);
    numbering.learn(command, plan.begun() ? plan.slot(number) : null);
    new Telling(
            command,
            plan,
            procedures.placed(plan),
            set,
            results,
            composed,
            owners::session,
            Telling.asking(this::replica, thread),
            this::ifOpen,
            outcome -> tell(number, command, outcome))
        .begin();
  }

  private void tell(long number, Command command, Outcome outcome) {
    if (closed) {
      return;
    }
    desk.finish(
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
  public void disagreed(long number, Map<Integer, Result> results) {
    log.error(
        "Instances of one queue answered differently, so it stops; queue {}, command {}, answers"
            + " {}",
        set,
        number,
        results);
  }

  private Command command(long number) {
    return Objects.requireNonNull(commands.get(number), "a command that is not known");
  }

  private Replica replica(int instance) {
    return Objects.requireNonNull(replicas.get(instance), "an instance of another set");
  }

  @Override
  public void close() {
    closed = true;
    desk.close();
    relocating.close();
    replicas.values().forEach(Replica::close);
  }
}

package io.ensemble.zoofence.queue;

import io.ensemble.zoofence.flattening.InstanceSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Decides how the commands of one queue are executed at the instances of its set. Each instance
 * executes them in the queue's order and exactly once; several may be in flight at a time. This
 * class has inputs and outputs only: no I/O, no clock, no thread.
 *
 * <p>An instance executes a connection's requests in their order, and records each command that
 * took effect in a slot. After a lost connection or a change of the leader, the slots decide the
 * commands without a response:
 *
 * <ul>
 *   <li>A slot with the command's number: the command took effect.
 *   <li>A slot with a later number only: the command was refused.
 *   <li>Neither: the command never arrived.
 * </ul>
 *
 * <p>Paths that several instances hold change only through their queue, so all instances of the set
 * give the same result.
 */
public final class QueueExecution {
  /** Executes the decisions, and is called in the order in which they are to be executed. */
  public interface Work {
    /** Sends a command to an instance. */
    void apply(int instance, long command);

    /** All instances have answered: sends the outcome to the client, and removes the command. */
    void finish(long command, Map<Integer, InstanceResult> results);

    /**
     * Instances with the same content have given different results: the queue of the set is
     * stopped.
     */
    void disagreed(long command, Map<Integer, InstanceResult> results);
  }

  /**
   * How a command goes to the instances.
   *
   * @param alone whether no other command may be in flight at the same time
   * @param covering whether instances execute different operations, so that they agree on the
   *     command first
   */
  public record Way(boolean alone, boolean covering) {
    public static final Way BESIDE = new Way(false, false);
    public static final Way ALONE = new Way(true, false);
    public static final Way COVERING = new Way(true, true);
  }

  private static final class Pending {
    private final long number;
    private final Way way;
    private final Map<Integer, InstanceResult> results = new HashMap<>();
    private long sent;
    private boolean finished;

    Pending(long number, Way way) {
      this.number = number;
      this.way = way;
    }
  }

  private final InstanceSet set;
  private final int window;
  private final Work work;
  private final TreeMap<Long, Pending> pending = new TreeMap<>();
  private final TreeMap<Long, Way> arrived = new TreeMap<>();
  private final Map<Integer, NavigableMap<Long, InstanceResult.Remembered>> told = new HashMap<>();
  private long reachable;
  private long known;
  private boolean stopped;
  private boolean advancing;
  private boolean again;

  /**
   * @param window the maximum distance between the oldest command not yet removed and the newest in
   *     flight; this is the number of slots
   */
  public QueueExecution(InstanceSet set, int window, Work work) {
    this.set = set;
    this.window = window;
    this.work = work;
  }

  /** The number of commands that have arrived and are not yet removed. */
  int size() {
    return pending.size() + arrived.size();
  }

  boolean isStopped() {
    return stopped;
  }

  /**
   * Adds a command that is in the queue.
   *
   * @param way how the command goes to the instances
   */
  public void arrived(long command, Way way) {
    if (pending.containsKey(command)) {
      return;
    }
    if (told.values().stream().anyMatch(slots -> isSent(command, slots))) {
      adopt(command, way);
    } else {
      arrived.put(command, way);
    }
    advance();
  }

  /** An instance is ready for commands; its slots are those that it has recorded. */
  public void reached(int instance, NavigableMap<Long, InstanceResult.Remembered> slots) {
    reachable |= 1L << instance;
    known |= 1L << instance;
    told.put(instance, slots);
    // A former leader sent the commands that the slots contain; this leader has not.
    long newest = slots.isEmpty() ? -1 : slots.lastKey();
    for (var one = arrived.floorEntry(newest); one != null; one = arrived.floorEntry(newest)) {
      adopt(one.getKey(), one.getValue());
    }
    for (var one : pending.entrySet()) {
      one.getValue().sent &= ~(1L << instance);
      recall(instance, one.getKey(), one.getValue());
    }
    advance();
  }

  /** Takes over a command that an earlier leader has sent. */
  private void adopt(long number, Way way) {
    arrived.remove(number);
    var adopted = new Pending(number, way);
    pending.put(number, adopted);
    told.keySet().forEach(instance -> recall(instance, number, adopted));
  }

  private void recall(int instance, long number, Pending command) {
    NavigableMap<Long, InstanceResult.Remembered> slots = told.get(instance);
    if (slots == null || command.finished || !isSent(number, slots)) {
      return;
    }
    InstanceResult.Remembered slot = slots.get(number);
    command.results.putIfAbsent(instance, slot == null ? new InstanceResult.Passed() : slot);
  }

  /** Whether a command, or a later one, took effect at the instance of these slots. */
  private static boolean isSent(long number, NavigableMap<Long, InstanceResult.Remembered> slots) {
    return !slots.isEmpty() && number <= slots.lastKey();
  }

  /** An instance can no longer be reached; commands in flight to it may or may not arrive. */
  public void lost(int instance) {
    reachable &= ~(1L << instance);
  }

  /** An instance has answered a command. */
  public void answered(int instance, long command, InstanceResult result) {
    Pending one = pending.get(command);
    if (one != null && !one.finished && one.results.putIfAbsent(instance, result) == null) {
      advance();
    }
  }

  /** The client has its outcome, and the command is out of the queue. */
  public void forgotten(long command) {
    pending.remove(command);
    advance();
  }

  /** How a command goes to the instances. */
  public Way way(long command) {
    Pending one = pending.get(command);
    return one == null ? Way.ALONE : one.way;
  }

  /** The instances that have not answered a command. */
  public Set<Integer> unanswered(long command) {
    Pending one = pending.get(command);
    if (one == null || one.finished) {
      return Set.of();
    }
    var left = new HashSet<>(set.numbers());
    left.removeAll(one.results.keySet());
    return left;
  }

  /** The result of a command at an instance; null if the instance has not answered. */
  @Nullable InstanceResult result(long command, int instance) {
    Pending one = pending.get(command);
    return one == null ? null : one.results.get(instance);
  }

  /** The slot of a command at any instance that has recorded it; null if no instance has. */
  public @Nullable DedupSlot slot(long command) {
    Pending one = pending.get(command);
    if (one != null) {
      for (InstanceResult result : one.results.values()) {
        if (result instanceof InstanceResult.Remembered remembered) {
          return remembered.slot();
        }
      }
    }
    return null;
  }

  /**
   * Advances the queue. A callback of the work may call this method again; the running call then
   * continues.
   */
  private void advance() {
    again = true;
    // Until all slots have been read, some instance may have recorded a command that has to come
    // first.
    if (advancing || known != set.bits()) {
      return;
    }
    advancing = true;
    try {
      while (again && !stopped) {
        again = false;
        finishAnswered();
        admit();
        send();
      }
    } finally {
      advancing = false;
    }
  }

  private void finishAnswered() {
    for (Pending command : List.copyOf(pending.values())) {
      if (command.finished || stopped) {
        continue;
      }
      if (command.results.size() < set.size()) {
        // Clients receive outcomes in the queue's order.
        return;
      }
      command.finished = true;
      if (ResultAgreement.of(command.results.values(), !command.way.covering())) {
        work.finish(command.number, Map.copyOf(command.results));
      } else {
        stopped = true;
        work.disagreed(command.number, Map.copyOf(command.results));
      }
    }
  }

  private void admit() {
    for (var next = arrived.firstEntry(); next != null; next = arrived.firstEntry()) {
      if (!pending.isEmpty() && next.getKey() - pending.firstKey() >= window) {
        return;
      }
      arrived.remove(next.getKey());
      pending.put(next.getKey(), new Pending(next.getKey(), next.getValue()));
    }
  }

  /**
   * Whether an instance is known to have refused the command. An instance that refused the command,
   * and then applied a later one, decides for all, since all do the same. The other instances need
   * not receive such a command. They must not receive it if its effect depends on their current
   * state.
   */
  private static boolean isRefused(Pending command) {
    return command.way.alone()
        && command.results.values().stream().anyMatch(InstanceResult.Passed.class::isInstance);
  }

  private void send() {
    boolean first = true;
    for (Pending command : List.copyOf(pending.values())) {
      if (command.finished) {
        continue;
      }
      // An earlier leader may have sent in parallel with others a command that this leader sends
      // alone.
      if (stopped || (command.way.alone() && !first)) {
        return;
      }
      if ((reachable & ~command.sent) != 0) {
        set.numbers().forEach(instance -> send(command, instance));
      }
      if (command.way.alone()) {
        return;
      }
      first = false;
    }
  }

  private void send(Pending command, int instance) {
    long bit = 1L << instance;
    if ((reachable & ~command.sent & bit) == 0 || command.results.containsKey(instance)) {
      return;
    }
    if (isRefused(command)) {
      command.results.put(instance, new InstanceResult.Passed());
      again = true;
    } else {
      command.sent |= bit;
      work.apply(instance, command.number);
    }
  }
}

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
    void reportDisagreement(long command, Map<Integer, InstanceResult> results);
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
    private final Way dispatchMode;
    private final Map<Integer, InstanceResult> results = new HashMap<>();
    private long sent;
    private boolean finished;

    Pending(long number, Way dispatchMode) {
      this.number = number;
      this.dispatchMode = dispatchMode;
    }
  }

  private final InstanceSet set;
  private final int window;
  private final Work work;
  private final TreeMap<Long, Pending> pending = new TreeMap<>();
  private final TreeMap<Long, Way> arrivedCommands = new TreeMap<>();
  private final Map<Integer, NavigableMap<Long, InstanceResult.Remembered>> slotsByInstance =
      new HashMap<>();
  private long reachableBits;
  private long knownBits;
  private boolean stopped;
  private boolean isAdvancing;
  private boolean mustRepeat;

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
  public int size() {
    return pending.size() + arrivedCommands.size();
  }

  boolean isStopped() {
    return stopped;
  }

  /**
   * Adds a command that is in the queue.
   *
   * @param dispatchMode how the command goes to the instances
   */
  public void addCommand(long command, Way dispatchMode) {
    if (pending.containsKey(command)) {
      return;
    }
    if (slotsByInstance.values().stream().anyMatch(slots -> isSent(command, slots))) {
      adoptCommand(command, dispatchMode);
    } else {
      arrivedCommands.put(command, dispatchMode);
    }
    advance();
  }

  /** An instance is ready for commands; its slots are those that it has recorded. */
  public void addInstance(int instance, NavigableMap<Long, InstanceResult.Remembered> slots) {
    reachableBits |= 1L << instance;
    knownBits |= 1L << instance;
    slotsByInstance.put(instance, slots);
    // A former leader sent the commands that the slots contain; this leader has not.
    long newest = slots.isEmpty() ? -1 : slots.lastKey();
    for (var entry = arrivedCommands.floorEntry(newest);
        entry != null;
        entry = arrivedCommands.floorEntry(newest)) {
      adoptCommand(entry.getKey(), entry.getValue());
    }
    for (var entry : pending.entrySet()) {
      entry.getValue().sent &= ~(1L << instance);
      restoreResult(instance, entry.getKey(), entry.getValue());
    }
    advance();
  }

  /** Takes over a command that an earlier leader has sent. */
  private void adoptCommand(long number, Way dispatchMode) {
    arrivedCommands.remove(number);
    var adoptedCommand = new Pending(number, dispatchMode);
    pending.put(number, adoptedCommand);
    slotsByInstance.keySet().forEach(instance -> restoreResult(instance, number, adoptedCommand));
  }

  private void restoreResult(int instance, long number, Pending command) {
    NavigableMap<Long, InstanceResult.Remembered> slots = slotsByInstance.get(instance);
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
  public void removeInstance(int instance) {
    reachableBits &= ~(1L << instance);
  }

  /** An instance has answered a command. */
  public void recordResult(int instance, long command, InstanceResult result) {
    recordResults(instance, Map.of(command, result));
  }

  /** An instance has answered several commands. */
  public void recordResults(int instance, Map<Long, InstanceResult> results) {
    boolean isNew = false;
    for (var entry : results.entrySet()) {
      Pending command = pending.get(entry.getKey());
      isNew |=
          command != null
              && !command.finished
              && command.results.putIfAbsent(instance, entry.getValue()) == null;
    }
    if (isNew) {
      advance();
    }
  }

  /** The client has its outcome, and the command is out of the queue. */
  public void removeCommand(long command) {
    pending.remove(command);
    advance();
  }

  /** How a command goes to the instances. */
  public Way dispatchMode(long command) {
    Pending entry = pending.get(command);
    return entry == null ? Way.ALONE : entry.dispatchMode;
  }

  /** The instances that have not answered a command. */
  public Set<Integer> findUnanswered(long command) {
    Pending entry = pending.get(command);
    if (entry == null || entry.finished) {
      return Set.of();
    }
    var remaining = new HashSet<>(set.numbers());
    remaining.removeAll(entry.results.keySet());
    return remaining;
  }

  /** The result of a command at an instance; null if the instance has not answered. */
  @Nullable InstanceResult result(long command, int instance) {
    Pending entry = pending.get(command);
    return entry == null ? null : entry.results.get(instance);
  }

  /** The slot of a command at any instance that has recorded it; null if no instance has. */
  public @Nullable DedupSlot slot(long command) {
    Pending entry = pending.get(command);
    if (entry != null) {
      for (InstanceResult result : entry.results.values()) {
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
    mustRepeat = true;
    // Until all slots have been read, some instance may have recorded a command that has to come
    // first.
    if (isAdvancing || knownBits != set.bits()) {
      return;
    }
    isAdvancing = true;
    try {
      while (mustRepeat && !stopped) {
        mustRepeat = false;
        finishCommands();
        admitCommands();
        send();
      }
    } finally {
      isAdvancing = false;
    }
  }

  private void finishCommands() {
    for (Pending command : List.copyOf(pending.values())) {
      if (command.finished || stopped) {
        continue;
      }
      if (command.results.size() < set.size()) {
        // Clients receive outcomes in the queue's order.
        return;
      }
      command.finished = true;
      if (ResultAgreement.isAgreed(command.results.values(), !command.dispatchMode.covering())) {
        work.finish(command.number, Map.copyOf(command.results));
      } else {
        stopped = true;
        work.reportDisagreement(command.number, Map.copyOf(command.results));
      }
    }
  }

  private void admitCommands() {
    for (var next = arrivedCommands.firstEntry();
        next != null;
        next = arrivedCommands.firstEntry()) {
      if (!pending.isEmpty() && next.getKey() - pending.firstKey() >= window) {
        return;
      }
      arrivedCommands.remove(next.getKey());
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
    return command.dispatchMode.alone()
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
      if (stopped || (command.dispatchMode.alone() && !first)) {
        return;
      }
      if ((reachableBits & ~command.sent) != 0) {
        set.numbers().forEach(instance -> send(command, instance));
      }
      if (command.dispatchMode.alone()) {
        return;
      }
      first = false;
    }
  }

  private void send(Pending command, int instance) {
    long bit = 1L << instance;
    if ((reachableBits & ~command.sent & bit) == 0 || command.results.containsKey(instance)) {
      return;
    }
    if (isRefused(command)) {
      command.results.put(instance, new InstanceResult.Passed());
      mustRepeat = true;
    } else {
      command.sent |= bit;
      work.apply(instance, command.number);
    }
  }
}

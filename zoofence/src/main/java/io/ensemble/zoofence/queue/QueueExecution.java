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
 * Decides how the commands of one queue are carried out at the instances that share it: in the
 * queue's order at each, several on their way at a time, each exactly once. Values in, values out:
 * no I/O, no clock, no thread.
 *
 * <p>An instance takes a connection's requests in their order, and remembers in a slot each command
 * that took effect. So when a connection is lost, or the leader is another one, the slots tell what
 * became of those without an answer: a slot with the command's number, and it took effect; a slot
 * with a later number, and it was refused; neither, and it never arrived. Paths that several
 * instances hold change through their queue alone, so all instances of the set answer alike.
 */
public final class QueueExecution {
  /** What is to be done; called in the order in which it is to be done. */
  public interface Work {
    /** Send a command to an instance. */
    void apply(int instance, long command);

    /** All instances have answered: tell the client, and forget the command. */
    void finish(long command, Map<Integer, InstanceResult> results);

    /** Instances that hold the same have answered differently: the set is stopped. */
    void disagreed(long command, Map<Integer, InstanceResult> results);
  }

  /**
   * How a command goes to the instances.
   *
   * @param alone whether no other is on its way beside it
   * @param covering whether instances do different things, so that it is agreed on before
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
   * @param window as many commands may be between the oldest that is not yet forgotten and the
   *     newest that is on its way: as many slots as there are
   */
  public QueueExecution(InstanceSet set, int window, Work work) {
    this.set = set;
    this.window = window;
    this.work = work;
  }

  /** As many commands as are known and not forgotten. */
  int size() {
    return pending.size() + arrived.size();
  }

  boolean isStopped() {
    return stopped;
  }

  /**
   * A command stands in the queue.
   *
   * @param way how it goes to the instances
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

  /** An instance can be sent commands; its slots tell what it remembers. */
  public void reached(int instance, NavigableMap<Long, InstanceResult.Remembered> slots) {
    reachable |= 1L << instance;
    known |= 1L << instance;
    told.put(instance, slots);
    // What was in the slots when a leader took over has not been asked for by this one.
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

  /** Takes in a command that an earlier leader has sent. */
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

  /** An instance can no longer be reached; what is on its way there may or may not arrive. */
  public void lost(int instance) {
    reachable &= ~(1L << instance);
  }

  /** An instance has answered. */
  public void answered(int instance, long command, InstanceResult result) {
    Pending one = pending.get(command);
    if (one != null && !one.finished && one.results.putIfAbsent(instance, result) == null) {
      advance();
    }
  }

  /** The client has been told, and the command taken out of the queue. */
  public void forgotten(long command) {
    pending.remove(command);
    advance();
  }

  /** How a command goes to the instances. */
  public Way way(long command) {
    Pending one = pending.get(command);
    return one == null ? Way.ALONE : one.way;
  }

  /** The instances that have not answered to a command. */
  public Set<Integer> unanswered(long command) {
    Pending one = pending.get(command);
    if (one == null || one.finished) {
      return Set.of();
    }
    var left = new HashSet<>(set.numbers());
    left.removeAll(one.results.keySet());
    return left;
  }

  /** What an instance said of a command, if it has. */
  @Nullable InstanceResult result(long command, int instance) {
    Pending one = pending.get(command);
    return one == null ? null : one.results.get(instance);
  }

  /** Slots of a command that some instance remembers, if any does. */
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

  /** Work that is done may call back at once: then the turn that runs goes on. */
  private void advance() {
    again = true;
    // Before every instance has told its slots, one of them may remember what has to come first.
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
        // Clients are told in the queue's order.
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
   * All instances do the same, so what one refused before something later took effect there need
   * not be sent to others; it must not if what it does depends on what the others hold by now.
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
      // An earlier leader may have sent beside each other what this one sends alone.
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

package io.ensemble.testkit.swmr;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.NullNode;
import io.ensemble.DoubtfulWrites;
import io.ensemble.DoubtfulWrites.Fate;
import io.ensemble.site.Bytes;
import io.ensemble.stamp.Stamp;
import io.ensemble.testkit.history.History;
import io.ensemble.testkit.history.Operation;
import io.ensemble.testkit.history.Outcome;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a fail-over may drop from a cache whose primary alone acknowledges, and a history in which
 * that, and nothing else, may happen.
 *
 * <p>At a fail-over a key may go back from its last write to the one before, and so on, over writes
 * that were reported as doubtful and not as kept, writes whose outcome is unknown, and the last
 * ones, as many as a window holds, of a process that has died. Each such step becomes an operation
 * of nobody, a write of the former value that may take effect after the fail-over or never. A write
 * that was acknowledged and is reported as kept, or not at all, cannot be stepped over: when it is
 * lost, no order explains the history.
 */
final class Losses {

  /** A write as its caller saw it. */
  private static final class Written {
    final int process;
    final Long value;
    final long calledNanos;
    Stamp stamp;
    boolean refused;

    Written(int process, Long value, long calledNanos) {
      this.process = process;
      this.value = value;
      this.calledNanos = calledNanos;
    }
  }

  private record FailOver(long nanos) {}

  private final int windowWrites;
  private final Map<String, List<Written>> logs = new HashMap<>();
  private final Map<Stamp, Written> acknowledged = new HashMap<>();
  private final Map<Stamp, Fate> fates = new HashMap<>();
  private final Map<Stamp, Long> lostAtNanos = new HashMap<>();
  private final Map<String, Integer> reported = new HashMap<>();
  private final List<FailOver> failOvers = new ArrayList<>();
  private final Set<Integer> dead = new HashSet<>();
  private final List<String> mistakes = new ArrayList<>();
  private final List<Written> inOrder = new ArrayList<>();
  private long epoch = 1;

  /**
   * @param windowWrites how many writes a process may have in doubt, or leave when it dies
   */
  Losses(int windowWrites) {
    this.windowWrites = windowWrites;
  }

  /** A process begins a write of {@code value}, null for a removal. */
  Object begin(int process, String key, Long value, long nowNanos) {
    Written written = new Written(process, value, nowNanos);
    logs.computeIfAbsent(key, name -> new ArrayList<>()).add(written);
    return written;
  }

  /** It was acknowledged, and changed the key. */
  void applied(Object write, Stamp stamp) {
    Written written = (Written) write;
    written.stamp = stamp;
    acknowledged.put(stamp, written);
    inOrder.add(written);
  }

  /** It did nothing. */
  void refused(Object write) {
    ((Written) write).refused = true;
  }

  /** An epoch is there that was not at {@code beforeNanos}. */
  void seen(long now, long beforeNanos) {
    if (now > epoch) {
      epoch = now;
      failOvers.add(new FailOver(beforeNanos));
    }
  }

  void died(int process) {
    dead.add(process);
  }

  /** What a process reports. */
  void report(int process, DoubtfulWrites<Bytes> report, long nowNanos) {
    for (DoubtfulWrites.Write<Bytes> write : report.writes()) {
      Fate before = fates.put(write.stamp(), report.fate());
      boolean first = report.fate() == Fate.UNKNOWN;
      if (first ? before != null : before != Fate.UNKNOWN) {
        mistakes.add("reported as %s after %s: %s".formatted(report.fate(), before, write));
      }
      if (report.fate() == Fate.LOST) {
        lostAtNanos.put(write.stamp(), nowNanos);
      }
    }
    if (report.fate() == Fate.UNKNOWN) {
      String which = process + " in epoch " + report.epoch();
      int all = reported.merge(which, report.writes().size(), Integer::sum);
      if (all > windowWrites) {
        mistakes.add("%d writes of %s in doubt, over %d".formatted(all, which, windowWrites));
      }
    }
  }

  /** The history, and what a fail-over may have done to it. */
  History allowing(History history) {
    List<Operation> all = new ArrayList<>(history.operations());
    long client = all.stream().mapToLong(Operation::client).max().orElse(0);
    Set<Written> dying = lastOfTheDead();
    for (Map.Entry<String, List<Written>> log : logs.entrySet()) {
      for (FailOver failOver : failOvers) {
        List<Written> until =
            log.getValue().stream()
                .filter(write -> !write.refused && write.calledNanos <= failOver.nanos)
                .toList();
        for (int i = until.size() - 1; i >= 0 && mayBeLost(until.get(i), dying); i--) {
          Long value = i == 0 ? null : until.get(i - 1).value;
          all.add(
              new Operation(
                  ++client,
                  log.getKey(),
                  value == null ? "delete" : "write",
                  null,
                  value == null ? NullNode.instance : LongNode.valueOf(value),
                  NullNode.instance,
                  failOver.nanos,
                  null,
                  Outcome.UNKNOWN));
        }
      }
    }
    return new History(all);
  }

  private boolean mayBeLost(Written write, Set<Written> dying) {
    Fate fate = write.stamp == null ? Fate.UNKNOWN : fates.get(write.stamp);
    return fate != Fate.KEPT && (fate != null || dying.contains(write));
  }

  private Set<Written> lastOfTheDead() {
    Set<Written> last = new HashSet<>();
    for (int process : dead) {
      List<Written> own = inOrder.stream().filter(write -> write.process == process).toList();
      last.addAll(own.subList(Math.max(0, own.size() - windowWrites), own.size()));
    }
    return last;
  }

  /** What is wrong with the reports. */
  List<String> mistakes(History history) {
    List<String> all = new ArrayList<>(mistakes);
    fates.forEach(
        (stamp, fate) -> {
          if (!acknowledged.containsKey(stamp)) {
            all.add("nobody was told that this write was done: " + stamp);
          }
        });
    lostAtNanos.forEach(
        (stamp, nanos) -> {
          Written write = acknowledged.get(stamp);
          for (Operation read : history.operations()) {
            if (write != null && write.value != null && isReadOf(read, write.value, nanos)) {
              all.add("reported as lost, and read after that: " + read.describe());
            }
          }
        });
    return all;
  }

  private static boolean isReadOf(Operation operation, long value, long afterNanos) {
    return operation.outcome() == Outcome.OK
        && operation.callNanos() > afterNanos
        && operation.op().equals("read")
        && operation.out().isNumber()
        && operation.out().longValue() == value;
  }

  int count(Fate fate) {
    return (int) fates.values().stream().filter(fate::equals).count();
  }

  /** Writes of living processes whose fate was not told. */
  List<Stamp> unsettled() {
    return fates.entrySet().stream()
        .filter(one -> one.getValue() == Fate.UNKNOWN)
        .map(Map.Entry::getKey)
        .filter(stamp -> !acknowledged.containsKey(stamp) || isAlive(acknowledged.get(stamp)))
        .toList();
  }

  private boolean isAlive(Written write) {
    return !dead.contains(write.process);
  }

  static String name(Bytes key) {
    return new String(key.array(), UTF_8);
  }
}

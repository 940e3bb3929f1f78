package io.ensemble.testkit.truth;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The operations of clients on one key, and whether a register with compare-and-set could have
 * given these answers. Times are of one clock. Thread-safe.
 */
final class CasChain {

  /** The outcome of an attempt, as its client saw it. */
  enum Answer {
    ACKNOWLEDGED,
    REFUSED,
    UNKNOWN
  }

  private record Attempt(
      ChainValue step, long version, String by, long start, long end, Answer answer) {

    String told(long origin) {
      return "%s on version %016x by %s from %.3f ms to %.3f ms: %s"
          .formatted(step, version, by, (start - origin) / 1e6, (end - origin) / 1e6, answer);
    }
  }

  private record Seen(@Nullable ChainValue step, String by, long start, long end) {

    String told(long origin) {
      return "%s by %s from %.3f ms to %.3f ms"
          .formatted(step, by, (start - origin) / 1e6, (end - origin) / 1e6);
    }
  }

  /**
   * A stale read.
   *
   * @param known the newer value that was known before it
   */
  private record Back(Seen read, Seen known) {}

  private static final int NOTHING = -1;
  private static final int MOST_EXPLAINED = 60;

  private final ChainValue first;
  private final Map<Long, Attempt> attempts = new HashMap<>();
  private final List<Seen> seen = new ArrayList<>();
  private int acknowledged;

  CasChain(ChainValue first) {
    this.first = first;
  }

  /**
   * Records a compare-and-set.
   *
   * @param version the entry version that it expected
   * @param by the client
   */
  synchronized void attempted(
      ChainValue step, long version, String by, long start, long end, Answer answer) {
    attempts.put(step.id(), new Attempt(step, version, by, start, end, answer));
    if (answer == Answer.ACKNOWLEDGED) {
      acknowledged++;
    }
  }

  /**
   * Records an answered read.
   *
   * @param step the value; null if absent
   * @param by the client
   */
  synchronized void saw(@Nullable ChainValue step, String by, long start, long end) {
    seen.add(new Seen(step, by, start, end));
  }

  synchronized int acknowledged() {
    return acknowledged;
  }

  /**
   * Judges the chain at the end of the run.
   *
   * @param last the final value; null if absent
   */
  synchronized ChainAnomalies judged(@Nullable ChainValue last) {
    Set<Long> chain = chain(last);
    int lost = 0;
    int denied = 0;
    for (Attempt each : attempts.values()) {
      boolean there = chain.contains(each.step().id());
      lost += each.answer() == Answer.ACKNOWLEDGED && !there ? 1 : 0;
      denied += each.answer() == Answer.REFUSED && there ? 1 : 0;
    }
    int undone = 0;
    for (Seen each : seen) {
      ChainValue step = each.step();
      undone += step != null && !chain.contains(step.id()) ? 1 : 0;
    }
    return new ChainAnomalies(
        acknowledged, seen.size(), twoWinners(), lost, undone, wentBack().size(), denied, 0, 0);
  }

  /** The ids from the last value back to the first. */
  private Set<Long> chain(@Nullable ChainValue last) {
    Set<Long> chain = new HashSet<>(Set.of(first.id()));
    ChainValue at = last;
    while (at != null && chain.add(at.id())) {
      Attempt before = attempts.get(at.predecessor());
      at = before == null ? null : before.step();
    }
    return chain;
  }

  private int twoWinners() {
    Map<Long, Integer> winners = new HashMap<>();
    for (Attempt each : attempts.values()) {
      if (each.answer() == Answer.ACKNOWLEDGED) {
        winners.merge(each.step().predecessor(), 1, Integer::sum);
      }
    }
    return winners.values().stream().mapToInt(count -> count - 1).sum();
  }

  /** The reads that returned an older value than was known when they began. */
  private List<Back> wentBack() {
    List<Seen> byStart = new ArrayList<>(seen);
    byStart.sort(Comparator.comparingLong(Seen::start));
    PriorityQueue<Seen> byEnd = new PriorityQueue<>(Comparator.comparingLong(Seen::end));
    byEnd.addAll(seen);
    for (Attempt each : attempts.values()) {
      if (each.answer() == Answer.ACKNOWLEDGED) {
        byEnd.add(new Seen(each.step(), each.by(), each.start(), each.end()));
      }
    }
    Seen known = new Seen(first, "nobody", Long.MIN_VALUE, Long.MIN_VALUE);
    List<Back> back = new ArrayList<>();
    for (Seen read : byStart) {
      for (Seen next = byEnd.peek();
          next != null && next.end() < read.start();
          next = byEnd.peek()) {
        known = depth(next.step()) > depth(known.step()) ? next : known;
        byEnd.remove();
      }
      if (depth(read.step()) < depth(known.step())) {
        back.add(new Back(read, known));
      }
    }
    return back;
  }

  /**
   * Lists the acknowledged attempts that are missing, with those around them, and the stale reads.
   *
   * @param last the final value; null if absent
   * @param origin the time 0 of the lines
   */
  synchronized String explained(@Nullable ChainValue last, long origin) {
    Set<Long> chain = chain(last);
    Set<Integer> depths = new HashSet<>();
    for (Attempt each : attempts.values()) {
      if (each.answer() == Answer.ACKNOWLEDGED && !chain.contains(each.step().id())) {
        depths.add(each.step().depth());
      }
    }
    StringBuilder text = new StringBuilder();
    attempts.values().stream()
        .filter(each -> depths.stream().anyMatch(d -> Math.abs(d - each.step().depth()) <= 2))
        .sorted(Comparator.comparingLong(Attempt::start))
        .limit(MOST_EXPLAINED)
        .forEach(
            each ->
                text.append(chain.contains(each.step().id()) ? "in the chain: " : "missing: ")
                    .append(each.told(origin))
                    .append('\n'));
    for (Back each : wentBack().stream().limit(MOST_EXPLAINED).toList()) {
      text.append("read: ").append(each.read().told(origin));
      text.append(", known: ").append(each.known().told(origin)).append('\n');
    }
    return text.toString();
  }

  /**
   * Lists all attempts and reads, by their beginning.
   *
   * @param last the final value; null if absent
   * @param origin the time 0 of the lines
   */
  synchronized String recorded(@Nullable ChainValue last, long origin) {
    Set<Long> chain = chain(last);
    TreeMap<Long, List<String>> lines = new TreeMap<>();
    for (Attempt each : attempts.values()) {
      String kind = chain.contains(each.step().id()) ? "in the chain: " : "missing: ";
      lines.computeIfAbsent(each.start(), start -> new ArrayList<>()).add(kind + each.told(origin));
    }
    for (Seen each : seen) {
      lines
          .computeIfAbsent(each.start(), start -> new ArrayList<>())
          .add("read: " + each.told(origin));
    }
    StringBuilder text = new StringBuilder("first " + first + ", last " + last + "\n");
    lines.values().forEach(same -> same.forEach(line -> text.append(line).append('\n')));
    return text.toString();
  }

  private static int depth(@Nullable ChainValue step) {
    return step == null ? NOTHING : step.depth();
  }
}

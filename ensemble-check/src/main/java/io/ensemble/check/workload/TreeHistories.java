package io.ensemble.check.workload;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Judges histories of trees: strict serializability. The order of the transactions that changed
 * something is given by the numbers of their commits, so no search is needed. Each transaction must
 * have read what the ones before it left, and none may come before one that had returned when it
 * was called.
 */
public final class TreeHistories {

  /**
   * A violation.
   *
   * @param culprit the transaction that no order explains
   * @param why in words
   */
  public record TreeViolation(HistoryOperation culprit, String why) {}

  /** The commits that create the root and the nodes above all others. */
  private static final long SET_UP = 2;

  /** A transaction at its place in the order. */
  private record Placed(HistoryOperation operation, long base, long commit) {
    boolean isChange() {
      return commit != base;
    }
  }

  private final List<HistoryOperation> operations;
  private final NavigableMap<Long, Placed> commits = new TreeMap<>();
  private final NavigableMap<Long, List<Placed>> reads = new TreeMap<>();
  private final NavigableMap<String, String> nodes = new TreeMap<>();
  private boolean isEndKnown;

  private TreeHistories(List<HistoryOperation> operations) {
    this.operations = operations;
  }

  /** The first violation in each tree; none if all transactions are strictly serializable. */
  public static Optional<TreeViolation> violation(List<HistoryOperation> history) {
    Map<String, List<HistoryOperation>> trees = new TreeMap<>();
    history.forEach(one -> trees.computeIfAbsent(one.key(), tree -> new ArrayList<>()).add(one));
    return trees.values().stream()
        .map(operations -> new TreeHistories(operations).judge())
        .flatMap(Optional::stream)
        .findFirst();
  }

  private Optional<TreeViolation> judge() {
    return place().or(this::missing).or(this::lost).or(this::againstTime).or(this::replay);
  }

  private static Optional<TreeViolation> found(HistoryOperation culprit, String why) {
    return Optional.of(new TreeViolation(culprit, why));
  }

  /** Gives each transaction that took effect its place. */
  private Optional<TreeViolation> place() {
    Map<Long, Long> numbers = new HashMap<>();
    HistoryOperation end = null;
    for (HistoryOperation one : operations) {
      if (one.op().equals("last") && one.outcome() == HistoryOutcome.OK) {
        end = one;
        isEndKnown = true;
        one.out()
            .get("commits")
            .fields()
            .forEachRemaining(
                commit -> numbers.put(Long.parseLong(commit.getKey()), commit.getValue().asLong()));
      }
    }
    for (HistoryOperation one : operations) {
      if (!one.op().equals("transaction")) {
        continue;
      }
      long id = one.in().get("id").asLong();
      Long number = numbers.get(id);
      boolean isOk = one.outcome() == HistoryOutcome.OK;
      if (isOk && id == 0) {
        long base = one.out().get("base").asLong();
        reads.computeIfAbsent(base, any -> new ArrayList<>()).add(new Placed(one, base, base));
      } else if (isOk) {
        long commit = one.out().get("commit").asLong();
        if (end != null && !Long.valueOf(commit).equals(number)) {
          return found(
              one, "it returned commit %d, but in the tree it is %s".formatted(commit, number));
        }
        Placed other = commits.put(commit, new Placed(one, one.out().get("base").asLong(), commit));
        if (other != null) {
          return found(one, "another transaction is commit " + commit, other);
        }
      } else if (number != null && one.outcome() == HistoryOutcome.REFUSED) {
        return found(one, "it was refused, but is commit " + number);
      } else if (number != null) {
        Placed other = commits.put(number, new Placed(one, -1, number));
        if (other != null) {
          return found(one, "another transaction is commit " + number, other);
        }
      }
    }
    return Optional.empty();
  }

  private static Optional<TreeViolation> found(HistoryOperation one, String why, Placed other) {
    return found(one, why + ": that of client " + other.operation.client());
  }

  /** Every commit is that of a transaction. */
  private Optional<TreeViolation> missing() {
    long expected = SET_UP + 1;
    for (Placed placed : commits.values()) {
      if (placed.commit != expected) {
        return found(
            placed.operation,
            "commit %d before it is that of no transaction".formatted(placed.commit - 1));
      }
      expected++;
    }
    return Optional.empty();
  }

  /** No transaction read a commit that is not in the tree at the end. */
  private Optional<TreeViolation> lost() {
    if (!isEndKnown) {
      return Optional.empty(); // A commit of unknown outcome may be later than all known ones.
    }
    long last = commits.isEmpty() ? SET_UP : commits.lastKey();
    return Stream.concat(commits.values().stream(), reads.values().stream().flatMap(List::stream))
        .filter(placed -> placed.base > last)
        .findFirst()
        .flatMap(
            placed ->
                found(
                    placed.operation,
                    "it read commit %d, but the last commit in the tree is %d"
                        .formatted(placed.base, last)));
  }

  /** No transaction comes before one that had returned when it was called. */
  private Optional<TreeViolation> againstTime() {
    List<Placed> all = new ArrayList<>(commits.values());
    reads.values().forEach(all::addAll);
    List<Placed> byCall =
        all.stream().sorted(Comparator.comparingLong(p -> p.operation.callNanos())).toList();
    List<Placed> byReturn =
        all.stream().sorted(Comparator.comparingLong(TreeHistories::returned)).toList();
    long latest = 0;
    int returned = 0;
    for (Placed later : byCall) {
      while (returned < byReturn.size()
          && returned(byReturn.get(returned)) < later.operation.callNanos()) {
        latest = Math.max(latest, byReturn.get(returned).commit);
        returned++;
      }
      if (later.commit < latest || later.isChange() && later.commit == latest) {
        return found(
            later.operation,
            "its place is after commit %d, but commit %d had returned or been read before its call"
                .formatted(later.isChange() ? later.commit - 1 : later.commit, latest));
      }
    }
    return Optional.empty();
  }

  private static long returned(Placed placed) {
    Long at = placed.operation.returnNanos();
    return at == null ? Long.MAX_VALUE : at;
  }

  /** Makes all transactions one after another. */
  private Optional<TreeViolation> replay() {
    nodes.put(TreeUse.DATA, "");
    long last = commits.isEmpty() ? SET_UP : commits.lastKey();
    for (long commit = SET_UP; commit <= last; commit++) {
      Placed change = commits.get(commit);
      if (change != null) {
        Optional<TreeViolation> wrong = made(change.operation);
        if (wrong.isPresent()) {
          return wrong;
        }
      }
      for (Placed read : reads.getOrDefault(commit, List.of())) {
        Optional<TreeViolation> wrong = made(read.operation);
        if (wrong.isPresent()) {
          return wrong;
        }
      }
    }
    return atEnd(last);
  }

  private Optional<TreeViolation> atEnd(long last) {
    for (HistoryOperation one : operations) {
      if (one.op().equals("last") && one.outcome() == HistoryOutcome.OK) {
        Map<String, String> read = new TreeMap<>();
        one.out()
            .get("nodes")
            .fields()
            .forEachRemaining(node -> read.put(node.getKey(), node.getValue().asText()));
        if (one.out().get("base").asLong() != last) {
          return found(one, "the last commit in the tree is not " + last);
        }
        if (!read.equals(nodes)) {
          return found(one, "the tree at the end is not what the transactions left: " + nodes);
        }
      }
    }
    return Optional.empty();
  }

  private Optional<TreeViolation> made(HistoryOperation operation) {
    JsonNode steps = operation.in().get("steps");
    boolean isKnown = operation.outcome() == HistoryOutcome.OK;
    for (int i = 0; i < steps.size(); i++) {
      JsonNode step = steps.get(i);
      String expected = made(step);
      String got = isKnown ? operation.out().get("results").get(i).asText() : expected;
      if (!got.equals(expected)) {
        return found(
            operation,
            "step %d, %s, returned \"%s\"; the transactions before it left \"%s\""
                .formatted(i + 1, step, got, expected));
      }
    }
    return Optional.empty();
  }

  private String made(JsonNode step) {
    String path = step.get(1).asText();
    return switch (step.get(0).asText()) {
      case "read" -> nodes.getOrDefault(path, "absent");
      case "children" -> nodes.containsKey(path) ? children(path) : "absent";
      case "remove" -> {
        boolean isThere = nodes.containsKey(path);
        nodes.keySet().removeIf(node -> node.equals(path) || node.startsWith(path + "/"));
        yield isThere ? "removed" : "absent";
      }
      default -> {
        for (String at = parent(path); at != null; at = parent(at)) {
          nodes.putIfAbsent(at, "");
        }
        nodes.put(path, step.get(2).asText());
        yield "written";
      }
    };
  }

  private static @Nullable String parent(String path) {
    int end = path.lastIndexOf('/');
    return end <= 0 ? null : path.substring(0, end);
  }

  private String children(String path) {
    return String.join(
        " ",
        nodes.keySet().stream()
            .filter(node -> path.equals(parent(node)))
            .map(node -> node.substring(path.length() + 1))
            .toList());
  }
}

package io.ensemble.testkit.linearizability;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.JsonValues;
import io.ensemble.testkit.history.OperationHistory;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A simple second checker for registers: it tries every operation at every position that real time
 * allows, over sets of operations. It shares no rule, numbering or order with the fast checker, and
 * suits about 15 operations on a key.
 */
final class NaiveChecker {
  private record Point(Set<HistoryOperation> left, JsonNode value) {}

  private NaiveChecker() {}

  static boolean isLinearizable(OperationHistory history) {
    Map<String, Set<HistoryOperation>> byKey = new LinkedHashMap<>();
    for (HistoryOperation operation : history.operations()) {
      if (operation.outcome() != HistoryOutcome.REFUSED) {
        byKey.computeIfAbsent(operation.key(), k -> new HashSet<>()).add(operation);
      }
    }
    return byKey.values().stream()
        .allMatch(ops -> possible(new Point(ops, NullNode.instance), new HashSet<>()));
  }

  private static boolean possible(Point point, Set<Point> tried) {
    if (point.left().stream().allMatch(o -> o.outcome() == HistoryOutcome.UNKNOWN)) {
      return true;
    }
    if (!tried.add(point)) {
      return false;
    }
    for (HistoryOperation next : point.left()) {
      if (point.left().stream().allMatch(other -> mayFollow(other, next))) {
        JsonNode after = apply(next, point.value());
        Set<HistoryOperation> left = new HashSet<>(point.left());
        left.remove(next);
        if (after != null && possible(new Point(left, after), tried)) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean mayFollow(HistoryOperation later, HistoryOperation earlier) {
    Long returned = later.returnNanos();
    return later.outcome() == HistoryOutcome.UNKNOWN
        || returned == null
        || returned >= earlier.callNanos();
  }

  /** The value after the operation, or null if the operation cannot have returned its result. */
  private static @Nullable JsonNode apply(HistoryOperation operation, JsonNode value) {
    JsonNode in = operation.in();
    JsonNode nothing = NullNode.instance;
    List<Object> result = new ArrayList<>();
    JsonNode after;
    switch (operation.op()) {
      case "read" -> {
        result.add(value);
        after = value;
      }
      case "contains" -> {
        result.add(!value.isNull());
        after = value;
      }
      case "write" -> {
        result.add(nothing);
        after = in;
      }
      case "swap" -> {
        result.add(value);
        after = in;
      }
      case "delete" -> {
        result.add(nothing);
        after = nothing;
      }
      case "get_and_remove" -> {
        result.add(value);
        after = nothing;
      }
      case "put_if_absent" -> {
        result.add(value.isNull());
        after = value.isNull() ? in : value;
      }
      case "replace" -> {
        result.add(!value.isNull());
        after = value.isNull() ? value : in;
      }
      case "cas" -> {
        boolean equal = value.equals(in.get(0));
        result.add(equal);
        after = equal ? in.get(1) : value;
      }
      case "remove_if" -> {
        boolean equal = value.equals(in);
        result.add(equal);
        after = equal ? nothing : value;
      }
      default -> throw new AssertionError(operation.op());
    }
    boolean agrees =
        operation.outcome() == HistoryOutcome.UNKNOWN
            || JsonValues.of(result.get(0)).equals(operation.out());
    return agrees ? after : null;
  }
}

package io.ensemble.testkit.losses;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.LongNode;
import com.fasterxml.jackson.databind.node.NullNode;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.OperationHistory;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Operations of no client, appended to those of a history. Null means no value. */
final class SyntheticOperations {

  private final List<HistoryOperation> all;
  private long client;

  SyntheticOperations(OperationHistory history) {
    all = new ArrayList<>(history.operations());
    client = all.stream().mapToLong(HistoryOperation::client).max().orElse(0);
  }

  /** The key may take a value at any time from then on, or never. */
  void addPossible(String key, @Nullable Long value, long fromNanos) {
    String op = value == null ? "delete" : "write";
    add(key, op, json(value), NullNode.instance, fromNanos, null);
  }

  /** The key certainly goes from one value to another, at some time between the two. */
  void addCertain(
      String key, @Nullable Long from, @Nullable Long to, long fromNanos, long untilNanos) {
    if (from == null) {
      add(key, "put_if_absent", json(to), BooleanNode.TRUE, fromNanos, untilNanos);
    } else if (to == null) {
      add(key, "remove_if", json(from), BooleanNode.TRUE, fromNanos, untilNanos);
    } else {
      JsonNode both = JsonNodeFactory.instance.arrayNode().add(json(from)).add(json(to));
      add(key, "cas", both, BooleanNode.TRUE, fromNanos, untilNanos);
    }
  }

  /** The key certainly takes a value, at some time between the two. */
  void addCertain(String key, @Nullable Long value, long fromNanos, long untilNanos) {
    String op = value == null ? "delete" : "write";
    add(key, op, json(value), NullNode.instance, fromNanos, untilNanos);
  }

  private static JsonNode json(@Nullable Long value) {
    return value == null ? NullNode.instance : LongNode.valueOf(value);
  }

  private void add(
      String key, String op, JsonNode in, JsonNode out, long fromNanos, @Nullable Long untilNanos) {
    HistoryOutcome outcome = untilNanos == null ? HistoryOutcome.UNKNOWN : HistoryOutcome.OK;
    all.add(new HistoryOperation(++client, key, op, null, in, out, fromNanos, untilNanos, outcome));
  }

  OperationHistory history() {
    return new OperationHistory(all);
  }
}

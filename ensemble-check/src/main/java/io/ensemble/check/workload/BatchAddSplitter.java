package io.ensemble.check.workload;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import java.util.ArrayList;
import java.util.List;

/** Completes a history of versioned keys: a call that adds many versions adds them singly. */
public final class BatchAddSplitter {

  private BatchAddSplitter() {}

  /**
   * The same history, where each version that a call has added is an operation of a client of its
   * own: other calls may come between them.
   */
  public static List<HistoryOperation> split(List<HistoryOperation> history) {
    long client = history.stream().mapToLong(HistoryOperation::client).max().orElse(0) + 1;
    List<HistoryOperation> all = new ArrayList<>();
    for (HistoryOperation one : history) {
      if (!one.op().equals(VersionedUse.ADD_ALL)) {
        all.add(one);
        continue;
      }
      for (JsonNode version : one.in()) {
        all.add(put(one, version, client++));
      }
    }
    return all;
  }

  private static HistoryOperation put(HistoryOperation of, JsonNode version, long client) {
    boolean known = of.outcome() == HistoryOutcome.OK;
    return new HistoryOperation(
        client,
        of.key(),
        VersionedUse.PUT,
        null,
        version,
        known ? JsonNodeFactory.instance.textNode(VersionedUse.ADDED) : of.out(),
        of.callNanos(),
        of.returnNanos(),
        of.outcome());
  }
}

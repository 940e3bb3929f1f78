package io.ensemble.testkit.linearizability;

import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.SequentialModel;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The operations on one object, divided for the search: completed operations, which each need a
 * place, and unknown ones, which may have one.
 *
 * @param completed in the order of their calls
 * @param unknown in the order of their calls
 */
record ObjectHistory(List<HistoryOperation> completed, List<HistoryOperation> unknown) {
  private static final Comparator<HistoryOperation> BY_CALL =
      Comparator.comparingLong(HistoryOperation::callNanos)
          .thenComparingLong(HistoryOperation::lastNanos);

  /**
   * Leaves out operations that need no place: refused operations, and unknown ones that only read.
   */
  static ObjectHistory of(List<HistoryOperation> operations, SequentialModel model) {
    List<HistoryOperation> completed = new ArrayList<>();
    List<HistoryOperation> unknown = new ArrayList<>();
    for (HistoryOperation operation : operations) {
      if (operation.outcome() == HistoryOutcome.OK) {
        completed.add(operation);
      } else if (operation.outcome() == HistoryOutcome.UNKNOWN && !model.onlyReads(operation)) {
        unknown.add(operation);
      }
    }
    completed.sort(BY_CALL);
    unknown.sort(BY_CALL);
    return new ObjectHistory(completed, unknown);
  }

  /** All operations, the completed ones first: the numbering of the search. */
  List<HistoryOperation> numbered() {
    List<HistoryOperation> all = new ArrayList<>(completed);
    all.addAll(unknown);
    return all;
  }

  /** The completed operations in the order of their returns, ties by call. */
  List<HistoryOperation> byReturn() {
    List<HistoryOperation> sorted = new ArrayList<>(completed);
    sorted.sort(Comparator.comparingLong(HistoryOperation::lastNanos));
    return sorted;
  }

  /**
   * The history at the moment when the first {@code count} operations to return had done so. Other
   * operations called by then are pending and count as unknown.
   */
  ObjectHistory upTo(int count, SequentialModel model) {
    List<HistoryOperation> order = byReturn();
    long now = order.get(count - 1).lastNanos();
    List<HistoryOperation> known = new ArrayList<>(order.subList(0, count));
    for (HistoryOperation later : order.subList(count, order.size())) {
      if (later.callNanos() <= now) {
        known.add(later.pending());
      }
    }
    unknown.stream().filter(u -> u.callNanos() <= now).forEach(known::add);
    return of(known, model);
  }
}

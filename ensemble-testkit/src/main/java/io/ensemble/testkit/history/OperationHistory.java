package io.ensemble.testkit.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Operations of several clients on several objects, in any order, and what listeners received.
 * Immutable.
 *
 * @param operations the operations; messages call the first one line 1
 * @param notes the notes of listeners, and the stamps of writes; empty without listeners
 */
public record OperationHistory(List<HistoryOperation> operations, List<HistoryNote> notes) {

  /** A history without listeners. */
  public OperationHistory(List<HistoryOperation> operations) {
    this(operations, List.of());
  }

  /**
   * Copies the operations and checks that each client has one at a time.
   *
   * <p>A client may call again at the very instant at which its last operation returned. A client
   * whose operation ended {@link HistoryOutcome#UNKNOWN} may not call again: that operation may
   * still be under way, so the client continues under a new number.
   *
   * @throws MalformedHistoryException if a client has two operations at the same time
   */
  public OperationHistory {
    operations = List.copyOf(operations);
    notes = List.copyOf(notes);
    refuseTwoAtOnce(operations);
  }

  /**
   * The line of the history that holds the operation, counted from 1.
   *
   * @throws IllegalArgumentException if no line holds it
   */
  public long line(HistoryOperation operation) {
    int at = operations.indexOf(operation);
    if (at < 0) {
      throw new IllegalArgumentException(
          "expected an operation of this history, got " + operation.describe());
    }
    return at + 1L;
  }

  private static void refuseTwoAtOnce(List<HistoryOperation> operations) {
    Map<Long, List<Integer>> byClient = new HashMap<>();
    for (int i = 0; i < operations.size(); i++) {
      byClient.computeIfAbsent(operations.get(i).client(), c -> new ArrayList<>()).add(i);
    }
    Comparator<Integer> byTime =
        Comparator.<Integer>comparingLong(i -> operations.get(i).callNanos())
            .thenComparingLong(i -> endNanos(operations.get(i)));
    for (List<Integer> own : byClient.values()) {
      own.sort(byTime);
      for (int i = 1; i < own.size(); i++) {
        int earlier = own.get(i - 1);
        int later = own.get(i);
        if (endNanos(operations.get(earlier)) > operations.get(later).callNanos()) {
          throw twoAtOnce(operations, earlier, later);
        }
      }
    }
  }

  private static MalformedHistoryException twoAtOnce(
      List<HistoryOperation> operations, int earlier, int later) {
    HistoryOperation first = operations.get(earlier);
    HistoryOperation second = operations.get(later);
    String end =
        first.outcome() == HistoryOutcome.UNKNOWN
            ? "ended unknown, after which a client goes on under a new number"
            : "returned at " + first.returnNanos();
    return new MalformedHistoryException(
        later + 1L,
        ("expected one operation at a time from client %d, got %s called at %d while its %s (line "
                + "%d), called at %d, %s")
            .formatted(
                second.client(),
                second.describe(),
                second.callNanos(),
                first.describe(),
                earlier + 1,
                first.callNanos(),
                end));
  }

  /** A refused operation without a known return time occupies its client for no time. */
  private static long endNanos(HistoryOperation operation) {
    Long end = operation.returnNanos();
    if (operation.outcome() == HistoryOutcome.UNKNOWN) {
      return Long.MAX_VALUE;
    }
    return end == null ? operation.callNanos() : end;
  }
}

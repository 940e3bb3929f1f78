package io.ensemble.testkit.history;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads that may return a value of a limited age: the operations {@code near_read} of a history,
 * whose argument is the age in nanoseconds.
 *
 * <p>A value that a key had at most that long before the call is one that a read could have
 * returned which was called that much earlier. So near reads are judged as reads with an earlier
 * call, but not before the return of the client's last write of the key.
 */
public final class NearReads {

  /** The name of the operation. */
  public static final String OPERATION = "near_read";

  private static final Set<String> READING = Set.of(OPERATION, "read", "contains");

  private NearReads() {}

  /**
   * The history with each near read as a read that was called earlier, by a client of its own. A
   * near read that failed is left out.
   */
  public static OperationHistory asReads(OperationHistory history) {
    long nextClient =
        1 + history.operations().stream().mapToLong(HistoryOperation::client).max().orElse(0);
    List<HistoryOperation> all = new ArrayList<>();
    Map<ClientKey, Long> ownWrites = new HashMap<>();
    for (HistoryOperation one : byCall(history)) {
      ClientKey place = new ClientKey(one.client(), one.key());
      if (!one.op().equals(OPERATION)) {
        if (!READING.contains(one.op()) && one.outcome() == HistoryOutcome.OK) {
          ownWrites.put(
              place, one.lastNanos() + 1); // The checker lets instants that touch overlap.
        }
        all.add(one);
      } else if (one.outcome() == HistoryOutcome.OK) {
        long earliest = Math.max(0, one.callNanos() - one.in().asLong());
        all.add(
            asRead(
                one, nextClient++, Math.max(earliest, afterOwnWrite(ownWrites.get(place), one))));
      }
    }
    return new OperationHistory(all);
  }

  private static long afterOwnWrite(@Nullable Long end, HistoryOperation near) {
    return end == null ? 0 : Math.min(end, near.lastNanos());
  }

  /** Whether the history has near reads. */
  public static boolean areIn(OperationHistory history) {
    return history.operations().stream().anyMatch(one -> one.op().equals(OPERATION));
  }

  /** The operation of {@code history} that became {@code converted} in {@link #asReads}. */
  public static HistoryOperation original(OperationHistory history, HistoryOperation converted) {
    return history.operations().stream()
        .filter(
            one ->
                one.equals(converted)
                    || (one.op().equals(OPERATION)
                        && one.key().equals(converted.key())
                        && Objects.equals(one.returnNanos(), converted.returnNanos())
                        && one.out().equals(converted.out())))
        .findFirst()
        .orElseThrow();
  }

  private static HistoryOperation asRead(HistoryOperation near, long client, long callNanos) {
    return new HistoryOperation(
        client,
        near.key(),
        "read",
        near.entry(),
        JsonValues.of(null),
        near.out(),
        callNanos,
        near.returnNanos(),
        near.outcome());
  }

  /**
   * The first near read that returned a value which certainly was older than that of an earlier
   * near read of the same client on the same key. Values must be written once.
   */
  public static Optional<HistoryOperation> stepsBack(OperationHistory history) {
    Map<ValueOfKey, HistoryOperation> writes = new HashMap<>();
    for (HistoryOperation one : history.operations()) {
      JsonNode written = written(one);
      if (!written.isNull()) {
        writes.put(new ValueOfKey(one.key(), written), one);
      }
    }
    Map<ClientKey, HistoryOperation> former = new HashMap<>();
    for (HistoryOperation one : byCall(history)) {
      boolean isSeen =
          one.op().equals(OPERATION) && one.outcome() == HistoryOutcome.OK && !one.out().isNull();
      if (!isSeen) {
        continue;
      }
      HistoryOperation before = former.put(new ClientKey(one.client(), one.key()), one);
      HistoryOperation first =
          before == null ? null : writes.get(new ValueOfKey(one.key(), before.out()));
      HistoryOperation second = writes.get(new ValueOfKey(one.key(), one.out()));
      if (first != null && second != null && second.lastNanos() < first.callNanos()) {
        return Optional.of(one);
      }
    }
    return Optional.empty();
  }

  /** The value that the operation writes, if it has an effect; null for none. */
  private static JsonNode written(HistoryOperation one) {
    return switch (one.op()) {
      case "write", "swap", "put_if_absent", "replace" -> one.in();
      case "cas" -> one.in().get(1);
      default -> JsonValues.of(null);
    };
  }

  private record ClientKey(long client, String key) {}

  private record ValueOfKey(String key, JsonNode value) {}

  private static List<HistoryOperation> byCall(OperationHistory history) {
    return history.operations().stream()
        .sorted(Comparator.comparingLong(HistoryOperation::callNanos))
        .toList();
  }
}

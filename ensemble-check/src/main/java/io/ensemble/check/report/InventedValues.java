package io.ensemble.check.report;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.OperationHistory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Searches for values that were never written, which is the guarantee of WEAK for every single
 * answer. A value may be seen on a key if some operation on that key could have written it. That
 * operation was not refused, and was called before the operation that saw the value returned.
 */
final class InventedValues {
  private static final Set<String> WRITE_IN = Set.of("write", "swap", "put_if_absent", "replace");
  private static final Set<String> SEE_OUT = Set.of("read", "swap", "get_and_remove");

  private record WrittenValue(String key, JsonNode value) {}

  private InventedValues() {}

  /** The first operation, in the order of returns, that saw such a value. */
  static Optional<HistoryOperation> first(OperationHistory history) {
    Map<WrittenValue, Long> earliest = new HashMap<>();
    for (HistoryOperation operation : history.operations()) {
      if (operation.outcome() != HistoryOutcome.REFUSED) {
        writtenValue(operation)
            .ifPresent(
                value ->
                    earliest.merge(
                        new WrittenValue(operation.key(), value),
                        operation.callNanos(),
                        Math::min));
      }
    }
    List<HistoryOperation> invented =
        history.operations().stream()
            .filter(o -> o.outcome() == HistoryOutcome.OK && sawUnwrittenValue(o, earliest))
            .sorted((a, b) -> Long.compare(returned(a), returned(b)))
            .toList();
    return invented.stream().findFirst();
  }

  private static boolean sawUnwrittenValue(
      HistoryOperation operation, Map<WrittenValue, Long> earliest) {
    Optional<JsonNode> seen = seenValue(operation);
    if (seen.isEmpty()) {
      return false;
    }
    Long call = earliest.get(new WrittenValue(operation.key(), seen.get()));
    return call == null || call > returned(operation);
  }

  private static long returned(HistoryOperation operation) {
    Long at = operation.returnNanos();
    return at == null ? Long.MAX_VALUE : at;
  }

  private static Optional<JsonNode> writtenValue(HistoryOperation operation) {
    if (WRITE_IN.contains(operation.op())) {
      return Optional.of(operation.in());
    }
    return operation.op().equals("cas")
        ? Optional.of(operation.in().get(1)).filter(value -> !value.isNull())
        : Optional.empty();
  }

  private static Optional<JsonNode> seenValue(HistoryOperation operation) {
    if (SEE_OUT.contains(operation.op())) {
      return Optional.of(operation.out()).filter(value -> !value.isNull());
    }
    boolean held = operation.out().isBoolean() && operation.out().booleanValue();
    return switch (operation.op()) {
      case "cas" ->
          held
              ? Optional.of(operation.in().get(0)).filter(value -> !value.isNull())
              : Optional.empty();
      case "remove_if" -> held ? Optional.of(operation.in()) : Optional.empty();
      default -> Optional.empty();
    };
  }
}

package io.ensemble.check.report;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.OperationHistory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Judges set agreement: in an instance, at most so many values are decided, and each of them was
 * proposed, for no other instance, by a call that began before the decision was returned. Also a
 * refused call may have proposed its value: the next call of the client goes on with it.
 */
final class SetAgreementViolations {

  /** An operation that returned what it must not, and why. */
  record Violation(HistoryOperation culprit, String why, List<HistoryOperation> around) {}

  private record Instance(String object, long number) {}

  private record Proposed(String object, JsonNode value) {}

  private SetAgreementViolations() {}

  /** The first violation in the order of returns. */
  static Optional<Violation> first(OperationHistory history, int values) {
    Map<Proposed, Long> proposed = new HashMap<>();
    for (HistoryOperation operation : history.operations()) {
      proposed.merge(
          new Proposed(operation.key(), operation.in()), operation.callNanos(), Math::min);
    }
    Map<Instance, Map<String, HistoryOperation>> decided = new HashMap<>();
    Map<Proposed, Long> instances = new HashMap<>();
    List<HistoryOperation> returned =
        history.operations().stream()
            .filter(operation -> operation.outcome() == HistoryOutcome.OK)
            .sorted(Comparator.comparingLong(HistoryOperation::lastNanos))
            .toList();
    for (HistoryOperation operation : returned) {
      Instance instance = new Instance(operation.key(), operation.out().get(0).asLong());
      JsonNode value = operation.out().get(1);
      Proposed decision = new Proposed(operation.key(), value);
      Map<String, HistoryOperation> ofInstance =
          decided.computeIfAbsent(instance, none -> new TreeMap<>());
      ofInstance.putIfAbsent(value.toString(), operation);
      List<HistoryOperation> around = new ArrayList<>(ofInstance.values());
      if (proposed.getOrDefault(decision, Long.MAX_VALUE) >= operation.lastNanos()) {
        return violation(operation, "a value that was not proposed before", around);
      }
      if (instances.merge(decision, instance.number(), (one, other) -> one) != instance.number()) {
        return violation(operation, "a value of another instance", around);
      }
      if (ofInstance.size() > values) {
        return violation(operation, "one value too many of this instance", around);
      }
    }
    return Optional.empty();
  }

  private static Optional<Violation> violation(
      HistoryOperation operation, String what, List<HistoryOperation> around) {
    return Optional.of(
        new Violation(
            operation,
            "%s: client %d: %s <-- %s"
                .formatted(operation.key(), operation.client(), operation.describe(), what),
            around));
  }
}

package io.ensemble.testkit.linearizability;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.SequentialModel;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds the operation whose return made an order impossible, and explains it.
 *
 * <p>Count operations in the order of their returns, and take those called but not yet returned as
 * unknown. If the first n have no order, neither have the first n + 1. So a binary search finds the
 * least n without an order. It starts from the search that failed, which passed the returns before
 * its farthest. All the searches together may take as long as the failed search was allowed to
 * take. Searches that are not made count as if there were an order. So the named operation always
 * makes an order impossible, but is perhaps not the first one that does.
 */
final class ViolationFinder {
  private static final int MOST_SHOWN = 24;
  private static final int MOST_EARLIER = 5;
  private static final int MOST_RELATED = 6;

  private final String key;
  private final ObjectHistory history;
  private final SequentialModel model;
  private final SearchBudget budget;
  private final long maxStates;
  private boolean certain = true;
  private List<String> statesAtCulprit = List.of();

  ViolationFinder(
      String key,
      ObjectHistory history,
      SequentialModel model,
      LinearizabilityChecker.Options options) {
    this.key = key;
    this.history = history;
    this.model = model;
    this.budget = new SearchBudget(options);
    this.maxStates = options.maxStates();
  }

  LinearizabilityVerdict.Violation violation(int possible) {
    int count = leastImpossible(possible);
    HistoryOperation culprit = history.byReturn().get(count - 1);
    List<HistoryOperation> around = around(culprit);
    return new LinearizabilityVerdict.Violation(
        key, culprit, certain, around, explain(culprit, count, around));
  }

  /** The least number of returns without an order, given a number that has one. */
  private int leastImpossible(int possible) {
    int low = possible;
    int high = history.completed().size();
    int step = 1;
    // The answer is nearly always the next number or near it, so steps grow before they are halved.
    while (low + step < high) {
      if (isImpossible(low + step)) {
        high = low + step;
        break;
      }
      low += step;
      step *= 2;
    }
    while (low + 1 < high) {
      int middle = (low + high) >>> 1;
      if (isImpossible(middle)) {
        high = middle;
      } else {
        low = middle;
      }
    }
    if (statesAtCulprit.isEmpty()) {
      isImpossible(high);
    }
    return high;
  }

  private boolean isImpossible(int count) {
    budget.renew(maxStates);
    LinearizationSearch search = new LinearizationSearch(history.upTo(count, model), model, budget);
    LinearizationSearch.SearchResult result = search.run();
    if (result == LinearizationSearch.SearchResult.OUT_OF_BUDGET) {
      certain = false;
    }
    if (result == LinearizationSearch.SearchResult.NONE) {
      boolean atCulprit = search.farthestReturn() == count - 1;
      statesAtCulprit = atCulprit ? search.statesThere() : List.of();
    }
    return result == LinearizationSearch.SearchResult.NONE;
  }

  private List<HistoryOperation> around(HistoryOperation culprit) {
    long end = culprit.lastNanos();
    List<HistoryOperation> known =
        history.numbered().stream()
            .filter(o -> o.callNanos() <= end && !o.equals(culprit))
            .toList();
    Set<JsonNode> values = values(culprit);
    Set<HistoryOperation> shown = new LinkedHashSet<>();
    shown.add(culprit);
    Comparator<HistoryOperation> latestReturn =
        Comparator.comparingLong(HistoryOperation::lastNanos).reversed();
    Comparator<HistoryOperation> latestCall =
        Comparator.comparingLong(HistoryOperation::callNanos).reversed();
    Stream.of(
            known.stream()
                .filter(o -> values(o).stream().anyMatch(values::contains))
                .sorted(latestCall)
                .limit(MOST_RELATED),
            known.stream()
                .filter(o -> o.lastNanos() < culprit.callNanos() && !model.onlyReads(o))
                .sorted(latestReturn)
                .limit(MOST_EARLIER),
            known.stream()
                .filter(o -> o.lastNanos() < culprit.callNanos() && model.onlyReads(o))
                .sorted(latestReturn)
                .limit(MOST_EARLIER),
            known.stream().filter(o -> o.lastNanos() >= culprit.callNanos()).sorted(latestCall))
        .flatMap(related -> related)
        .forEach(
            o -> {
              if (shown.size() < MOST_SHOWN) {
                shown.add(o);
              }
            });
    return shown.stream().sorted(Comparator.comparingLong(HistoryOperation::callNanos)).toList();
  }

  /** The values that an operation names, except those that nearly every operation names. */
  private static Set<JsonNode> values(HistoryOperation operation) {
    Set<JsonNode> values = new HashSet<>(List.of(operation.in(), operation.out()));
    if (operation.in().isContainerNode()) {
      operation.in().forEach(values::add);
    }
    if (operation.out().isContainerNode()) {
      operation.out().forEach(values::add);
    }
    values.removeIf(v -> v.isNull() || v.isBoolean());
    return values;
  }

  private String explain(HistoryOperation culprit, int count, List<HistoryOperation> around) {
    String text =
        "not linearizable: key %s, %s of client %d, called at %d, returned at %d%n"
            .formatted(
                key,
                culprit.describe(),
                culprit.client(),
                culprit.callNanos(),
                culprit.returnNanos());
    text +=
        certain
            ? ("A linearization exists for the %d operations on the key that returned before it; "
                    + "none exists with it.%n")
                .formatted(count - 1)
            : ("No linearization exists for it and the %d operations on the key that returned "
                    + "before it; the search limit was reached before the check of these "
                    + "operations alone.%n")
                .formatted(count - 1);
    if (!statesAtCulprit.isEmpty()) {
      text +=
          "Without it the key could then hold, among others: %s%n"
              .formatted(statesAtCulprit.stream().collect(Collectors.joining(" | ")));
    }
    long concurrent =
        history.numbered().stream()
            .filter(o -> o.callNanos() <= culprit.lastNanos())
            .filter(o -> o.lastNanos() >= culprit.callNanos())
            .count();
    return text
        + "%d operations on the key; %d concurrent with it; the relevant ones:%n"
            .formatted(history.completed().size() + history.unknown().size(), concurrent - 1)
        + AsciiTimeline.draw(around, culprit);
  }
}

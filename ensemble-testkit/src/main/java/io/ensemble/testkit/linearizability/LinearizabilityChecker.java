package io.ensemble.testkit.linearizability;

import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.MalformedHistoryException;
import io.ensemble.testkit.history.OperationHistory;
import io.ensemble.testkit.history.SequentialModel;
import io.ensemble.testkit.history.specification.MixedObjectsModel;
import io.ensemble.testkit.history.specification.RegisterModel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Judges whether a history is linearizable: whether each object's operations can be put in one
 * order that the model accepts, in which an operation that returned before another's call comes
 * first.
 *
 * <p>Objects are judged one by one, which suffices because linearizability is local (Herlihy and
 * Wing, Linearizability: a correctness condition for concurrent objects, 1990, section 3.2).
 * Refused operations are left out; unknown ones have a place anywhere after their call, or none.
 * Two operations count as concurrent if one returns at the very instant at which the other is
 * called, even when one client did both.
 *
 * <p>The problem is NP-complete, so a search has bounds; to reach a bound is a verdict of its own.
 * Usual histories are judged fast: 100,000 operations by 8 clients on 20 keys take about 1 s.
 * Thread-safe; uses the calling thread only.
 */
public final class LinearizabilityChecker {
  private static final int STATES_BEFORE_OTHERS = 10_000;
  private static final int STATES_PER_OPERATION_BEFORE_OTHERS = 4;

  private LinearizabilityChecker() {}

  /**
   * The model and the bounds of a check.
   *
   * @param model the behaviour of one object
   * @param maxStates the maximum number of points that the search may visit for one key; each takes
   *     about 200 bytes of memory while that key is judged
   * @param maxTime the maximum time for all keys together; checked about every thousand points
   * @param nanoClock the clock for that, in nanoseconds
   */
  public record Options(
      SequentialModel model, long maxStates, Duration maxTime, LongSupplier nanoClock) {

    /** Checks that there is a bound. */
    public Options {
      Objects.requireNonNull(model, "model");
      Objects.requireNonNull(nanoClock, "nanoClock");
      if (maxStates < 1 || maxTime.isNegative() || maxTime.isZero()) {
        throw new IllegalArgumentException(
            "expected maxStates and maxTime above zero, got " + maxStates + ", " + maxTime);
      }
    }

    /** For objects of one model: two million states for a key, and 1 min of real time. */
    public static Options of(SequentialModel model) {
      return new Options(model, 2_000_000, Duration.ofMinutes(1), System::nanoTime);
    }

    /** For registers, with the same bounds. */
    public static Options registers() {
      return of(RegisterModel.INSTANCE);
    }

    /** For registers, counters, queues and maps, distinguished by their operations. */
    public static Options anyObjects() {
      return of(MixedObjectsModel.INSTANCE);
    }

    /** The same with another bound on states. */
    public Options withMaxStates(long states) {
      return new Options(model, states, maxTime, nanoClock);
    }

    /** The same with another bound on time. */
    public Options withMaxTime(Duration time) {
      return new Options(model, maxStates, time, nanoClock);
    }
  }

  /**
   * Judges {@code history}: a violation if any object has one, else undecided if a bound was
   * reached on any, else linearizable.
   *
   * @throws MalformedHistoryException if the model does not define an operation; the message names
   *     the first such operation
   */
  public static LinearizabilityVerdict check(OperationHistory history, Options options) {
    SearchBudget budget = new SearchBudget(options);
    List<CheckedPart> open = parts(history, options.model());
    // First a small budget for each object, so that one hard object does not hide an easy violation
    // of another.
    for (boolean all : new boolean[] {false, true}) {
      for (CheckedPart part : List.copyOf(open)) {
        int size = part.history().numbered().size();
        long little = STATES_BEFORE_OTHERS + (long) STATES_PER_OPERATION_BEFORE_OTHERS * size;
        budget.renew(all ? options.maxStates() : Math.min(options.maxStates(), little));
        LinearizationSearch search = new LinearizationSearch(part.history(), part.model(), budget);
        LinearizationSearch.SearchResult result = search.run();
        if (result == LinearizationSearch.SearchResult.NONE) {
          return new ViolationFinder(part.key(), part.history(), part.model(), options)
              .violation(search.farthestReturn());
        }
        if (result == LinearizationSearch.SearchResult.FOUND) {
          open.remove(part);
        }
      }
    }
    return open.isEmpty()
        ? new LinearizabilityVerdict.Linearizable(history.operations().size(), budget.spentInAll())
        : new LinearizabilityVerdict.Undecided(
            budget.bound(), open.stream().map(CheckedPart::key).distinct().toList());
  }

  /**
   * A part that is judged alone: an object, or a group of its operations that no operation joins to
   * another group.
   */
  private record CheckedPart(String key, SequentialModel model, ObjectHistory history) {
    @Override
    public boolean equals(@Nullable Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }

  private static List<CheckedPart> parts(OperationHistory history, SequentialModel model) {
    Map<String, List<HistoryOperation>> byKey = byKey(history);
    Map<String, SequentialModel> models = new HashMap<>();
    byKey.forEach((key, own) -> models.put(key, model.forObject(own)));
    validate(history, models);
    List<CheckedPart> parts = new ArrayList<>();
    byKey.forEach(
        (key, own) -> {
          SequentialModel of = models.getOrDefault(key, model);
          of.independent(own)
              .forEach(group -> parts.add(new CheckedPart(key, of, ObjectHistory.of(group, of))));
        });
    return parts;
  }

  private static void validate(OperationHistory history, Map<String, SequentialModel> models) {
    List<HistoryOperation> operations = history.operations();
    for (int i = 0; i < operations.size(); i++) {
      HistoryOperation operation = operations.get(i);
      try {
        Objects.requireNonNull(models.get(operation.key())).validate(operation);
      } catch (IllegalArgumentException e) {
        throw new MalformedHistoryException(i + 1L, String.valueOf(e.getMessage()), e);
      }
    }
  }

  private static Map<String, List<HistoryOperation>> byKey(OperationHistory history) {
    Map<String, List<HistoryOperation>> byKey = new LinkedHashMap<>();
    for (HistoryOperation operation : history.operations()) {
      byKey.computeIfAbsent(operation.key(), key -> new ArrayList<>()).add(operation);
    }
    return byKey;
  }
}

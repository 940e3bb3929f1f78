package io.ensemble.testkit.history.specification;

import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.SequentialModel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A counter. Its states are the values that it has had, numbered in the order in which they
 * appeared.
 */
final class CounterMachine implements SequentialModel.Machine {

  /**
   * An operation without its name: it adds {@code amount}, or sets {@code amount} when the value is
   * {@code expected}.
   *
   * @param before the value that it must have found, null for any
   * @param after the value that it must have left, null for any
   * @param expected the value that a compare-and-set expects, null for the others
   * @param answer of a compare-and-set, whether the comparison succeeded; null when unknown
   */
  private record CounterStep(
      @Nullable Long before,
      @Nullable Long after,
      @Nullable Long expected,
      @Nullable Boolean answer,
      long amount) {

    static CounterStep of(HistoryOperation operation) {
      boolean known = operation.outcome() == HistoryOutcome.OK;
      if (operation.op().equals("cas")) {
        Boolean answer = known ? (Boolean) operation.out().booleanValue() : null;
        return new CounterStep(
            null,
            null,
            operation.in().get(0).longValue(),
            answer,
            operation.in().get(1).longValue());
      }
      Long out = known ? (Long) operation.out().longValue() : null;
      if (operation.op().equals("get")) {
        return new CounterStep(out, out, null, null, 0);
      }
      long amount = operation.in().isNull() ? 1 : operation.in().longValue();
      return operation.op().equals("get_and_add")
          ? new CounterStep(out, null, null, null, amount)
          : new CounterStep(null, out, null, null, amount);
    }
  }

  private final List<CounterStep> steps;
  private final List<Long> values = new ArrayList<>();
  private final Map<Long, Integer> numbers = new HashMap<>();
  private final int[] sameness;
  private final int samenesses;

  CounterMachine(List<HistoryOperation> operations) {
    steps = operations.stream().map(CounterStep::of).toList();
    Map<CounterStep, Integer> kinds = new HashMap<>();
    sameness = new int[steps.size()];
    for (int i = 0; i < sameness.length; i++) {
      if (operations.get(i).outcome() == HistoryOutcome.UNKNOWN) {
        sameness[i] = kinds.computeIfAbsent(steps.get(i), kind -> kinds.size());
      }
    }
    samenesses = kinds.size();
  }

  private int number(long value) {
    return numbers.computeIfAbsent(
        value,
        fresh -> {
          values.add(fresh);
          return values.size() - 1;
        });
  }

  @Override
  public int initial() {
    return number(0);
  }

  @Override
  public int step(int state, int operation) {
    CounterStep step = steps.get(operation);
    long value = values.get(state);
    if (step.expected() != null) {
      boolean holds = step.expected() == value;
      if (step.answer() != null && step.answer() != holds) {
        return IMPOSSIBLE;
      }
      return holds ? number(step.amount()) : state;
    }
    long next = value + step.amount();
    boolean fits =
        (step.before() == null || step.before() == value)
            && (step.after() == null || step.after() == next);
    return fits ? number(next) : IMPOSSIBLE;
  }

  @Override
  public boolean changesNothing(int operation) {
    CounterStep step = steps.get(operation);
    return step.expected() == null ? step.amount() == 0 : Boolean.FALSE.equals(step.answer());
  }

  @Override
  public int sameness(int operation) {
    return sameness[operation];
  }

  @Override
  public int samenesses() {
    return samenesses;
  }

  @Override
  public String describe(int state) {
    return values.get(state).toString();
  }
}

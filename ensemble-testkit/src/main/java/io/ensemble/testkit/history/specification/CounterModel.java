package io.ensemble.testkit.history.specification;

import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.JsonShape;
import io.ensemble.testkit.history.SequentialModel;
import java.util.List;

/**
 * A counter of 64 bits, 0 at first, which wraps around. Its operations are {@code get}, {@code inc}
 * and {@code add} (which return the new value), {@code get_and_add} (the old one) and {@code cas};
 * {@code docs/histories.md} defines their arguments and results.
 */
public final class CounterModel implements SequentialModel {
  /** The model; it has no settings. */
  public static final CounterModel INSTANCE = new CounterModel();

  private CounterModel() {}

  /** Whether only counters have an operation of that name. */
  static boolean isOnlyHere(String op) {
    return List.of("get", "inc", "add", "get_and_add").contains(op);
  }

  @Override
  public void validate(HistoryOperation operation) {
    JsonShape.refuseEntry(operation, "counter");
    switch (operation.op()) {
      case "get" -> JsonShape.check(operation, JsonShape.NULL, JsonShape.WHOLE);
      case "inc", "add", "get_and_add" ->
          JsonShape.check(operation, JsonShape.WHOLE_OR_NULL, JsonShape.WHOLE);
      case "cas" -> JsonShape.check(operation, JsonShape.WHOLE_PAIR, JsonShape.BOOLEAN);
      default ->
          throw new IllegalArgumentException(
              "expected an operation of a counter (get, inc, add, get_and_add, cas), got "
                  + operation.op());
    }
  }

  @Override
  public boolean onlyReads(HistoryOperation operation) {
    return operation.op().equals("get");
  }

  @Override
  public Machine prepare(List<HistoryOperation> operations) {
    return new CounterMachine(operations);
  }
}

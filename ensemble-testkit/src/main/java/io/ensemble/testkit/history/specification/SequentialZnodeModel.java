package io.ensemble.testkit.history.specification;

import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.JsonShape;
import io.ensemble.testkit.history.SequentialModel;
import java.util.Arrays;
import java.util.List;

/**
 * The sequential names below one znode: {@code create_sequential} returns a number that is larger
 * than all numbers returned before, see {@code docs/histories.md}. This model does not judge the
 * final result of {@code names}.
 */
public final class SequentialZnodeModel implements SequentialModel {
  /** The model; it has no settings. */
  public static final SequentialZnodeModel INSTANCE = new SequentialZnodeModel();

  private static final String CREATE = "create_sequential";
  private static final String NAMES = "names";

  private SequentialZnodeModel() {}

  /** Whether only sequential names have an operation of that name. */
  static boolean isOnlyHere(String op) {
    return op.equals(CREATE) || op.equals(NAMES);
  }

  @Override
  public void validate(HistoryOperation operation) {
    JsonShape.refuseEntry(operation, "znode");
    switch (operation.op()) {
      case CREATE -> JsonShape.check(operation, JsonShape.VALUE, JsonShape.WHOLE);
      case NAMES -> JsonShape.check(operation, JsonShape.NULL, JsonShape.VERSIONED_LIST);
      default ->
          throw new IllegalArgumentException(
              "expected an operation on sequential names (create_sequential, names), got "
                  + operation.op());
    }
  }

  @Override
  public boolean onlyReads(HistoryOperation operation) {
    return operation.op().equals(NAMES);
  }

  /** The state is the last of all returned numbers so far, as a rank counted from 1. */
  @Override
  public Machine prepare(List<HistoryOperation> operations) {
    long[] returnByNumber =
        operations.stream()
            .filter(operation -> !saysNothing(operation))
            .mapToLong(operation -> operation.out().longValue())
            .sorted()
            .distinct()
            .toArray();
    return new Machine() {
      @Override
      public int initial() {
        return 0;
      }

      @Override
      public int step(int state, int operation) {
        HistoryOperation step = operations.get(operation);
        if (saysNothing(step)) {
          return state;
        }
        long number = step.out().longValue();
        int place = Arrays.binarySearch(returnByNumber, number);
        return number >= 0 && place >= state ? place + 1 : IMPOSSIBLE;
      }

      @Override
      public boolean changesNothing(int operation) {
        return saysNothing(operations.get(operation));
      }

      @Override
      public int sameness(int operation) {
        return 0;
      }

      @Override
      public int samenesses() {
        return 1;
      }

      @Override
      public String describe(int state) {
        return "the last is " + (state == 0 ? -1 : returnByNumber[state - 1]);
      }
    };
  }

  /** A number that no client received does not constrain the received ones. */
  private boolean saysNothing(HistoryOperation operation) {
    return onlyReads(operation) || operation.outcome() == HistoryOutcome.UNKNOWN;
  }
}

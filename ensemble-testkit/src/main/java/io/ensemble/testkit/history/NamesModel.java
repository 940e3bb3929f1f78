package io.ensemble.testkit.history;

import java.util.Arrays;
import java.util.List;

/**
 * The sequential names below one znode: {@code create_sequential} gives a number that is larger
 * than all that were given before, {@code docs/histories.md}. What {@code names} tells in the end
 * is not judged here.
 */
public final class NamesModel implements SequentialModel {
  /** The model; it has no settings. */
  public static final NamesModel INSTANCE = new NamesModel();

  private static final String CREATE = "create_sequential";
  private static final String NAMES = "names";

  private NamesModel() {}

  /** Whether only names are made by an operation of that name. */
  static boolean isOnlyHere(String op) {
    return op.equals(CREATE) || op.equals(NAMES);
  }

  @Override
  public void validate(Operation operation) {
    Shape.refuseEntry(operation, "znode");
    switch (operation.op()) {
      case CREATE -> Shape.check(operation, Shape.VALUE, Shape.WHOLE);
      case NAMES -> Shape.check(operation, Shape.NULL, Shape.VERSIONED_LIST);
      default ->
          throw new IllegalArgumentException(
              "wanted an operation on sequential names (create_sequential, names), got "
                  + operation.op());
    }
  }

  @Override
  public boolean onlyReads(Operation operation) {
    return operation.op().equals(NAMES);
  }

  /** The state says which of all numbers that were heard was the last, counted from 1. */
  @Override
  public Machine prepare(List<Operation> operations) {
    long[] heard =
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
        Operation step = operations.get(operation);
        if (saysNothing(step)) {
          return state;
        }
        long number = step.out().longValue();
        int place = Arrays.binarySearch(heard, number);
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
        return "the last is " + (state == 0 ? -1 : heard[state - 1]);
      }
    };
  }

  /** Which number nobody heard does not bind those that were heard. */
  private boolean saysNothing(Operation operation) {
    return onlyReads(operation) || operation.outcome() == Outcome.UNKNOWN;
  }
}

package io.ensemble.testkit.history.specification;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.HistoryOutcome;
import io.ensemble.testkit.history.SequentialModel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A register whose values are numbered: 0 is no value, 1 is every value with which no operation not
 * taken compares, and each other value has its own number. Values of the second kind share one
 * number because no later operation distinguishes them. A value joins them when the last operation
 * that compares with it is taken.
 */
final class RegisterMachine implements SequentialModel.Machine {
  private static final int NOTHING = 0;
  private static final int UNCOMPARED = 1;
  private static final int NONE = -1;
  private static final int UNKNOWN = -1;
  private static final int FALSE = 0;
  private static final int TRUE = 1;

  private final Map<JsonNode, Integer> numbers = new HashMap<>();
  private final List<String> valueTexts =
      new ArrayList<>(List.of("nothing", "a value that was not compared"));

  private final RegisterOp[] op;

  /** The value compared with (cas, remove_if) or seen (read, swap, get_and_remove); or NONE. */
  private final int[] compared;

  /** The value written, or NOTHING. */
  private final int[] written;

  /** The result of a conditional operation: TRUE, FALSE or UNKNOWN. */
  private final int[] success;

  private final boolean[] unknown;
  private final int[] needs;
  private final int[] makes;

  /**
   * By state, the number of operations not taken that need it, and the number that may lead to it.
   */
  private final int[] needed;

  private final int[] makers;

  /** By value, the number of operations not taken that compare with it. */
  private final int[] comparers;

  private final Map<List<Object>, Integer> samenesses = new HashMap<>();
  private final int[] sameness;
  private final int[] samenessOnceUncompared;

  RegisterMachine(List<HistoryOperation> operations) {
    int n = operations.size();
    op = new RegisterOp[n];
    compared = new int[n];
    written = new int[n];
    success = new int[n];
    unknown = new boolean[n];
    needs = new int[n];
    makes = new int[n];
    for (int i = 0; i < n; i++) {
      op[i] = RegisterOp.of(operations.get(i));
      unknown[i] = operations.get(i).outcome() == HistoryOutcome.UNKNOWN;
      compared[i] = compared(op[i], operations.get(i));
    }
    for (int i = 0; i < n; i++) {
      written[i] = written(op[i], operations.get(i).in());
      success[i] = success(unknown[i], operations.get(i).out());
    }
    needed = new int[valueTexts.size()];
    makers = new int[valueTexts.size()];
    comparers = new int[valueTexts.size()];
    sameness = new int[n];
    samenessOnceUncompared = new int[n];
    for (int i = 0; i < n; i++) {
      needs[i] = needs(i);
      makes[i] = makes(i);
      count(i, 1);
      if (unknown[i]) {
        sameness[i] = sameness(i, written[i]);
        samenessOnceUncompared[i] = sameness(i, UNCOMPARED);
      }
    }
  }

  private int compared(RegisterOp op, HistoryOperation operation) {
    return switch (op) {
      case CAS -> number(operation.in().get(0));
      case REMOVE_IF -> number(operation.in());
      case READ, SWAP, GET_AND_REMOVE ->
          operation.outcome() == HistoryOutcome.UNKNOWN ? NONE : number(operation.out());
      default -> NONE;
    };
  }

  private int number(JsonNode value) {
    if (value.isNull()) {
      return NOTHING;
    }
    return numbers.computeIfAbsent(
        value,
        v -> {
          valueTexts.add(v.toString());
          return valueTexts.size() - 1;
        });
  }

  private int written(RegisterOp op, JsonNode in) {
    return switch (op) {
      case WRITE, SWAP, PUT_IF_ABSENT, REPLACE -> numberOrUncompared(in);
      case CAS -> numberOrUncompared(in.get(1));
      default -> NOTHING;
    };
  }

  private int numberOrUncompared(JsonNode value) {
    return value.isNull() ? NOTHING : numbers.getOrDefault(value, UNCOMPARED);
  }

  private static int success(boolean unknown, JsonNode out) {
    if (unknown) {
      return UNKNOWN;
    }
    return out.booleanValue() ? TRUE : FALSE;
  }

  /** The one state in which the operation can have ended as recorded, or NONE. */
  private int needs(int i) {
    if (unknown[i]) {
      return NONE;
    }
    return switch (op[i]) {
      case READ, SWAP, GET_AND_REMOVE -> compared[i];
      case CAS, REMOVE_IF -> success[i] == TRUE ? compared[i] : NONE;
      case PUT_IF_ABSENT -> success[i] == TRUE ? NOTHING : NONE;
      case REPLACE, CONTAINS -> success[i] == FALSE ? NOTHING : NONE;
      default -> NONE;
    };
  }

  /** The state to which the operation may lead, or NONE. */
  private int makes(int i) {
    return switch (op[i]) {
      case READ, CONTAINS -> NONE;
      case WRITE, SWAP, DELETE, GET_AND_REMOVE -> written[i];
      case PUT_IF_ABSENT, REPLACE, CAS, REMOVE_IF -> success[i] == FALSE ? NONE : written[i];
    };
  }

  @Override
  public int initial() {
    return NOTHING;
  }

  @Override
  public int step(int state, int i) {
    return switch (op[i]) {
      case READ -> compared[i] == state || unknown[i] ? state : IMPOSSIBLE;
      case WRITE, DELETE -> representative(written[i]);
      case SWAP, GET_AND_REMOVE ->
          compared[i] == state || unknown[i] ? representative(written[i]) : IMPOSSIBLE;
      case PUT_IF_ABSENT -> conditional(state, i, state == NOTHING);
      case REPLACE -> conditional(state, i, state != NOTHING);
      case CAS, REMOVE_IF -> conditional(state, i, state == compared[i]);
      case CONTAINS ->
          unknown[i] || (state != NOTHING) == (success[i] == TRUE) ? state : IMPOSSIBLE;
    };
  }

  private int conditional(int state, int i, boolean holds) {
    if (success[i] != UNKNOWN && holds != (success[i] == TRUE)) {
      return IMPOSSIBLE;
    }
    return holds ? representative(written[i]) : state;
  }

  @Override
  public boolean changesNothing(int i) {
    return makes[i] == NONE;
  }

  /** With an unknown outcome, a swap is equivalent to a write, and a get_and_remove to a delete. */
  private int sameness(int i, int value) {
    RegisterOp effect =
        switch (op[i]) {
          case SWAP -> RegisterOp.WRITE;
          case GET_AND_REMOVE -> RegisterOp.DELETE;
          default -> op[i];
        };
    return samenesses.computeIfAbsent(
        List.of(effect, compared[i], value), same -> samenesses.size());
  }

  @Override
  public int sameness(int i) {
    return representative(written[i]) == UNCOMPARED ? samenessOnceUncompared[i] : sameness[i];
  }

  @Override
  public int samenesses() {
    return samenesses.size();
  }

  @Override
  public int representative(int state) {
    return state != NOTHING && comparers[state] == 0 ? UNCOMPARED : state;
  }

  @Override
  public void took(int i) {
    count(i, -1);
  }

  @Override
  public void untook(int i) {
    count(i, 1);
  }

  private void count(int i, int change) {
    if (needs[i] != NONE) {
      needed[needs[i]] += change;
    }
    if (compared[i] != NONE) {
      comparers[compared[i]] += change;
    }
    if (makes[i] != NONE) {
      makers[makes[i]] += change;
    }
  }

  @Override
  public boolean neededAgainInVain(int state) {
    return needed[state] > 0 && makers[state] == 0;
  }

  @Override
  public String describe(int state) {
    return valueTexts.get(state);
  }
}

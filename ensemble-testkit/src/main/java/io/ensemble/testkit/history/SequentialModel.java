package io.ensemble.testkit.history;

import java.util.List;

/**
 * The behaviour of one object when its operations run one after another: the specification against
 * which a history is judged. Implementations are stateless and thread-safe.
 */
public interface SequentialModel {

  /**
   * The model of one object, given all of its operations. It is this model, unless the model
   * distinguishes objects by their operations.
   */
  default SequentialModel forObject(List<HistoryOperation> operations) {
    return this;
  }

  /**
   * Splits one object's operations into groups that do not influence each other, so that each group
   * may be judged alone. A single group is always correct.
   */
  default List<List<HistoryOperation>> independent(List<HistoryOperation> operations) {
    return List.of(operations);
  }

  /**
   * Checks that the model defines the operation and that {@code in} has the right shape. If the
   * operation completed, {@code out} is checked as well.
   *
   * @throws IllegalArgumentException with the accepted form and the actual value
   */
  void validate(HistoryOperation operation);

  /** Whether the operation never changes the object, so that it can be left out when unknown. */
  boolean onlyReads(HistoryOperation operation);

  /**
   * Prepares to run the given operations of one object. They have been validated and none is
   * refused. The cost of a machine is paid once per object and per prefix tried.
   */
  Machine prepare(List<HistoryOperation> operations);

  /**
   * The object. Its states are numbered, and operations are named by their index in the prepared
   * list. Deterministic; used by one thread.
   */
  interface Machine {
    /** No state: the operation cannot have ended as recorded. */
    int IMPOSSIBLE = -1;

    /** The number, 0 or more, of the initial state. */
    int initial();

    /**
     * The representative of the state after {@code operation} runs in {@code state}. Returns {@link
     * #IMPOSSIBLE} if that contradicts its {@code out}, or if no operation not taken could then end
     * as recorded. An unknown operation accepts any {@code out}; if it cannot change anything, the
     * state stays the same.
     */
    int step(int state, int operation);

    /**
     * Whether the operation, with its recorded result, changed nothing in any state in which it can
     * run. Examples are a read, and a conditional operation that reported a failed condition. False
     * is always correct; true shortens the search.
     */
    default boolean changesNothing(int operation) {
      return false;
    }

    /**
     * A number from 0 to {@link #samenesses} exclusive. Two unknown operations share it only if
     * they do the same in every state from now on, whatever is placed, so that the search need not
     * try both. Called for unknown operations only.
     */
    int sameness(int operation);

    /** The number of values that {@link #sameness} may return. */
    int samenesses();

    /**
     * The state that represents {@code state} and others that no operation not taken can
     * distinguish from it. The representative may change when operations are taken, but states that
     * were once alike remain alike.
     */
    default int representative(int state) {
      return state;
    }

    /** Records that the operation has its place in the order sought. */
    default void took(int operation) {}

    /** Undoes the last {@link #took} not yet undone. */
    default void untook(int operation) {}

    /**
     * Whether no order can be completed now that {@code state} has been left: an operation not
     * taken needs the state, and no operation not taken leads to it. False is always correct; true
     * shortens the search.
     */
    default boolean neededAgainInVain(int state) {
      return false;
    }

    /**
     * The same for a state that was left for {@code after}. Both states matter for an object of
     * several parts, which keeps the parts that did not change.
     */
    default boolean neededAgainInVain(int left, int after) {
      return neededAgainInVain(left);
    }

    /** The state in words. */
    String describe(int state);
  }
}

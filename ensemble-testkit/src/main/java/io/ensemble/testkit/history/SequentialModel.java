package io.ensemble.testkit.history;

import java.util.List;

/**
 * What one object does when its operations come one after another: the specification against which
 * a history is judged. Implementations are stateless and thread-safe.
 */
public interface SequentialModel {

  /**
   * The model of one object, given all of its operations: itself, unless it tells objects apart by
   * what is done with them.
   */
  default SequentialModel forObject(List<HistoryOperation> operations) {
    return this;
  }

  /**
   * Splits one object's operations into groups of which none can tell what the others do, so that
   * each may be judged alone. One group is always right.
   */
  default List<List<HistoryOperation>> independent(List<HistoryOperation> operations) {
    return List.of(operations);
  }

  /**
   * Checks that the model knows the operation and that its {@code in}, and its {@code out} when it
   * completed, have the right shape.
   *
   * @throws IllegalArgumentException saying what was wanted and what came
   */
  void validate(HistoryOperation operation);

  /** Whether the operation never changes the object, so that it can be left out when unknown. */
  boolean onlyReads(HistoryOperation operation);

  /**
   * Gets ready to run the given operations of one object, which have been validated and of which
   * none is refused. What a machine costs is paid once per object and per prefix tried.
   */
  Machine prepare(List<HistoryOperation> operations);

  /**
   * The object, with its states numbered and operations named by their place in the list prepared.
   * Deterministic; used by one thread.
   */
  interface Machine {
    /** No state: the operation cannot have ended as it did. */
    int IMPOSSIBLE = -1;

    /** The number, 0 or more, of the state at first. */
    int initial();

    /**
     * The representative of the state after {@code operation} is done in {@code state}, or {@link
     * #IMPOSSIBLE} if that contradicts its {@code out}, or if no operation not taken could then end
     * as it did. Of an unknown operation any {@code out} will do: one that cannot change anything
     * leaves the state as it is.
     */
    int step(int state, int operation);

    /**
     * Whether the operation, having ended as it did, changed nothing, in whatever state it was
     * done: a read, or a conditional operation that answered that its condition did not hold. False
     * is always right; true cuts the search short.
     */
    default boolean changesNothing(int operation) {
      return false;
    }

    /**
     * A number from 0 up to, not including, {@link #samenesses} that two unknown operations share
     * only if they do the same in every state from now on, whatever is placed, so that the search
     * need not try both. Asked of unknown operations only.
     */
    int sameness(int operation);

    /** How many numbers {@link #sameness} may give. */
    int samenesses();

    /**
     * The state that stands for {@code state} and others that no operation not taken can tell from
     * it. What stands for a state may change when operations are taken, but states once alike
     * remain so.
     */
    default int representative(int state) {
      return state;
    }

    /** Notes that the operation has its place in the order sought. */
    default void took(int operation) {}

    /** Undoes the last {@link #took} not yet undone. */
    default void untook(int operation) {}

    /**
     * Whether no order can be completed now that {@code state} has been left: an operation not
     * taken needs it, and none not taken leads to it. False is always right; true cuts the search
     * short.
     */
    default boolean neededAgainInVain(int state) {
      return false;
    }

    /**
     * The same for a state that was left for {@code after}, where that may make a difference: an
     * object of several parts keeps those that did not change.
     */
    default boolean neededAgainInVain(int left, int after) {
      return neededAgainInVain(left);
    }

    /** The state in words. */
    String describe(int state);
  }
}

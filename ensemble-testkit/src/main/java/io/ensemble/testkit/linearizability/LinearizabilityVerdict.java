package io.ensemble.testkit.linearizability;

import io.ensemble.testkit.history.HistoryOperation;
import java.util.List;

/** What the checker found. */
public sealed interface LinearizabilityVerdict {

  /** Whether the history was shown to be linearizable. */
  default boolean isLinearizable() {
    return this instanceof Linearizable;
  }

  /** The verdict in words; for a violation, with a picture of the operations around it. */
  String explain();

  /**
   * Every object's operations have an order.
   *
   * @param operations how many operations were judged
   * @param states how many points the search visited
   */
  record Linearizable(long operations, long states) implements LinearizabilityVerdict {
    @Override
    public String explain() {
      return "linearizable: " + operations + " operations, " + states + " states visited";
    }

    @Override
    public String toString() {
      return explain();
    }
  }

  /**
   * The operations on one object have no order. What was found for other objects is not told.
   *
   * @param key the object
   * @param culprit the operation whose return made it impossible: until then, taking operations
   *     under way as unknown, there was an order
   * @param first whether the culprit is certainly the first such operation; false when the bound
   *     left no time to look for an earlier one
   * @param around operations that bear on it, the culprit among them, in the order of their calls
   * @param explanation all of this in words and with a picture
   */
  record Violation(
      String key,
      HistoryOperation culprit,
      boolean first,
      List<HistoryOperation> around,
      String explanation)
      implements LinearizabilityVerdict {
    /** Copies the list. */
    public Violation {
      around = List.copyOf(around);
    }

    @Override
    public String explain() {
      return explanation;
    }

    @Override
    public String toString() {
      return explanation;
    }
  }

  /**
   * The search met a bound before it could tell; no object checked to the end had a violation.
   *
   * @param bound the bound that was met
   * @param keys the objects left undecided
   */
  record Undecided(String bound, List<String> keys) implements LinearizabilityVerdict {
    /** Copies the list. */
    public Undecided {
      keys = List.copyOf(keys);
    }

    @Override
    public String explain() {
      return "undecided: met " + bound + "; keys " + keys;
    }

    @Override
    public String toString() {
      return explain();
    }
  }
}

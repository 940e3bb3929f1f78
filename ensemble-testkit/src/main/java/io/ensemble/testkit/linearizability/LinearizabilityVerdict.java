package io.ensemble.testkit.linearizability;

import io.ensemble.testkit.history.HistoryOperation;
import java.util.List;

/** The result of the checker. */
public sealed interface LinearizabilityVerdict {

  /** Whether the history was shown to be linearizable. */
  default boolean isLinearizable() {
    return this instanceof Linearizable;
  }

  /** The verdict in words; for a violation, with a picture of the operations around it. */
  String explain();

  /**
   * The operations of every object have an order.
   *
   * @param operations the number of operations judged
   * @param states the number of points that the search visited
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
   * The operations on one object have no order. The results for other objects are not reported.
   *
   * @param key the object
   * @param culprit the operation whose return made an order impossible: until then there was an
   *     order, if operations under way count as unknown
   * @param first whether the culprit is certainly the first such operation; false when the bound
   *     left no time to look for an earlier one
   * @param around operations that bear on it, the culprit among them, in the order of their calls
   * @param explanation all of this in words, with a timeline
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
   * The search reached a bound before it could decide; no object that was checked to the end had a
   * violation.
   *
   * @param bound the bound that was reached
   * @param keys the undecided objects
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

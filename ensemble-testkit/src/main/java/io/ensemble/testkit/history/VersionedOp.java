package io.ensemble.testkit.history;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The operations of a versioned key, by their names in a history. */
enum VersionedOp {
  ADD_VERSION(Shape.VALUE, Shape.WHOLE),
  PUT_VERSION(Shape.VERSIONED, Shape.WORD),
  LATEST(Shape.NULL, Shape.VERSIONED_OR_NULL),
  GET_VERSION(Shape.WHOLE, Shape.VERSIONED_OR_WORD),
  RANGE(Shape.WHOLE_PAIR, Shape.VERSIONED_LIST),
  PREDECESSOR(Shape.WHOLE, Shape.VERSIONED_OR_NULL),
  SUCCESSOR(Shape.WHOLE, Shape.VERSIONED_OR_NULL),
  VERSIONS(Shape.VERSIONS_WANTED, Shape.WHOLE_LIST),
  AS_OF(Shape.WHOLE, Shape.VERSIONED_OR_WORD),
  COMPACT(Shape.WHOLE, Shape.NULL);

  static final String ADDED = "added";
  static final String EXISTS = "exists";
  static final String NOT_ABOVE = "not_above";
  static final String BELOW_CUT = "below_cut";
  static final String COMPACTED = "compacted";
  static final String MISSING = "unknown";

  private static final Map<String, VersionedOp> BY_WORD =
      Arrays.stream(values())
          .collect(Collectors.toMap(one -> one.name().toLowerCase(Locale.ROOT), one -> one));

  private final Shape in;
  private final Shape out;

  VersionedOp(Shape in, Shape out) {
    this.in = in;
    this.out = out;
  }

  static boolean isOne(String op) {
    return BY_WORD.containsKey(op);
  }

  /**
   * The operation's.
   *
   * @throws IllegalArgumentException if it is none of a versioned key
   */
  static VersionedOp of(Operation operation) {
    VersionedOp one = BY_WORD.get(operation.op());
    if (one == null) {
      throw new IllegalArgumentException(
          "wanted an operation of a versioned key, got " + operation.op());
    }
    return one;
  }

  void check(Operation operation) {
    Shape.check(operation, in, out);
  }

  /** Whether it never changes the key. */
  boolean onlyReads() {
    return switch (this) {
      case ADD_VERSION, PUT_VERSION, AS_OF, COMPACT -> false;
      case LATEST, GET_VERSION, RANGE, PREDECESSOR, SUCCESSOR, VERSIONS -> true;
    };
  }
}

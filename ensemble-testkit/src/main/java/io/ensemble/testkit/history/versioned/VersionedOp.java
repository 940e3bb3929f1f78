package io.ensemble.testkit.history.versioned;

import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.JsonShape;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The operations of a versioned key, by their names in a history. */
enum VersionedOp {
  ADD_VERSION(JsonShape.VALUE, JsonShape.WHOLE),
  PUT_VERSION(JsonShape.VERSIONED, JsonShape.WORD),
  LATEST(JsonShape.NULL, JsonShape.VERSIONED_OR_NULL),
  GET_VERSION(JsonShape.WHOLE, JsonShape.VERSIONED_OR_WORD),
  RANGE(JsonShape.WHOLE_PAIR, JsonShape.VERSIONED_LIST),
  PREDECESSOR(JsonShape.WHOLE, JsonShape.VERSIONED_OR_NULL),
  SUCCESSOR(JsonShape.WHOLE, JsonShape.VERSIONED_OR_NULL),
  VERSIONS(JsonShape.VERSIONS_WANTED, JsonShape.WHOLE_LIST),
  AS_OF(JsonShape.WHOLE, JsonShape.VERSIONED_OR_WORD),
  COMPACT(JsonShape.WHOLE, JsonShape.NULL);

  static final String ADDED = "added";
  static final String EXISTS = "exists";
  static final String NOT_ABOVE = "not_above";
  static final String BELOW_CUT = "below_cut";
  static final String COMPACTED = "compacted";
  static final String MISSING = "unknown";

  private static final Map<String, VersionedOp> BY_WORD =
      Arrays.stream(values())
          .collect(Collectors.toMap(one -> one.name().toLowerCase(Locale.ROOT), one -> one));

  private final JsonShape in;
  private final JsonShape out;

  VersionedOp(JsonShape in, JsonShape out) {
    this.in = in;
    this.out = out;
  }

  static boolean isOne(String op) {
    return BY_WORD.containsKey(op);
  }

  /**
   * Returns the constant of the operation's name.
   *
   * @throws IllegalArgumentException if a versioned key has no such operation
   */
  static VersionedOp of(HistoryOperation operation) {
    VersionedOp one = BY_WORD.get(operation.op());
    if (one == null) {
      throw new IllegalArgumentException(
          "expected an operation of a versioned key, got " + operation.op());
    }
    return one;
  }

  void check(HistoryOperation operation) {
    JsonShape.check(operation, in, out);
  }

  /** Whether the operation never changes the key. */
  boolean onlyReads() {
    return switch (this) {
      case ADD_VERSION, PUT_VERSION, AS_OF, COMPACT -> false;
      case LATEST, GET_VERSION, RANGE, PREDECESSOR, SUCCESSOR, VERSIONS -> true;
    };
  }
}

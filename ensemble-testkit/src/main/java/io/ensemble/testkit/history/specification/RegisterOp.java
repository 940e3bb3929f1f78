package io.ensemble.testkit.history.specification;

import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.JsonShape;
import java.util.Arrays;
import java.util.stream.Collectors;

/** The operations on a cache entry, with the shapes of their arguments and results. */
enum RegisterOp {
  READ("read", JsonShape.NULL, JsonShape.ANY),
  WRITE("write", JsonShape.VALUE, JsonShape.NULL),
  SWAP("swap", JsonShape.VALUE, JsonShape.ANY),
  PUT_IF_ABSENT("put_if_absent", JsonShape.VALUE, JsonShape.BOOLEAN),
  REPLACE("replace", JsonShape.VALUE, JsonShape.BOOLEAN),
  CAS("cas", JsonShape.PAIR, JsonShape.BOOLEAN),
  DELETE("delete", JsonShape.NULL, JsonShape.NULL),
  GET_AND_REMOVE("get_and_remove", JsonShape.NULL, JsonShape.ANY),
  REMOVE_IF("remove_if", JsonShape.VALUE, JsonShape.BOOLEAN),
  CONTAINS("contains", JsonShape.NULL, JsonShape.BOOLEAN);

  private final String text;
  private final JsonShape in;
  private final JsonShape out;

  RegisterOp(String text, JsonShape in, JsonShape out) {
    this.text = text;
    this.in = in;
    this.out = out;
  }

  static RegisterOp of(HistoryOperation operation) {
    for (RegisterOp op : values()) {
      if (op.text.equals(operation.op())) {
        return op;
      }
    }
    String all = Arrays.stream(values()).map(op -> op.text).collect(Collectors.joining(", "));
    throw new IllegalArgumentException(
        "expected an operation of a register (" + all + "), got " + operation.op());
  }

  void validate(HistoryOperation operation) {
    if (operation.entry() != null) {
      throw new IllegalArgumentException(
          "expected no k, for a register has no entries, got " + operation.entry());
    }
    validateValues(operation);
  }

  /** As {@link #validate}, for any entry that the operation names. */
  void validateValues(HistoryOperation operation) {
    JsonShape.check(operation, in, out);
  }

  static boolean isOne(String name) {
    return Arrays.stream(values()).anyMatch(op -> op.text.equals(name));
  }

  boolean onlyReads() {
    return this == READ || this == CONTAINS;
  }
}

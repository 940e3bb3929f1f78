package io.ensemble.testkit.history;

import java.util.Arrays;
import java.util.stream.Collectors;

/** The operations on a cache entry, with the shapes of their arguments and results. */
enum RegisterOp {
  READ("read", Shape.NULL, Shape.ANY),
  WRITE("write", Shape.VALUE, Shape.NULL),
  SWAP("swap", Shape.VALUE, Shape.ANY),
  PUT_IF_ABSENT("put_if_absent", Shape.VALUE, Shape.BOOLEAN),
  REPLACE("replace", Shape.VALUE, Shape.BOOLEAN),
  CAS("cas", Shape.PAIR, Shape.BOOLEAN),
  DELETE("delete", Shape.NULL, Shape.NULL),
  GET_AND_REMOVE("get_and_remove", Shape.NULL, Shape.ANY),
  REMOVE_IF("remove_if", Shape.VALUE, Shape.BOOLEAN),
  CONTAINS("contains", Shape.NULL, Shape.BOOLEAN);

  private final String text;
  private final Shape in;
  private final Shape out;

  RegisterOp(String text, Shape in, Shape out) {
    this.text = text;
    this.in = in;
    this.out = out;
  }

  static RegisterOp of(Operation operation) {
    for (RegisterOp op : values()) {
      if (op.text.equals(operation.op())) {
        return op;
      }
    }
    String all = Arrays.stream(values()).map(op -> op.text).collect(Collectors.joining(", "));
    throw new IllegalArgumentException(
        "wanted an operation of a register (" + all + "), got " + operation.op());
  }

  void validate(Operation operation) {
    if (operation.entry() != null) {
      throw new IllegalArgumentException(
          "wanted no k, for a register has no entries, got " + operation.entry());
    }
    validateValues(operation);
  }

  /** As {@link #validate}, whichever entry it names. */
  void validateValues(Operation operation) {
    Shape.check(operation, in, out);
  }

  static boolean isOne(String name) {
    return Arrays.stream(values()).anyMatch(op -> op.text.equals(name));
  }

  boolean onlyReads() {
    return this == READ || this == CONTAINS;
  }
}

package io.ensemble.testkit.history;

import java.util.Arrays;
import java.util.stream.Collectors;

/** The operations on a znode, with the shapes of their arguments and results. */
enum ZnodeOp {
  CREATE("create", Shape.VALUE, Shape.BOOLEAN),
  SET_DATA("set_data", Shape.SET, Shape.WHOLE_OR_WORD),
  DELETE_NODE("delete_node", Shape.WHOLE_OR_NULL, Shape.WORD),
  GET_DATA("get_data", Shape.NULL, Shape.VERSIONED_OR_NULL),
  EXISTS("exists", Shape.NULL, Shape.WHOLE_OR_NULL);

  private final String text;
  private final Shape in;
  private final Shape out;

  ZnodeOp(String text, Shape in, Shape out) {
    this.text = text;
    this.in = in;
    this.out = out;
  }

  static ZnodeOp of(Operation operation) {
    for (ZnodeOp op : values()) {
      if (op.text.equals(operation.op())) {
        return op;
      }
    }
    String all = Arrays.stream(values()).map(op -> op.text).collect(Collectors.joining(", "));
    throw new IllegalArgumentException(
        "wanted an operation of a znode (" + all + "), got " + operation.op());
  }

  static boolean isOne(String name) {
    return Arrays.stream(values()).anyMatch(op -> op.text.equals(name));
  }

  void check(Operation operation) {
    Shape.check(operation, in, out);
  }

  boolean onlyReads() {
    return this == GET_DATA || this == EXISTS;
  }
}

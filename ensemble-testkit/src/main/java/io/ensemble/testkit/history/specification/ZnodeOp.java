package io.ensemble.testkit.history.specification;

import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.JsonShape;
import java.util.Arrays;
import java.util.stream.Collectors;

/** The operations on a znode, with the shapes of their arguments and results. */
enum ZnodeOp {
  CREATE("create", JsonShape.VALUE, JsonShape.BOOLEAN),
  SET_DATA("set_data", JsonShape.SET, JsonShape.WHOLE_OR_WORD),
  DELETE_NODE("delete_node", JsonShape.WHOLE_OR_NULL, JsonShape.WORD),
  GET_DATA("get_data", JsonShape.NULL, JsonShape.VERSIONED_OR_NULL),
  EXISTS("exists", JsonShape.NULL, JsonShape.WHOLE_OR_NULL);

  private final String text;
  private final JsonShape in;
  private final JsonShape out;

  ZnodeOp(String text, JsonShape in, JsonShape out) {
    this.text = text;
    this.in = in;
    this.out = out;
  }

  static ZnodeOp of(HistoryOperation operation) {
    for (ZnodeOp op : values()) {
      if (op.text.equals(operation.op())) {
        return op;
      }
    }
    String all = Arrays.stream(values()).map(op -> op.text).collect(Collectors.joining(", "));
    throw new IllegalArgumentException(
        "expected an operation of a znode (" + all + "), got " + operation.op());
  }

  static boolean isOne(String name) {
    return Arrays.stream(values()).anyMatch(op -> op.text.equals(name));
  }

  void check(HistoryOperation operation) {
    JsonShape.check(operation, in, out);
  }

  boolean onlyReads() {
    return this == GET_DATA || this == EXISTS;
  }
}

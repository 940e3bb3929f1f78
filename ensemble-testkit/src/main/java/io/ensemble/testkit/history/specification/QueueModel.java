package io.ensemble.testkit.history.specification;

import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.JsonShape;
import io.ensemble.testkit.history.SequentialModel;
import java.util.List;

/**
 * A queue, first in, first out, empty at first. Its operations are {@code enqueue}, {@code dequeue}
 * (null when the queue was empty) and {@code size}; {@code docs/histories.md} defines their
 * arguments and results.
 */
public final class QueueModel implements SequentialModel {
  /** The model; it has no settings. */
  public static final QueueModel INSTANCE = new QueueModel();

  private QueueModel() {}

  /** Whether only queues have an operation of that name. */
  static boolean isOnlyHere(String op) {
    return List.of("enqueue", "dequeue").contains(op);
  }

  @Override
  public void validate(HistoryOperation operation) {
    JsonShape.refuseEntry(operation, "queue");
    switch (operation.op()) {
      case "enqueue" -> JsonShape.check(operation, JsonShape.VALUE, JsonShape.NULL);
      case "dequeue" -> JsonShape.check(operation, JsonShape.NULL, JsonShape.ANY);
      case "size" -> JsonShape.check(operation, JsonShape.NULL, JsonShape.SIZE);
      default ->
          throw new IllegalArgumentException(
              "expected an operation of a queue (enqueue, dequeue, size), got " + operation.op());
    }
  }

  @Override
  public boolean onlyReads(HistoryOperation operation) {
    return operation.op().equals("size");
  }

  @Override
  public Machine prepare(List<HistoryOperation> operations) {
    return new QueueMachine(operations);
  }
}

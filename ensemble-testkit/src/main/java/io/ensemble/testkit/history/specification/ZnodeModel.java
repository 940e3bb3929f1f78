package io.ensemble.testkit.history.specification;

import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.JsonShape;
import io.ensemble.testkit.history.SequentialModel;
import java.util.List;

/**
 * A znode of ZooKeeper without children: it is there with data and a version, which is 0 when it is
 * created and counts the settings since, or it is not. At first it is not. {@code create}, {@code
 * set_data}, {@code delete_node}, {@code get_data} and {@code exists}; {@code docs/histories.md}
 * says what each takes and gives.
 */
public final class ZnodeModel implements SequentialModel {
  /** The model; it has no settings. */
  public static final ZnodeModel INSTANCE = new ZnodeModel();

  /** What {@code set_data} and {@code delete_node} answer where there is no znode. */
  public static final String NO_NODE = "no_node";

  /** What they answer where it has another version than the one wanted. */
  public static final String BAD_VERSION = "bad_version";

  /** What {@code delete_node} answers when it has removed the znode. */
  public static final String DELETED = "deleted";

  private ZnodeModel() {}

  /** Whether only a znode can have had an operation of that name. */
  static boolean isOnlyHere(String op) {
    return ZnodeOp.isOne(op);
  }

  @Override
  public void validate(HistoryOperation operation) {
    JsonShape.refuseEntry(operation, "znode");
    ZnodeOp.of(operation).check(operation);
  }

  @Override
  public boolean onlyReads(HistoryOperation operation) {
    return ZnodeOp.of(operation).onlyReads();
  }

  @Override
  public Machine prepare(List<HistoryOperation> operations) {
    return new ZnodeMachine(operations);
  }
}

package io.ensemble.testkit.history.specification;

import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.JsonShape;
import io.ensemble.testkit.history.SequentialModel;
import java.util.List;

/**
 * A znode of ZooKeeper without children, absent at first. It exists with data and a version, or
 * does not exist. The version is 0 at its creation and counts the later writes of its data. Its
 * operations are {@code create}, {@code set_data}, {@code delete_node}, {@code get_data} and {@code
 * exists}; {@code docs/histories.md} defines their arguments and results.
 */
public final class ZnodeModel implements SequentialModel {
  /** The model; it has no settings. */
  public static final ZnodeModel INSTANCE = new ZnodeModel();

  /** The result of {@code set_data} and {@code delete_node} if there is no znode. */
  public static final String NO_NODE = "no_node";

  /** Their result if the znode has another version than the expected one. */
  public static final String BAD_VERSION = "bad_version";

  /** The result of {@code delete_node} when it has removed the znode. */
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

package io.ensemble.testkit.history.versioned;

import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.JsonShape;
import io.ensemble.testkit.history.SequentialModel;
import java.util.List;

/**
 * A key that keeps every value under a version, a whole number above zero. {@code
 * docs/histories.md} defines the arguments and results of its operations. A value is written to a
 * key only once, and {@code compact} names a version that is there, or was.
 */
public final class VersionedModel implements SequentialModel {
  /** The model; it has no settings. */
  public static final VersionedModel INSTANCE = new VersionedModel();

  private VersionedModel() {}

  /** Whether only a versioned key can have had this operation. */
  public static boolean isOnlyHere(HistoryOperation operation) {
    return VersionedOp.isOne(operation.op());
  }

  @Override
  public void validate(HistoryOperation operation) {
    JsonShape.refuseEntry(operation, "versioned key");
    VersionedOp.of(operation).check(operation);
  }

  @Override
  public boolean onlyReads(HistoryOperation operation) {
    return VersionedOp.of(operation).onlyReads();
  }

  @Override
  public Machine prepare(List<HistoryOperation> operations) {
    return new VersionedMachine(operations);
  }
}

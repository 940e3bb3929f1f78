package io.ensemble.testkit.history.specification;

import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.SequentialModel;
import io.ensemble.testkit.history.versioned.VersionedModel;
import java.util.List;

/**
 * Objects of any kind in one history, distinguished by their operations. An object with entries is
 * a {@link MapModel map}, an object with versions a {@link VersionedModel versioned key}. An object
 * that is created or has data is a {@link ZnodeModel znode} or has {@link SequentialZnodeModel
 * sequential names}. An object that is enqueued to or dequeued from is a {@link QueueModel queue},
 * an object that is added to or got is a {@link CounterModel counter}. Every other object is a
 * {@link RegisterModel register}.
 */
public final class MixedObjectsModel implements SequentialModel {
  /** The model; it has no settings. */
  public static final MixedObjectsModel INSTANCE = new MixedObjectsModel();

  private MixedObjectsModel() {}

  @Override
  public SequentialModel forObject(List<HistoryOperation> operations) {
    if (operations.stream().anyMatch(VersionedModel::isOnlyHere)) {
      return VersionedModel.INSTANCE;
    }
    if (operations.stream().anyMatch(MapModel::isOnlyHere)) {
      return MapModel.INSTANCE;
    }
    if (operations.stream().anyMatch(o -> QueueModel.isOnlyHere(o.op()))) {
      return QueueModel.INSTANCE;
    }
    if (operations.stream().anyMatch(o -> CounterModel.isOnlyHere(o.op()))) {
      return CounterModel.INSTANCE;
    }
    if (operations.stream().anyMatch(o -> ZnodeModel.isOnlyHere(o.op()))) {
      return ZnodeModel.INSTANCE;
    }
    if (operations.stream().anyMatch(o -> SequentialZnodeModel.isOnlyHere(o.op()))) {
      return SequentialZnodeModel.INSTANCE;
    }
    boolean onlySizes = operations.stream().allMatch(o -> o.op().equals(MapModel.SIZE));
    return onlySizes && !operations.isEmpty() ? MapModel.INSTANCE : RegisterModel.INSTANCE;
  }

  @Override
  public void validate(HistoryOperation operation) {
    forObject(List.of(operation)).validate(operation);
  }

  @Override
  public boolean onlyReads(HistoryOperation operation) {
    return forObject(List.of(operation)).onlyReads(operation);
  }

  @Override
  public Machine prepare(List<HistoryOperation> operations) {
    return forObject(operations).prepare(operations);
  }
}

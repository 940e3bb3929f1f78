package io.ensemble.testkit.history.specification;

import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.JsonShape;
import io.ensemble.testkit.history.SequentialModel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A map, empty at first. Its operations are those of {@link RegisterModel} on the entry that they
 * name, and {@code size}, {@code clear}, {@code put_all} and {@code snapshot} on the whole map;
 * {@code docs/histories.md} defines their arguments and results.
 */
public final class MapModel implements SequentialModel {
  /** The model; it has no settings. */
  public static final MapModel INSTANCE = new MapModel();

  static final String SIZE = "size";
  static final String CLEAR = "clear";
  static final String PUT_ALL = "put_all";
  static final String SNAPSHOT = "snapshot";

  private MapModel() {}

  /** Whether only a map can have had this operation. */
  static boolean isOnlyHere(HistoryOperation operation) {
    return operation.entry() != null || Set.of(CLEAR, PUT_ALL, SNAPSHOT).contains(operation.op());
  }

  @Override
  public void validate(HistoryOperation operation) {
    if (RegisterOp.isOne(operation.op())) {
      if (operation.entry() == null) {
        throw new IllegalArgumentException(
            "expected the entry in k of " + operation.op() + " on a map, got none");
      }
      RegisterOp.of(operation).validateValues(operation);
      return;
    }
    JsonShape.refuseEntry(operation, "whole map");
    switch (operation.op()) {
      case SIZE -> JsonShape.check(operation, JsonShape.NULL, JsonShape.SIZE);
      case CLEAR -> JsonShape.check(operation, JsonShape.NULL, JsonShape.NULL);
      case PUT_ALL -> JsonShape.check(operation, JsonShape.ENTRIES, JsonShape.NULL);
      case SNAPSHOT -> JsonShape.check(operation, JsonShape.NULL, JsonShape.ENTRIES);
      default ->
          throw new IllegalArgumentException(
              "expected an operation of a map (those of a register with k; size, clear, put_all, "
                  + "snapshot), got "
                  + operation.op());
    }
  }

  @Override
  public boolean onlyReads(HistoryOperation operation) {
    return Set.of(SIZE, SNAPSHOT, "read", "contains").contains(operation.op());
  }

  /** Entries are separate registers as long as no operation covers several of them. */
  @Override
  public List<List<HistoryOperation>> independent(List<HistoryOperation> operations) {
    Map<String, List<HistoryOperation>> byEntry = new LinkedHashMap<>();
    for (HistoryOperation operation : operations) {
      if (operation.entry() == null) {
        return List.of(operations);
      }
      byEntry.computeIfAbsent(operation.entry(), entry -> new ArrayList<>()).add(operation);
    }
    return List.copyOf(byEntry.values());
  }

  @Override
  public Machine prepare(List<HistoryOperation> operations) {
    return new MapMachine(operations);
  }
}

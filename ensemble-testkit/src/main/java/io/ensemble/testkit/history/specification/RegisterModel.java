package io.ensemble.testkit.history.specification;

import io.ensemble.testkit.history.HistoryOperation;
import io.ensemble.testkit.history.SequentialModel;
import java.util.List;

/**
 * A cache entry: a register that holds a value or none, and has conditional operations. At first it
 * holds none.
 *
 * <p>The operations are {@code read}, {@code write}, {@code swap}, {@code put_if_absent}, {@code
 * replace}, {@code cas}, {@code delete}, {@code get_and_remove}, {@code remove_if} and {@code
 * contains}; {@code docs/histories.md} defines their arguments and results. A lock is a register
 * that holds its owner.
 */
public final class RegisterModel implements SequentialModel {
  /** The model; it has no settings. */
  public static final RegisterModel INSTANCE = new RegisterModel();

  private RegisterModel() {}

  @Override
  public void validate(HistoryOperation operation) {
    RegisterOp.of(operation).validate(operation);
  }

  @Override
  public boolean onlyReads(HistoryOperation operation) {
    return RegisterOp.of(operation).onlyReads();
  }

  @Override
  public Machine prepare(List<HistoryOperation> operations) {
    return new RegisterMachine(operations);
  }
}

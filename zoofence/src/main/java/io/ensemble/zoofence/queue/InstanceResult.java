package io.ensemble.zoofence.queue;

import java.util.List;
import org.apache.zookeeper.OpResult;

/** The result of a command at one instance. */
public sealed interface InstanceResult {
  /**
   * The command took effect.
   *
   * @param zxid the command's transaction
   * @param results the results of the client's own operations
   */
  record Done(long zxid, List<OpResult> results) implements InstanceResult {}

  /**
   * The instance refused the command, which had no effect.
   *
   * @param errors the errors of the client's own operations, one each
   */
  record Refused(List<Integer> errors) implements InstanceResult {
    /** The error of the operation that failed. */
    public int error() {
      return errors.stream()
          .filter(error -> error != 0 && error != RUNTIME_INCONSISTENCY)
          .findFirst()
          .orElse(RUNTIME_INCONSISTENCY);
    }

    private static final int RUNTIME_INCONSISTENCY = -2;
  }

  /**
   * The slot shows that the command took effect; the response itself was lost.
   *
   * @param slot the slot
   * @param zxid the command's transaction
   */
  record Remembered(DedupSlot slot, long zxid) implements InstanceResult {}

  /**
   * The command was refused, because a later command took effect and this one did not; the response
   * itself was lost.
   */
  record Passed() implements InstanceResult {}
}

package io.ensemble.zoofence.queue;

import java.util.List;
import org.apache.zookeeper.OpResult;

/** What one instance answered to a command. */
public sealed interface InstanceResult {
  /**
   * It took effect.
   *
   * @param zxid of its transaction
   * @param results of the client's own operations
   */
  record Done(long zxid, List<OpResult> results) implements InstanceResult {}

  /**
   * It was refused, and had no effect.
   *
   * @param errors of the client's own operations, one each
   */
  record Refused(List<Integer> errors) implements InstanceResult {
    /** The error of the operation that the instance stumbled over. */
    public int error() {
      return errors.stream()
          .filter(error -> error != 0 && error != RUNTIME_INCONSISTENCY)
          .findFirst()
          .orElse(RUNTIME_INCONSISTENCY);
    }

    private static final int RUNTIME_INCONSISTENCY = -2;
  }

  /**
   * It took effect, says its slot; the answer itself was lost.
   *
   * @param slot the slot
   * @param zxid of its transaction
   */
  record Remembered(DedupSlot slot, long zxid) implements InstanceResult {}

  /**
   * It was refused, as a later one took effect and this one did not; the answer itself was lost.
   */
  record Passed() implements InstanceResult {}
}

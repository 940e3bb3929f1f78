package io.ensemble.zoofence.queue.plan;

import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.KeeperException.Code;

/**
 * An operation that fails by state that the leader has and no instance does.
 *
 * @param index the position of the operation in its plan
 */
public record LocalRefusal(int index, Code code) {
  /**
   * The errors of all operations of the plan. An operation before the failing one may fail first at
   * an instance.
   *
   * @param precedingErrors the errors of the operations before the failing one
   */
  public List<Integer> errors(CommandPlan plan, List<Integer> precedingErrors) {
    int failedIndex = 0;
    while (failedIndex < index && precedingErrors.get(failedIndex) == 0) {
      failedIndex++;
    }
    int error = failedIndex < index ? precedingErrors.get(failedIndex) : code.intValue();
    var errors = new ArrayList<Integer>();
    for (int i = 0; i < plan.operations().size(); i++) {
      errors.add(
          i < failedIndex ? 0 : i == failedIndex ? error : Code.RUNTIMEINCONSISTENCY.intValue());
    }
    return errors;
  }
}

package io.ensemble.zoofence.queue.plan;

import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.KeeperException.Code;

/**
 * An operation that fails by state that the leader has and no instance does.
 *
 * @param place the position of the operation in its plan
 */
public record LocalRefusal(int place, Code why) {
  /**
   * The errors of all operations of the plan. An operation before the failing one may fail first at
   * an instance.
   *
   * @param before the errors of the operations before the failing one
   */
  public List<Integer> errors(CommandPlan plan, List<Integer> before) {
    int failed = 0;
    while (failed < place && before.get(failed) == 0) {
      failed++;
    }
    int error = failed < place ? before.get(failed) : why.intValue();
    var errors = new ArrayList<Integer>();
    for (int one = 0; one < plan.operations().size(); one++) {
      errors.add(one < failed ? 0 : one == failed ? error : Code.RUNTIMEINCONSISTENCY.intValue());
    }
    return errors;
  }
}

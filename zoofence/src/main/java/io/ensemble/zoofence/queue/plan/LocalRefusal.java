package io.ensemble.zoofence.queue.plan;

import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.KeeperException.Code;

/**
 * An operation that fails by what the leader knows and no instance does.
 *
 * @param place of the operation in its plan
 */
public record LocalRefusal(int place, Code why) {
  /**
   * The errors of all operations of the plan: those before it may fail first, as an instance says.
   *
   * @param before the errors of those before it
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

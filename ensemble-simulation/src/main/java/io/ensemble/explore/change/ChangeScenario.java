package io.ensemble.explore.change;

import io.ensemble.explore.ScenarioCall;
import io.ensemble.explore.register.RegisterScenario;
import java.util.List;

/**
 * A change of configuration to explore: one key, clients and movers. Clients read and write the key
 * in the former configuration while they hold a lease on it, and in the new one once they have read
 * of it. A client may sleep at any moment and for ever: all its steps can be put off.
 *
 * @param script the clients' operations as in {@link RegisterScenario}
 * @param initial the initial value, 0 for none
 * @param sites the number of sites of the former configuration
 * @param fresh the number of sites of the new configuration
 * @param ticks the last tick of the clock; a lease lasts one tick
 * @param asks the number of times that each client may ask for ends
 * @param takeovers the number of times that another mover takes over, from one that is dead or
 *     asleep
 * @param aborts the number of times that a change may be aborted
 * @param unreachable whether movers do not reach the first site
 * @param cutover whether the new configuration already serves while it takes keys over
 * @param losses the number of times that so many of its stores are lost meanwhile that no majority
 *     is left; the change may be restarted then, and the stores may come back. Unless it is 0, the
 *     scenario begins when keys begin to be taken over
 */
public record ChangeScenario(
    String script,
    int initial,
    int sites,
    int fresh,
    int ticks,
    int asks,
    int takeovers,
    int aborts,
    boolean unreachable,
    boolean cutover,
    int losses) {

  /**
   * Reads a number after each of {@code i s n t q o b l}; {@code u} means the unreachable site,
   * {@code c} means cutover.
   */
  public static ChangeScenario of(String script, String options) {
    int[] numbers = {0, 3, 1, 1, 1, 0, 0, 0};
    boolean unreachable = false;
    boolean cutover = false;
    for (String option : options.trim().split(" +")) {
      int optionIndex = "isntqobl".indexOf(option.charAt(0));
      if (option.equals("u")) {
        unreachable = true;
      } else if (option.equals("c")) {
        cutover = true;
      } else if (optionIndex < 0) {
        throw new IllegalArgumentException(
            "an option is one of i s n t q o b l u c; got " + option);
      } else {
        numbers[optionIndex] = Integer.parseInt(option.substring(1));
      }
    }
    return new ChangeScenario(
        script,
        numbers[0],
        numbers[1],
        numbers[2],
        numbers[3],
        numbers[4],
        numbers[5],
        numbers[6],
        unreachable,
        cutover,
        numbers[7]);
  }

  List<List<ScenarioCall>> clients() {
    return ScenarioCall.script(script);
  }
}

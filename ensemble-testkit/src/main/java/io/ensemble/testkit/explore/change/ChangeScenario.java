package io.ensemble.testkit.explore.change;

import io.ensemble.testkit.explore.ScenarioCall;
import io.ensemble.testkit.explore.register.RegisterScenario;
import java.util.List;

/**
 * What is explored of a change of configuration: one key, clients that read and write it in the
 * former configuration while they trust it and in the new one once they have learnt of it, and
 * movers. A client may sleep at any moment and for ever: all its steps can be put off.
 *
 * @param script the clients' operations as in {@link RegisterScenario}
 * @param initial the value at first, 0 for none
 * @param sites how many sites the former configuration has
 * @param fresh how many sites the new one has
 * @param ticks how far the clock goes; a lease lasts one tick
 * @param asks how many times each client may ask for ends
 * @param takeovers how many times another mover takes over, from one that is dead or asleep
 * @param aborts how many times a change may be given up
 * @param unreachable whether movers do not reach the first site
 * @param joint whether the new configuration takes keys over while it serves already
 * @param losses how many times so many of its stores are lost meanwhile that no majority is left;
 *     the change may be restarted then, and they may come back. Unless 0, everything begins when
 *     keys begin to be taken over
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
    boolean joint,
    int losses) {

  /**
   * Reads a number after each of {@code i s n t q o b l}; {@code u} is for the unreachable site,
   * {@code j} for joint.
   */
  public static ChangeScenario of(String script, String options) {
    int[] numbers = {0, 3, 1, 1, 1, 0, 0, 0};
    boolean unreachable = false;
    boolean joint = false;
    for (String option : options.trim().split(" +")) {
      int which = "isntqobl".indexOf(option.charAt(0));
      if (option.equals("u")) {
        unreachable = true;
      } else if (option.equals("j")) {
        joint = true;
      } else if (which < 0) {
        throw new IllegalArgumentException(
            "an option is one of i s n t q o b l u j; got " + option);
      } else {
        numbers[which] = Integer.parseInt(option.substring(1));
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
        joint,
        numbers[7]);
  }

  List<List<ScenarioCall>> clients() {
    return ScenarioCall.script(script);
  }
}

package io.ensemble.testkit.explore.primary;

import io.ensemble.testkit.explore.ScenarioCall;
import io.ensemble.testkit.explore.register.RegisterScenario;
import java.util.List;
import java.util.stream.IntStream;

/**
 * What is explored of primary copies: a few sites, one key, and parties of which any may read, take
 * over, recover and activate, and the one that the term names may write.
 *
 * @param script the parties' operations as in {@link RegisterScenario}
 * @param copiesFirst whether writes are acknowledged by a majority, else by the primary
 * @param cutOff whether the writer reaches the primary alone: what that acknowledged is copied to
 *     nobody
 * @param epochs the last epoch
 * @param ticks how far the clock goes; a lease lasts one tick
 * @param losses how many requests or answers may be lost
 * @param lies how many compare-and-sets may take effect and answer "no"
 * @param handovers how many times a writer may give up its term
 * @param ends how many operations may be given up, their requests on their way
 * @param learns how many times a party may learn what a site shows, for its next write
 * @param sites how many sites hold the key
 */
public record PrimaryScenario(
    String script,
    boolean copiesFirst,
    boolean cutOff,
    int epochs,
    int ticks,
    int losses,
    int lies,
    int handovers,
    int ends,
    int learns,
    int sites) {

  /**
   * Reads a number after each of {@code e t x f h g k}, and after {@code s} that of sites, 3 if not
   * given; {@code p} is for the primary's ack, {@code c} for a writer that is cut off from others.
   */
  public static PrimaryScenario of(String script, String options) {
    int[] numbers = {2, 1, 0, 0, 0, 0, 0, 3};
    boolean copiesFirst = true;
    boolean cutOff = false;
    for (String option : options.trim().split(" +")) {
      int which = "etxfhgks".indexOf(option.charAt(0));
      if (option.equals("p")) {
        copiesFirst = false;
      } else if (option.equals("c")) {
        cutOff = true;
      } else if (which < 0) {
        throw new IllegalArgumentException(
            "an option is one of e t x f h g k s p c; got " + option);
      } else {
        numbers[which] = Integer.parseInt(option.substring(1));
      }
    }
    return new PrimaryScenario(
        script,
        copiesFirst,
        cutOff,
        numbers[0],
        numbers[1],
        numbers[2],
        numbers[3],
        numbers[4],
        numbers[5],
        numbers[6],
        numbers[7]);
  }

  List<String> siteNames() {
    return IntStream.range(0, sites).mapToObj(Integer::toString).toList();
  }

  List<List<ScenarioCall>> parties() {
    return ScenarioCall.script(script);
  }
}

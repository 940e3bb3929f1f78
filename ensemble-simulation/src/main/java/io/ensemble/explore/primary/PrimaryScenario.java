package io.ensemble.explore.primary;

import io.ensemble.explore.ScenarioCall;
import io.ensemble.explore.register.RegisterScenario;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A scenario of primary copies to explore: a few sites, one key and several parties. Any party may
 * read, take over, recover and activate; the party that the term names may write.
 *
 * @param script the parties' operations as in {@link RegisterScenario}
 * @param copiesFirst whether a majority acknowledges writes; otherwise the primary does
 * @param cutOff whether the writer reaches the primary alone, so that acknowledged writes are
 *     copied to no other site
 * @param epochs the last epoch
 * @param ticks the last tick of the clock; a lease lasts one tick
 * @param losses the number of requests or responses that may be lost
 * @param lies the number of compare-and-sets that may take effect and still respond "no"
 * @param handovers the number of times that a writer may hand over its term
 * @param ends the number of operations that may be abandoned with their requests in flight
 * @param learns the number of times that a party may read the copy of a site, for its next write
 * @param sites the number of sites that hold the key
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
   * Reads a number after each of {@code e t x f h g k}. After {@code s} the number of sites
   * follows, 3 by default; {@code p} means that the primary acknowledges, {@code c} that the writer
   * is cut off from other sites.
   */
  public static PrimaryScenario of(String script, String options) {
    int[] numbers = {2, 1, 0, 0, 0, 0, 0, 3};
    boolean copiesFirst = true;
    boolean cutOff = false;
    for (String option : options.trim().split(" +")) {
      int optionIndex = "etxfhgks".indexOf(option.charAt(0));
      if (option.equals("p")) {
        copiesFirst = false;
      } else if (option.equals("c")) {
        cutOff = true;
      } else if (optionIndex < 0) {
        throw new IllegalArgumentException(
            "an option is one of e t x f h g k s p c; got " + option);
      } else {
        numbers[optionIndex] = Integer.parseInt(option.substring(1));
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

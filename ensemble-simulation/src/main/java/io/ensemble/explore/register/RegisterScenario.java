package io.ensemble.explore.register;

import io.ensemble.explore.ScenarioCall;
import java.util.List;

/**
 * A scenario that the explorer enumerates.
 *
 * @param script the clients' operations, {@code ;} between clients and {@code ,} between
 *     operations, such as {@code p1,g;c12}
 * @param initial the value at the start, 0 for absent
 * @param sites the number of sites
 * @param attempts the number of attempts of an operation; the protocol defines how an operation
 *     ends after the last one
 * @param late the number of abandoned compare-and-sets that may still arrive at a site
 * @param crashes the number of clients that may crash, anywhere
 * @param downs the number of sites that may go down, anywhere
 * @param wipes the number of sites that may lose their memory; a lost site is refilled under a new
 *     incarnation
 * @param lies the number of compare-and-sets that may take effect and still respond "no"
 * @param losses the number of compare-and-sets that may be left without a response, to arrive later
 *     or never; with {@code prepares}, reads as well
 * @param purges the number of tombstones that may be purged
 * @param ends the number of operations that may be abandoned, anywhere
 * @param ahead by how many rounds the clock of the first client is ahead: 2 or more, so that its
 *     fast ballots may be above classic ones that began before
 * @param memory whether a client starts from the state that its last operation left
 * @param prepares whether a client's operation uses the ballot that the one before prepared
 * @param lingers whether an operation continues for slow sites after its outcome
 */
public record RegisterScenario(
    String script,
    int initial,
    int sites,
    int attempts,
    int late,
    int crashes,
    int downs,
    int wipes,
    int lies,
    int losses,
    int purges,
    int ends,
    int ahead,
    boolean memory,
    boolean prepares,
    boolean lingers) {

  /** Three sites, two attempts, no faults. */
  public static RegisterScenario of(String script) {
    return new RegisterScenario(script, 0, 3, 2, 0, 0, 0, 0, 0, 0, 0, 0, 2, false, false, false);
  }

  /**
   * Reads options as letters with numbers, separated by blanks: {@code i} initial value, {@code n}
   * sites, {@code a} attempts, {@code l} late, {@code c} crashes, {@code d} downs, {@code w} wipes,
   * {@code f} lies (false noes), {@code x} losses, {@code t} purges of a tombstone, {@code e}
   * operations abandoned, {@code h} head start of the first client's clock. The options {@code m}
   * memory, {@code b} prepared ballots and {@code g} lingering take no number.
   */
  public RegisterScenario with(String options) {
    RegisterScenario scenario = this;
    for (String option : options.trim().split(" +")) {
      int number = option.length() > 1 ? Integer.parseInt(option.substring(1)) : 1;
      scenario = scenario.with(option.charAt(0), number);
    }
    return scenario;
  }

  private RegisterScenario with(char option, int number) {
    if ("inalcdwfxtehmbg".indexOf(option) < 0) {
      throw new IllegalArgumentException(
          "an option is one of i n a l c d w f x t e h m b g; got " + option);
    }
    return new RegisterScenario(
        script,
        option == 'i' ? number : initial,
        option == 'n' ? number : sites,
        option == 'a' ? number : attempts,
        option == 'l' ? number : late,
        option == 'c' ? number : crashes,
        option == 'd' ? number : downs,
        option == 'w' ? number : wipes,
        option == 'f' ? number : lies,
        option == 'x' ? number : losses,
        option == 't' ? number : purges,
        option == 'e' ? number : ends,
        option == 'h' ? number : ahead,
        memory || option == 'm',
        prepares || option == 'b',
        lingers || option == 'g');
  }

  /** The options that differ from the defaults, in the form that {@link #with(String)} reads. */
  public String options() {
    StringBuilder text = new StringBuilder("n" + sites + " a" + attempts);
    int[] numbers = {initial, late, crashes, downs, wipes, lies, losses, purges, ends};
    for (int i = 0; i < numbers.length; i++) {
      text.append(numbers[i] == 0 ? "" : " " + "ilcdwfxte".charAt(i) + numbers[i]);
    }
    text.append(ahead == 2 ? "" : " h" + ahead);
    text.append(memory ? " m" : "").append(prepares ? " b" : "");
    return text.append(lingers ? " g" : "").toString();
  }

  List<List<ScenarioCall>> clients() {
    return ScenarioCall.script(script);
  }
}

package io.ensemble.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The faults of a simulation. Immutable.
 *
 * @param chances the probabilities for single messages, until a {@link Fault.Change}
 * @param script the faults and their times, in the order of time
 */
public record SimFaultPlan(MessageFaults chances, List<Timed> script) {

  /**
   * A fault and its time.
   *
   * @param at virtual time since the start
   */
  public record Timed(Duration at, Fault fault) {}

  public SimFaultPlan {
    script = script.stream().sorted(Comparator.comparing(Timed::at)).toList();
  }

  /** No faults, though messages overtake each other. */
  public static SimFaultPlan none() {
    return of(MessageFaults.reliable());
  }

  /** Only the faults of single messages in {@code chances}. */
  public static SimFaultPlan of(MessageFaults chances) {
    return new SimFaultPlan(chances, List.of());
  }

  /** This plan and one more fault. */
  public SimFaultPlan at(Duration at, Fault fault) {
    List<Timed> more = new ArrayList<>(script);
    more.add(new Timed(at, fault));
    return new SimFaultPlan(chances, more);
  }

  /** This plan and a cut in both directions from one time to another. */
  public SimFaultPlan cut(String client, String site, Duration from, Duration to) {
    return at(from, new Fault.Cut(client, site, true, true)).at(to, new Fault.Heal(client, site));
  }

  /** This plan and a site that is down from one time to another. */
  public SimFaultPlan down(String site, Fault.LostState forgets, Duration from, Duration to) {
    return at(from, new Fault.SiteDown(site, forgets)).at(to, new Fault.SiteUp(site));
  }

  /**
   * A random plan, the same for the same arguments. A majority of {@code sites} keeps its memory
   * throughout, though at times fewer may be reachable, and one client never crashes. After {@code
   * duration} there are no more faults: all sites are up and fast, cuts healed, messages reliable.
   *
   * @param clients the clients' names, as in {@link SimFederation#clients}
   */
  public static SimFaultPlan random(
      long seed,
      List<String> sites,
      List<String> clients,
      Duration duration,
      RandomFaults options) {
    return new RandomFaultPlan(seed, sites, clients, duration, options).plan();
  }
}

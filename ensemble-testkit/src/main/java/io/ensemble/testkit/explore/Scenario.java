package io.ensemble.testkit.explore;

import java.util.ArrayList;
import java.util.List;

/**
 * What the explorer enumerates.
 *
 * @param script the clients' operations, {@code ;} between clients and {@code ,} between
 *     operations, such as {@code p1,g;c12}
 * @param initial the value at the start, 0 for absent
 * @param sites the number of sites
 * @param attempts how often an operation tries; one that runs out ends as the protocol says
 * @param late how many abandoned compare-and-sets may still arrive at a site
 * @param crashes how many clients may crash, anywhere
 * @param downs how many sites may go down, anywhere
 * @param wipes how many sites may lose their memory; a lost site is refilled under a new
 *     incarnation
 * @param lies how many compare-and-sets may take effect and answer "no"
 * @param losses how many compare-and-sets may be left unanswered, to arrive later or never
 * @param memory whether a client starts from what it remembers of its last operation
 * @param lingers whether an operation goes on for slow sites after its outcome
 */
public record Scenario(
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
    boolean memory,
    boolean lingers) {

  /** Three sites, two attempts, no faults. */
  public static Scenario of(String script) {
    return new Scenario(script, 0, 3, 2, 0, 0, 0, 0, 0, 0, false, false);
  }

  public Scenario initially(int value) {
    return new Scenario(
        script, value, sites, attempts, late, crashes, downs, wipes, lies, losses, memory, lingers);
  }

  public Scenario sites(int count) {
    return new Scenario(
        script, initial, count, attempts, late, crashes, downs, wipes, lies, losses, memory,
        lingers);
  }

  public Scenario attempts(int count) {
    return new Scenario(
        script, initial, sites, count, late, crashes, downs, wipes, lies, losses, memory, lingers);
  }

  public Scenario late(int count) {
    return new Scenario(
        script, initial, sites, attempts, count, crashes, downs, wipes, lies, losses, memory,
        lingers);
  }

  public Scenario crashes(int count) {
    return new Scenario(
        script, initial, sites, attempts, late, count, downs, wipes, lies, losses, memory, lingers);
  }

  public Scenario downs(int count) {
    return new Scenario(
        script, initial, sites, attempts, late, crashes, count, wipes, lies, losses, memory,
        lingers);
  }

  public Scenario wipes(int count) {
    return new Scenario(
        script, initial, sites, attempts, late, crashes, downs, count, lies, losses, memory,
        lingers);
  }

  public Scenario lies(int count) {
    return new Scenario(
        script, initial, sites, attempts, late, crashes, downs, wipes, count, losses, memory,
        lingers);
  }

  public Scenario losses(int count) {
    return new Scenario(
        script, initial, sites, attempts, late, crashes, downs, wipes, lies, count, memory,
        lingers);
  }

  public Scenario remembering() {
    return new Scenario(
        script, initial, sites, attempts, late, crashes, downs, wipes, lies, losses, true, lingers);
  }

  public Scenario lingering() {
    return new Scenario(
        script, initial, sites, attempts, late, crashes, downs, wipes, lies, losses, memory, true);
  }

  List<List<Call>> clients() {
    List<List<Call>> clients = new ArrayList<>();
    for (String client : script.split(";")) {
      List<Call> calls = new ArrayList<>();
      for (String call : client.split(",")) {
        calls.add(Call.parse(call));
      }
      clients.add(calls);
    }
    return clients;
  }
}

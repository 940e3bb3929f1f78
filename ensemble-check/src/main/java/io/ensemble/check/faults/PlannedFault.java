package io.ensemble.check.faults;

import io.ensemble.testkit.link.NodeLink;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/**
 * One fault of a plan.
 *
 * @param kind the kind of fault
 * @param site the index of the site in the federation; {@link #NO_SITE} for none
 * @param node the index of the node in its site; {@link #ALL} for all of them
 * @param afterMillis the time after the beginning of its round
 * @param forMillis the duration
 * @param strength chooses among variants, 0 to 99: the direction of a one-way fault, the delay of a
 *     slow one
 */
public record PlannedFault(
    TrialFaultKind kind, int site, int node, int afterMillis, int forMillis, int strength) {

  /** All nodes of the site. */
  public static final int ALL = -1;

  /** The {@code site} of a fault that affects no site. */
  public static final int NO_SITE = -1;

  private static final int SHORTEST_DELAY_MILLIS = 5;

  /** The affected nodes, of the {@code count} nodes of the site. */
  IntStream nodes(int count) {
    return node == ALL ? IntStream.range(0, count) : IntStream.of(node);
  }

  /** The death of one node, for as long. */
  public PlannedFault ofNode(int number) {
    return new PlannedFault(TrialFaultKind.NODE, site, number, afterMillis, forMillis, strength);
  }

  /** The absence of the node whose replica is replaced: the node has died, or is cut off. */
  public PlannedFault siteAfter(int number) {
    TrialFaultKind how = kills() ? TrialFaultKind.NODE : TrialFaultKind.CUT;
    return new PlannedFault(how, site, number, afterMillis, forMillis, strength);
  }

  /**
   * The restart of one node in a rolling restart.
   *
   * @param number the number of the node over all sites: half of the nodes are killed, the others
   *     stopped in an orderly way
   */
  PlannedFault restartOf(int site, int node, int number) {
    boolean kill = (strength + number) % 2 == 0;
    return new PlannedFault(TrialFaultKind.ROLLING, site, node, 0, forMillis, kill ? 0 : 99);
  }

  /**
   * The groups of the {@code count} nodes that still reach each other while a site is split: each
   * node alone, or all but one together.
   */
  List<List<Integer>> groups(int count) {
    if (node == ALL) {
      return IntStream.range(0, count).mapToObj(List::of).toList();
    }
    return List.of(
        List.of(node), IntStream.range(0, count).filter(n -> n != node).boxed().toList());
  }

  /** Applies the fault to the link of a node; requires a fault of links. */
  void begin(NodeLink link) {
    switch (kind) {
      case CUT -> link.cut();
      case SLOW -> link.delay(Duration.ofMillis(delayMillis()));
      case ONEWAY -> {
        if (holdsRequests()) {
          link.blockRequests();
        } else {
          link.blockReplies();
        }
      }
      default -> throw new IllegalStateException("not a fault of network links: " + kind);
    }
  }

  /** Whether a one-way fault holds requests as well. */
  boolean holdsRequests() {
    return strength < 50;
  }

  /** The additional delay of each direction in a slow fault. */
  int delayMillis() {
    return SHORTEST_DELAY_MILLIS + strength;
  }

  /** The target of the fault: the name of its site, out of {@code names}, or another word. */
  String target(List<String> names) {
    return kind.isOfASite() ? names.get(site) : kind.word();
  }

  /**
   * Whether the process is killed. Otherwise a catalog server, a proxy, a session's process or a
   * node of a rolling restart is stopped, and a node whose replica is replaced is cut off.
   */
  public boolean kills() {
    return strength < 50;
  }

  /** For targets that accept only faults of sites. */
  IllegalArgumentException isOfNoSite() {
    return new IllegalArgumentException("expected a fault of a site; got " + this);
  }

  /** A description with the name of the target. */
  public String words(String siteName) {
    String target = node == ALL ? siteName : siteName + "-" + node;
    return switch (kind) {
      case ONEWAY -> "oneway " + target + (holdsRequests() ? " (requests)" : " (responses)");
      case RECONFIGURE -> kind.word();
      case ROLLING ->
          node == ALL
              ? "rolling restart"
              : "restart " + target + (kills() ? " (killed)" : " (stopped)");
      case REPLACE -> "replace a node of " + siteName + (kills() ? " (killed)" : " (cut off)");
      case SLOW -> "slow " + target + " (" + 2 * delayMillis() + " ms)";
      case CLIENT -> "kill client";
      case EVENTS -> "disturb events";
      case LISTENER -> "restart or pause a listener";
      case LEADER -> "kill leader";
      case PROXY -> kills() ? "kill proxy" : "pause proxy";
      case SESSION -> kills() ? "end session" : "pause client";
      case CATALOG -> kills() ? "kill catalog" : "pause catalog";
      default -> kind.word() + " " + target;
    };
  }
}

package io.ensemble.check.faults;

import io.ensemble.testkit.link.NodeLink;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/**
 * One fault of a plan.
 *
 * @param kind what is done
 * @param site to which site, by its place in the federation; {@link #NO_SITE} for none
 * @param node to which of its nodes; {@link #ALL} for all of them
 * @param afterMillis how long after its round has begun
 * @param forMillis for how long
 * @param strength chooses among variants, 0 to 99: the direction of a one-way fault, the delay of a
 *     slow one
 */
public record PlannedFault(
    TrialFaultKind kind, int site, int node, int afterMillis, int forMillis, int strength) {

  /** All nodes of the site. */
  public static final int ALL = -1;

  /** The {@code site} of a fault that befalls none. */
  public static final int NO_SITE = -1;

  private static final int SHORTEST_DELAY_MILLIS = 5;

  /** Which of the {@code count} nodes of its site it befalls. */
  IntStream nodes(int count) {
    return node == ALL ? IntStream.range(0, count) : IntStream.of(node);
  }

  /** One node dies, for as long. */
  public PlannedFault ofNode(int number) {
    return new PlannedFault(TrialFaultKind.NODE, site, number, afterMillis, forMillis, strength);
  }

  /** How the node that is replaced is out of reach: it has died, or is cut off. */
  public PlannedFault away(int number) {
    TrialFaultKind how = kills() ? TrialFaultKind.NODE : TrialFaultKind.CUT;
    return new PlannedFault(how, site, number, afterMillis, forMillis, strength);
  }

  /**
   * The restart of one node, of those that are restarted in turn.
   *
   * @param number the node's, counted over all sites: half of them are killed, the others stopped
   *     in good order
   */
  PlannedFault restartOf(int site, int node, int number) {
    boolean kill = (strength + number) % 2 == 0;
    return new PlannedFault(TrialFaultKind.ROLLING, site, node, 0, forMillis, kill ? 0 : 99);
  }

  /**
   * Which nodes still reach each other while a site is split, of {@code count}: each only itself,
   * or all but one.
   */
  List<List<Integer>> groups(int count) {
    if (node == ALL) {
      return IntStream.range(0, count).mapToObj(List::of).toList();
    }
    return List.of(
        List.of(node), IntStream.range(0, count).filter(n -> n != node).boxed().toList());
  }

  /** Breaks the line to a node, as a fault of lines. */
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
      default -> throw new IllegalStateException("no fault of lines: " + kind);
    }
  }

  /** Whether requests are held too, of a one-way fault. */
  boolean holdsRequests() {
    return strength < 50;
  }

  /** How much later each direction is, of a slow one. */
  int delayMillis() {
    return SHORTEST_DELAY_MILLIS + strength;
  }

  /** What it befalls: the site's name, of those of all sites, or what else it is. */
  String where(List<String> names) {
    return kind.isOfASite() ? names.get(site) : kind.word();
  }

  /**
   * Of a catalog's server, a proxy or a node that is restarted in turn: whether it is killed, or
   * else stopped; so of a session. Of a node that is replaced: whether it is killed, or cut off.
   */
  public boolean kills() {
    return strength < 50;
  }

  /** For those who break sites and nothing else. */
  IllegalArgumentException isOfNoSite() {
    return new IllegalArgumentException("a fault of a site is wanted; came " + this);
  }

  /** In words, with the name of what it befalls. */
  public String words(String siteName) {
    String where = node == ALL ? siteName : siteName + "-" + node;
    return switch (kind) {
      case ONEWAY -> "oneway " + where + (holdsRequests() ? " (requests)" : " (answers)");
      case RECONFIGURE -> kind.word();
      case ROLLING ->
          node == ALL
              ? "rolling restart"
              : "restart " + where + (kills() ? " (killed)" : " (stopped)");
      case REPLACE -> "replace a node of " + siteName + (kills() ? " (killed)" : " (cut off)");
      case SLOW -> "slow " + where + " (" + 2 * delayMillis() + " ms)";
      case CLIENT -> "kill client";
      case EVENTS -> "spoil events";
      case LEADER -> "kill leader";
      case PROXY -> kills() ? "kill proxy" : "pause proxy";
      case SESSION -> kills() ? "end session" : "pause client";
      case CATALOG -> kills() ? "kill catalog" : "pause catalog";
      default -> kind.word() + " " + where;
    };
  }
}

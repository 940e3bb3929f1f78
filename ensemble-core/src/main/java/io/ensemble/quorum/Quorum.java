package io.ensemble.quorum;

/**
 * How many of {@code sites} answers suffice.
 *
 * <p>Two majorities share a site. Two fast quorums and a majority share a site, so that a majority
 * of promises can tell which of two fast proposals may have been chosen (Lamport, Fast Paxos,
 * section 2.2).
 *
 * @param sites the number of sites of the configuration, at least one
 */
public record Quorum(int sites) {

  public Quorum {
    if (sites < 1) {
      throw new IllegalArgumentException("a quorum requires at least one site; sites=" + sites);
    }
  }

  /** The smallest count that two disjoint groups of sites cannot both reach. */
  public int majority() {
    return sites / 2 + 1;
  }

  /** The smallest count of which any two share a site with any majority. */
  public int fast() {
    return (2 * sites - majority()) / 2 + 1;
  }

  /** How many sites may be lost while a majority remains. */
  public int tolerated() {
    return sites - majority();
  }
}

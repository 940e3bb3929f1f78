package io.ensemble.register;

import io.ensemble.stamp.WriterId;

/**
 * The number of one attempt to change a register. No ballot is used for two different contents, so
 * an equal ballot means an equal content.
 *
 * @param round hybrid time in production: larger than every round that the proposer saw or used
 * @param kind the condition under which this ballot is chosen
 * @param writer the proposer, which never uses a round twice
 */
public record Ballot(long round, Kind kind, WriterId writer) implements Comparable<Ballot> {

  /** How a ballot is chosen. Within a round, ballots are ordered by the order of the constants. */
  public enum Kind {
    /**
     * Voted for without promises, directly from a chosen base; a fast quorum of votes chooses it.
     */
    FAST,
    /**
     * Repeats the content of a fast ballot that a majority held unpromised; a majority of votes
     * chooses it.
     */
    CONFIRM,
    /** Proposed under the promises of a majority; a majority of votes chooses it. */
    CLASSIC
  }

  /** The ballot of a key that was never written. */
  public static final Ballot ZERO = new Ballot(0, Kind.CLASSIC, WriterId.NONE);

  @Override
  public int compareTo(Ballot other) {
    int byRound = Long.compare(round, other.round);
    if (byRound != 0) {
      return byRound;
    }
    int byKind = kind.compareTo(other.kind);
    return byKind != 0 ? byKind : writer.compareTo(other.writer);
  }

  boolean isAbove(Ballot other) {
    return compareTo(other) > 0;
  }

  boolean isFast() {
    return kind == Kind.FAST;
  }

  static Ballot max(Ballot a, Ballot b) {
    return a.compareTo(b) >= 0 ? a : b;
  }

  @Override
  public String toString() {
    return round
        + kind.name().substring(0, 2).toLowerCase(java.util.Locale.ROOT)
        + "."
        + Long.toHexString(writer.low() & 0xffff);
  }
}

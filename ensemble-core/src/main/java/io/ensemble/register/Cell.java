package io.ensemble.register;

import io.ensemble.quorum.Quorum;

/**
 * The state of one key at one site: the acceptor's state with the content that it accepted last.
 *
 * <p>Invariants, per site: {@code promised >= accepted}; both only grow; {@code accepted >= floor}.
 *
 * @param promised the site accepts no ballot below this any more
 * @param accepted the ballot of {@code content}
 * @param floor a ballot on which the accepted one is based: itself for a classic ballot, the chosen
 *     base for a fast one, the repeated fast ballot for a confirming one
 * @param content the accepted content
 */
public record Cell<V>(Ballot promised, Ballot accepted, Ballot floor, Content<V> content) {

  public Cell {
    if (accepted.isAbove(promised) || floor.isAbove(accepted)) {
      throw new AssertionError(
          "floor <= accepted <= promised; floor="
              + floor
              + " accepted="
              + accepted
              + " promised="
              + promised);
    }
  }

  /** The cell of a key that the site does not hold. */
  public static <V> Cell<V> absent() {
    return new Cell<>(Ballot.ZERO, Ballot.ZERO, Ballot.ZERO, Content.absent());
  }

  /** A cell that has just accepted {@code content} at {@code ballot}. */
  static <V> Cell<V> accepted(Ballot ballot, Ballot floor, Content<V> content) {
    return new Cell<>(ballot, ballot, floor, content);
  }

  /** This cell with a higher promise. */
  Cell<V> promise(Ballot ballot) {
    return new Cell<>(ballot, accepted, floor, content);
  }

  /** How many sites must accept the ballot of this cell to choose it. */
  public int requiredVotes(Quorum quorum) {
    return accepted.isFast() ? ContentSelection.fastQuorum(floor, quorum) : quorum.majority();
  }

  /** Whether the site holds no entry for the key. */
  public boolean isAbsent() {
    return promised.equals(Ballot.ZERO);
  }

  /** Whether no ballot above the accepted one was promised. */
  boolean isUnpromised() {
    return promised.equals(accepted);
  }
}

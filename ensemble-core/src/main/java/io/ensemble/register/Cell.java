package io.ensemble.register;

/**
 * What one site stores of one key: the acceptor's state with the content it accepted last.
 *
 * <p>Invariants, per site: {@code promised >= accepted}; both only grow; {@code accepted >= floor}.
 *
 * @param promised no ballot below this is accepted any more
 * @param accepted the ballot of {@code content}
 * @param floor a ballot that the accepted one stands on: itself for a classic ballot, the chosen
 *     base for a fast one, the fast ballot that it repeats for a confirming one
 * @param content what was accepted
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

  /** Whether the site holds no entry for the key. */
  public boolean isAbsent() {
    return promised.equals(Ballot.ZERO);
  }

  /** Whether nobody was promised anything above the accepted ballot. */
  boolean isUnpromised() {
    return promised.equals(accepted);
  }
}

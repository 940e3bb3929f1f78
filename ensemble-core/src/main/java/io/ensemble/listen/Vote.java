package io.ensemble.listen;

import io.ensemble.quorum.Quorum;
import io.ensemble.register.Ballot;
import io.ensemble.register.Cell;
import io.ensemble.register.Content;

/**
 * The write that one replica has accepted for a key.
 *
 * @param accepted votes for the same ballot count together
 * @param floor a ballot whose content this write is known to follow, or {@code accepted}
 * @param required how many replicas must accept the ballot to choose it
 * @param content the write, identified by the first of its recent ballots. Its sequence is 0 if
 *     writes are not counted
 */
public record Vote<V>(Ballot accepted, Ballot floor, int required, Content<V> content) {

  /** The vote of an acceptor of a register. */
  public static <V> Vote<V> of(Cell<V> cell, Quorum quorum) {
    return new Vote<>(cell.accepted(), cell.floor(), cell.requiredVotes(quorum), cell.content());
  }

  /** Whether the replica holds no write for the key. */
  public boolean isAbsent() {
    return content.recent().isEmpty();
  }
}

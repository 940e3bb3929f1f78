package io.ensemble.listen;

import io.ensemble.primary.Copy;
import io.ensemble.primary.CopyPosition;
import io.ensemble.quorum.Quorum;
import io.ensemble.register.Ballot;
import io.ensemble.register.Cell;
import io.ensemble.register.Content;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The write that one replica holds for a key.
 *
 * @param accepted votes for the same ballot count together
 * @param floor a ballot whose content this write is known to follow, or {@code accepted}
 * @param required how many replicas must accept the ballot to choose it
 * @param isProof whether that many votes prove to a reader that the write is chosen. If not, they
 *     only identify what was there when a stream began, and later writes are proven by reads
 * @param content the write, identified by the first of its recent ballots. Its sequence is 0 if
 *     writes are not counted
 */
public record Vote<V>(
    Ballot accepted, Ballot floor, int required, boolean isProof, Content<V> content) {

  /** The vote of an acceptor of a register. */
  public static <V> Vote<V> of(Cell<V> cell, Quorum quorum) {
    return new Vote<>(
        cell.accepted(), cell.floor(), cell.requiredVotes(quorum), true, cell.content());
  }

  /** The vote of a site of a WEAK cache: each entry of each site can be read. */
  public static <V> Vote<V> ofEntry(Stamp stamp, @Nullable V value) {
    Ballot ballot = ballotOf(stamp);
    return new Vote<>(ballot, ballot, 1, true, contentOf(stamp, value));
  }

  /**
   * The vote of a site of an SWMR cache. The primary shows a write last, and a recovery may drop
   * one that it never showed, so only a read proves a write.
   *
   * @param majority how many sites are a majority
   */
  public static <V> Vote<V> ofCopy(Copy<V> copy, int majority) {
    CopyPosition mark = copy.mark();
    Ballot accepted =
        new Ballot(mark.sequence(), Ballot.Kind.CLASSIC, new WriterId(mark.epoch(), 0));
    return new Vote<>(accepted, accepted, majority, false, contentOf(copy.origin(), copy.value()));
  }

  /** The content of a key whose last write has this stamp; writes are not counted. */
  public static <V> Content<V> contentOf(Stamp stamp, @Nullable V value) {
    return new Content<>(0, List.of(ballotOf(stamp)), value);
  }

  private static Ballot ballotOf(Stamp stamp) {
    return new Ballot(stamp.micros(), Ballot.Kind.CLASSIC, stamp.writer());
  }

  /** Whether the replica holds no write for the key. */
  public boolean isAbsent() {
    return content.recent().isEmpty();
  }
}

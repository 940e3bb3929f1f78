package io.ensemble.register;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The proposals of one operation so far, by which it recognises its own success. */
final class Proposals<R> {

  /**
   * One proposal.
   *
   * @param ballot its ballot
   * @param result the result that the caller receives if it is chosen
   * @param baseSequence the sequence of the content on which it is based
   */
  record Proposal<R>(Ballot ballot, @Nullable R result, long baseSequence) {

    /**
     * Whether it cannot be chosen after this content, which was chosen and does not descend from
     * it: because of the numbers of the ballots, or because another content was chosen upon the
     * base of a fast ballot. Upon each chosen content only one other can be chosen. An absent base
     * does not count: a key is absent again after its tombstone was purged.
     */
    boolean isPast(Ballot chosen, Content<?> content) {
      return chosen.isAbove(ballot)
          || ballot.isFast() && baseSequence > 0 && content.sequence() > baseSequence;
    }
  }

  private final List<Proposal<R>> proposals;

  /** The sequence and the recent ballots of the oldest content on which a proposal was based. */
  private long firstSequence;

  private List<Ballot> recentBefore;

  Proposals() {
    this(new ArrayList<>(2), Long.MAX_VALUE, List.of());
  }

  private Proposals(List<Proposal<R>> proposals, long firstSequence, List<Ballot> recentBefore) {
    this.proposals = proposals;
    this.firstSequence = firstSequence;
    this.recentBefore = recentBefore;
  }

  Proposals<R> copy() {
    return new Proposals<>(new ArrayList<>(proposals), firstSequence, recentBefore);
  }

  boolean isEmpty() {
    return proposals.isEmpty();
  }

  void add(Ballot ballot, @Nullable R result, Content<?> base) {
    proposals.add(new Proposal<>(ballot, result, base.sequence()));
    if (base.sequence() < firstSequence) {
      firstSequence = base.sequence();
      recentBefore = base.recent();
    }
  }

  /** The ballot of the last proposal; zero if there is none. */
  Ballot last() {
    return proposals.isEmpty() ? Ballot.ZERO : proposals.get(proposals.size() - 1).ballot();
  }

  /** The proposal from which {@code content} descends. */
  Optional<Proposal<R>> findIn(Content<?> content) {
    for (Proposal<R> proposal : proposals) {
      if (content.recent().contains(proposal.ballot())) {
        return Optional.of(proposal);
      }
    }
    return Optional.empty();
  }

  /**
   * Whether {@code content} may descend from one of these proposals although its recent ballots
   * lack it. The list never gets shorter, so while it is short no ballot was cut off. The list is
   * cut at its old end, so no ballot of this operation was cut off while the list holds a ballot
   * from before the first proposal.
   */
  boolean mayBeForgotten(Content<?> content, int horizon) {
    return !proposals.isEmpty()
        && content.recent().size() >= horizon
        && content.sequence() - firstSequence > horizon
        && Collections.disjoint(content.recent(), recentBefore);
  }

  /**
   * Whether none of these can be chosen after {@code content}, which was chosen in the ballot
   * {@code chosen} and descends from none of them.
   */
  boolean arePast(Ballot chosen, Content<?> content) {
    for (Proposal<R> proposal : proposals) {
      if (!proposal.isPast(chosen, content)) {
        return false;
      }
    }
    return true;
  }

  long digest() {
    long hash = RegisterDigest.of(firstSequence, RegisterDigest.ballots(recentBefore));
    for (Proposal<R> proposal : proposals) {
      hash = RegisterDigest.of(hash, RegisterDigest.of(proposal.ballot()));
      hash = RegisterDigest.of(hash, Objects.hashCode(proposal.result()));
      hash = RegisterDigest.of(hash, proposal.baseSequence());
    }
    return hash;
  }
}

package io.ensemble.register;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The proposals of one operation so far, by which it recognises its own success. */
final class Proposals<R> {

  /** One proposal: its ballot, and the result that the caller receives if it is chosen. */
  record Proposal<R>(Ballot ballot, @Nullable R result) {}

  private final List<Proposal<R>> made;

  /** The sequence and the recent ballots of the oldest content on which a proposal was based. */
  private long firstSequence;

  private List<Ballot> before;

  Proposals() {
    this(new ArrayList<>(2), Long.MAX_VALUE, List.of());
  }

  private Proposals(List<Proposal<R>> made, long firstSequence, List<Ballot> before) {
    this.made = made;
    this.firstSequence = firstSequence;
    this.before = before;
  }

  Proposals<R> copy() {
    return new Proposals<>(new ArrayList<>(made), firstSequence, before);
  }

  boolean isEmpty() {
    return made.isEmpty();
  }

  void add(Ballot ballot, @Nullable R result, Content<?> base) {
    made.add(new Proposal<>(ballot, result));
    if (base.sequence() < firstSequence) {
      firstSequence = base.sequence();
      before = base.recent();
    }
  }

  /** The proposal from which {@code content} descends. */
  Optional<Proposal<R>> in(Content<?> content) {
    for (Proposal<R> proposal : made) {
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
    return !made.isEmpty()
        && content.recent().size() >= horizon
        && content.sequence() - firstSequence > horizon
        && Collections.disjoint(content.recent(), before);
  }

  /** Whether {@code ballot} is above all of these, so that none of them can be chosen after it. */
  boolean areAllBelow(Ballot ballot) {
    for (Proposal<R> proposal : made) {
      if (!ballot.isAbove(proposal.ballot())) {
        return false;
      }
    }
    return true;
  }

  long digest() {
    long hash = RegisterDigest.of(firstSequence, RegisterDigest.ballots(before));
    for (Proposal<R> proposal : made) {
      hash = RegisterDigest.of(hash, RegisterDigest.of(proposal.ballot()));
      hash = RegisterDigest.of(hash, Objects.hashCode(proposal.result()));
    }
    return hash;
  }
}

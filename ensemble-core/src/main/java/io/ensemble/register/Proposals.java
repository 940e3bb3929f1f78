package io.ensemble.register;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What one operation has proposed so far, by which it recognises its own success. */
final class Proposals<R> {

  /** One proposal: its ballot, and what the caller is told if it is chosen. */
  record Proposal<R>(Ballot ballot, @Nullable R result) {}

  private final List<Proposal<R>> made;

  /** Of the oldest content that a proposal was made on: its sequence, and its recent ballots. */
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

  /** The proposal that {@code content} descends from. */
  Optional<Proposal<R>> in(Content<?> content) {
    for (Proposal<R> proposal : made) {
      if (content.recent().contains(proposal.ballot())) {
        return Optional.of(proposal);
      }
    }
    return Optional.empty();
  }

  /**
   * Whether {@code content} may descend from one of these although its recent ballots lack it. That
   * list never gets shorter, so nothing was cut off while it is short. It is cut at its old end, so
   * nothing of ours was cut off while it holds a ballot from before the first proposal.
   */
  boolean mayBeForgotten(Content<?> content, int horizon) {
    return !made.isEmpty()
        && content.recent().size() >= horizon
        && content.sequence() - firstSequence > horizon
        && Collections.disjoint(content.recent(), before);
  }

  /** Whether {@code ballot} was chosen too late for any of these to be chosen after it. */
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

package io.ensemble.register;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What one operation has proposed so far, by which it recognises its own success. */
final class Proposals<R> {

  /** One proposal: its ballot, and what the caller is told if it is chosen. */
  record Proposal<R>(Ballot ballot, @Nullable R result) {}

  private final List<Proposal<R>> made;
  private long firstSequence;

  Proposals() {
    this(new ArrayList<>(2), Long.MAX_VALUE);
  }

  private Proposals(List<Proposal<R>> made, long firstSequence) {
    this.made = made;
    this.firstSequence = firstSequence;
  }

  Proposals<R> copy() {
    return new Proposals<>(new ArrayList<>(made), firstSequence);
  }

  boolean isEmpty() {
    return made.isEmpty();
  }

  void add(Ballot ballot, @Nullable R result, long onSequence) {
    made.add(new Proposal<>(ballot, result));
    firstSequence = Math.min(firstSequence, onSequence);
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
   * Whether one of these may be in the past of {@code content} and forgotten. A register forgets
   * only when it remembers as many writers as it can, and that many writes came later: the list of
   * ballots grows by one with each write of a writer that is not in it, and is never shorter than
   * before.
   */
  boolean mayBeForgotten(Content<?> content, int horizon) {
    return !made.isEmpty()
        && content.recent().size() >= horizon
        && content.sequence() - firstSequence > horizon;
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
    long hash = firstSequence;
    for (Proposal<R> proposal : made) {
      hash = Digest.of(hash, Digest.of(proposal.ballot()));
      hash = Digest.of(hash, Objects.hashCode(proposal.result()));
    }
    return hash;
  }
}
